//! Encodes images, documents, audio and video.

use std::borrow::Cow;

use interlingua_model::{Extras, Ledger, LedgerPath, Media, MediaKind, MediaSource};
use interlingua_wire::JsonString;
use interlingua_wire::json::ObjectWriter;

use super::context::EncodeCx;
use crate::bedrock::decode::media::mime_for_format;
use crate::bedrock::id::ID;
use crate::common::media_types;
use crate::note;

/// Why media cannot be encoded, or `None`.
pub(super) fn unsupported_reason(media: &Media, extras: &Extras, cx: EncodeCx) -> Option<String> {
    let kind = media_key(media.kind);
    match &media.source {
        MediaSource::Url { url, .. } if !url.raw().starts_with(S3_SCHEME) => Some(format!(
            "left out the {kind} at a URL: the API accepts only data and S3 locations"
        )),
        MediaSource::File { .. } => {
            Some(format!("left out the {kind} in a provider's file storage: it cannot be sent"))
        }
        MediaSource::Text(_) | MediaSource::Blocks(_) if media.kind != MediaKind::Document => {
            Some(format!("left out the {kind} without data"))
        }
        // A same-dialect request may leave a document's format to the provider.
        _ if resolve_format(media, extras).is_none()
            && (media.kind != MediaKind::Document || cx != EncodeCx::SameDialect) =>
        {
            Some(format!("left out the {kind}: its format is not supported"))
        }
        _ => None,
    }
}

/// Text that replaces media that cannot be encoded.
pub(super) fn placeholder_text(media: &Media) -> JsonString {
    let kind = media_key(media.kind);
    JsonString::new(&match &media.name {
        Some(name) if !name.is_empty() => format!("[{kind} `{name}` omitted: it cannot be sent]"),
        _ => format!("[{kind} omitted: it cannot be sent]"),
    })
}

/// Encodes media without an [`unsupported_reason`].
pub(super) fn encode_media(
    media: &Media,
    extras: &Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.object(media_key(media.kind), |o| {
        if let Some(format) = resolve_format(media, extras) {
            note_sent_as_plain_text(media, &format, path, ledger);
            o.str("format", &format);
        }
        if media.kind == MediaKind::Document {
            o.str("name", &document_name(media.name.as_ref(), path, ledger));
        }
        o.object("source", |o| encode_source(media, extras, path, ledger, o));
        for (key, value) in extras.fields_for(ID) {
            if key != "format" && key != "bucketOwner" {
                o.key_json_string(key).json(value);
            }
        }
    });
    if media.detail.is_some() {
        ledger.record_loss(note::NO_SUCH_FIELD, path, "left out the detail level of the image");
    }
}

/// Encodes the fields inside `source`.
pub(crate) fn encode_source(
    media: &Media,
    extras: &Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    match &media.source {
        MediaSource::Base64 { data, .. } => o.json_string("bytes", data),
        MediaSource::Url { url, .. } => o.object("s3Location", |o| {
            o.json_string("uri", url);
            o.json_opt("bucketOwner", extras.get(ID, "bucketOwner"));
        }),
        MediaSource::Text(text) => o.json_string("text", text),
        MediaSource::Blocks(blocks) => o.array("content", |a| {
            for block in blocks {
                match block.content.as_text() {
                    Some(text) => a.object(|o| o.json_string("text", text)),
                    None => ledger.record_loss(
                        note::NO_SUCH_BLOCK,
                        path,
                        "left out a part of a document that is not text",
                    ),
                }
            }
        }),
        MediaSource::File { .. } => {}
    }
}

/// The short name of the format: the original one of this dialect, or derived from the MIME type,
/// the data or the file name.
pub(crate) fn resolve_format(media: &Media, extras: &Extras) -> Option<Cow<'static, str>> {
    if let Some(format) = extras.get(ID, "format").and_then(interlingua_wire::RawJson::json_string)
    {
        return Some(format.unescape().into_owned().into());
    }
    let (mime, url, data) = match &media.source {
        MediaSource::Base64 { mime, data } => (mime.as_ref(), None, Some(data)),
        MediaSource::Url { mime, url } => (mime.as_ref(), Some(url), None),
        MediaSource::File { mime, .. } => (mime.as_ref(), None, None),
        MediaSource::Text(_) | MediaSource::Blocks(_) => return Some("txt".into()),
    };
    let kind = media.kind;
    let by_mime = mime.and_then(|mime| format_for_mime(kind, &mime.unescape()));
    let by_data = || data.and_then(|data| format_for_mime(kind, media_types::sniff(data.raw())?));
    let by_name = || {
        [url, media.name.as_ref()].into_iter().flatten().find_map(|name| {
            let name = name.unescape().to_ascii_lowercase();
            format_for_mime(kind, mime_for_format(kind, name.rsplit_once('.')?.1)?)
        })
    };
    by_mime.or_else(by_data).or_else(by_name).map(Cow::Borrowed)
}

fn format_for_mime(kind: MediaKind, mime: &str) -> Option<&'static str> {
    let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match (kind, &*mime) {
        (MediaKind::Audio, "audio/pcm" | "audio/l16") => Some("pcm"),
        (MediaKind::Audio, "audio/x-matroska") => Some("mka"),
        (MediaKind::Image, "image/jpg") => Some("jpeg"),
        _ => media_types::format_of_mime(kind, &mime).or_else(|| {
            let is_text = kind == MediaKind::Document
                && (mime.starts_with("text/") || TEXT_MIME_TYPES.contains(&&*mime));
            is_text.then_some("txt")
        }),
    }
}

/// A text type without a format of its own is sent as plain text.
fn note_sent_as_plain_text(media: &Media, format: &str, path: LedgerPath, ledger: &mut Ledger) {
    if let MediaSource::Base64 { mime: Some(mime), .. } = &media.source
        && format == "txt"
        && !mime.unescape().starts_with("text/plain")
    {
        let message = format!("a document of type `{mime}` is sent as plain text");
        ledger.record_change(note::FORMAT_CHANGED, path, message);
    }
}

/// The API accepts letters, digits, single spaces, hyphens and brackets, at most 200 characters.
fn document_name(name: Option<&JsonString>, path: LedgerPath, ledger: &mut Ledger) -> String {
    let Some(name) = name.map(JsonString::unescape) else {
        let name =
            format!("document-{}-{}", path.index.unwrap_or(0) + 1, path.block.unwrap_or(0) + 1);
        let message = format!("a document without a name is named `{name}`");
        ledger.record_change(note::REQUIRED_ADDED, path, message);
        return name;
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-()[]".contains(c);
    let mut cleaned = String::with_capacity(name.len());
    for character in name.trim().chars().take(MAX_NAME_CHARS) {
        if character.is_whitespace() {
            if !cleaned.ends_with(' ') {
                cleaned.push(' ');
            }
        } else {
            cleaned.push(if allowed(character) { character } else { '-' });
        }
    }
    if cleaned.is_empty() {
        cleaned.push_str("document");
    }
    if cleaned != *name {
        let message = format!("the document `{name}` is renamed to `{cleaned}`");
        ledger.record_change(note::NAME_CHANGED, path, message);
    }
    cleaned
}

fn media_key(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}

const S3_SCHEME: &str = "s3:";
const MAX_NAME_CHARS: usize = 200;
const TEXT_MIME_TYPES: &[&str] =
    &["application/json", "application/xml", "application/yaml", "application/x-yaml"];
