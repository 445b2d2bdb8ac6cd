//! Encodes media as parts.

use interlingua_model::{Ledger, LedgerPath, Media, MediaKind, MediaSource, Spelling};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use crate::common::media_types;
use crate::gemini::decode::media::{is_own_file, mime_of_uri};
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// Returns whether the media can be encoded. Files in another provider's storage cannot;
/// same-dialect requests keep theirs.
pub(super) fn is_encodable(media: &Media, cx: EncodeCx<'_>) -> bool {
    let same_dialect = matches!(cx, EncodeCx::Request(calls) if calls.conversation().dialect == ID);
    match &media.source {
        MediaSource::File { id, .. } => same_dialect || is_own_file(id),
        MediaSource::Base64 { .. }
        | MediaSource::Url { .. }
        | MediaSource::Text(_)
        | MediaSource::Blocks(_) => true,
    }
}

/// Encodes the field that holds the data. [`encode_part`](super::encode::encode_part) encodes text
/// and block sources.
pub(super) fn encode_media(
    media: &Media,
    extras: &interlingua_model::Extras,
    object: &mut ObjectWriter<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if let Some(detail) = media.detail.as_ref().filter(|detail| **detail != "auto") {
        let message = format!("left out the detail `{detail}` of an image");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
    let name = media.name.as_ref().filter(|_| extras.has(ID, Spelling::DisplayName));
    if media.name.is_some() && name.is_none() && !matches!(media.source, MediaSource::Text(_)) {
        // One of the provider's two backends rejects `displayName`.
        ledger.record_loss(note::NO_SUCH_FIELD, path, "left out the name of a file");
    }
    match &media.source {
        MediaSource::Base64 { mime, data } => {
            let mime = mime
                .clone()
                .or_else(|| media_types::sniff(data.raw()).map(JsonString::from_static));
            let mime = mime.unwrap_or_else(|| assume_mime(media.kind, path, ledger));
            object.object("inlineData", |object| {
                object.json_string("mimeType", &mime);
                object.json_string("data", data);
                object.json_string_opt("displayName", name);
                field_name::write_unknown_fields(extras.get(ID, "inlineData"), object);
            });
        }
        MediaSource::Url { mime, url: uri } | MediaSource::File { mime, id: uri } => {
            let mime = mime.clone().or_else(|| guess_mime(uri, media.kind, path, ledger));
            object.object("fileData", |object| {
                object.json_string_opt("mimeType", mime.as_ref());
                object.json_string("fileUri", uri);
                object.json_string_opt("displayName", name);
                field_name::write_unknown_fields(extras.get(ID, "fileData"), object);
            });
        }
        MediaSource::Text(text) => object.json_string("text", text),
        MediaSource::Blocks(_) => {}
    }
}

fn guess_mime(
    uri: &JsonString,
    kind: MediaKind,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<JsonString> {
    // YouTube URLs need no MIME type.
    if kind == MediaKind::Video && uri.unescape().contains("youtu") {
        return None;
    }
    let Some(mime) = mime_of_uri(uri) else { return Some(assume_mime(kind, path, ledger)) };
    let message = format!("the type of a file is guessed from its URI: {mime}");
    ledger.record_change(note::REQUIRED_ADDED, path, message);
    Some(JsonString::from_static(mime))
}

fn assume_mime(kind: MediaKind, path: LedgerPath, ledger: &mut Ledger) -> JsonString {
    let mime = match kind {
        MediaKind::Image => "image/jpeg",
        MediaKind::Document => "application/pdf",
        MediaKind::Audio => "audio/wav",
        MediaKind::Video => "video/mp4",
    };
    let message = format!("the type of a file is missing: {mime} is assumed");
    ledger.record_change(note::REQUIRED_ADDED, path, message);
    JsonString::from_static(mime)
}

/// Encodes media of a tool result, for the `parts` next to its `response`.
pub(super) fn encode_media_part(media: &Media, path: LedgerPath, ledger: &mut Ledger) -> RawJson {
    let extras = interlingua_model::Extras::default();
    RawJson::object(|object| encode_media(media, &extras, object, path, ledger))
}
