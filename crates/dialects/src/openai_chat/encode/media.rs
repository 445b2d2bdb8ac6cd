//! Encodes media.

use interlingua_model::{LedgerPath, Media, MediaKind, MediaSource};
use interlingua_providers::spelling::openai_chat::{Capability, Flavor};
use interlingua_wire::JsonString;
use interlingua_wire::json::ObjectWriter;

use super::context::EncodeCx;
use crate::common::media_types;
use crate::note;

/// Notes a generated file name: file data requires one.
pub(super) fn note_missing_file_name(media: &Media, path: LedgerPath, cx: &mut EncodeCx<'_>) {
    let is_data = matches!(media.source, MediaSource::Base64 { .. });
    if media.kind == MediaKind::Document && is_data && media.name.is_none() {
        let message = "a file name is added: file data requires one";
        cx.ledger.record_change(note::REQUIRED_ADDED, path, message);
    }
}

/// Returns whether the flavor has a part for these media.
pub(super) fn is_encodable(media: &Media, flavor: &Flavor) -> bool {
    match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Base64 { .. } | MediaSource::Url { .. }) => true,
        (MediaKind::Video, MediaSource::Base64 { .. } | MediaSource::Url { .. }) => {
            flavor.has(Capability::VideoParts)
        }
        (MediaKind::Audio, MediaSource::Base64 { mime, .. }) => {
            audio_format(mime.as_ref()).is_some()
        }
        (MediaKind::Document, MediaSource::Base64 { .. } | MediaSource::File { .. }) => {
            flavor.has(Capability::FileParts)
        }
        (MediaKind::Document, MediaSource::Url { .. }) => flavor.has(Capability::FileUrls),
        (MediaKind::Image | MediaKind::Video | MediaKind::Audio, MediaSource::File { .. })
        | (MediaKind::Audio, MediaSource::Url { .. })
        | (_, MediaSource::Text(_) | MediaSource::Blocks(_)) => false,
    }
}

pub(crate) fn media_noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
    }
}

pub(crate) fn encode_media(media: &Media, o: &mut ObjectWriter<'_>) {
    match media.kind {
        MediaKind::Image => {
            o.static_str("type", "image_url");
            o.object("image_url", |o| {
                write_url("url", media, "image/png", o);
                let detail = media.detail.as_ref();
                o.json_string_opt(
                    "detail",
                    detail.filter(|detail_name| IMAGE_DETAILS.iter().any(|d| *detail_name == d)),
                );
            });
        }
        MediaKind::Video => {
            o.static_str("type", "video_url");
            o.object("video_url", |o| write_url("url", media, "video/mp4", o));
        }
        MediaKind::Audio => {
            o.static_str("type", "input_audio");
            o.object("input_audio", |o| {
                if let MediaSource::Base64 { mime, data } = &media.source {
                    o.json_string("data", data);
                    o.str("format", audio_format(mime.as_ref()).unwrap_or("wav"));
                }
            });
        }
        MediaKind::Document => {
            o.static_str("type", "file");
            o.object("file", |o| {
                if let MediaSource::File { id, .. } = &media.source {
                    o.json_string("file_id", id);
                } else {
                    write_url("file_data", media, "application/pdf", o);
                }
                let default_name = match &media.source {
                    MediaSource::Base64 { mime, .. } => {
                        Some(media_types::default_file_name(mime.as_ref()))
                    }
                    _ => None,
                };
                o.json_string_opt("filename", media.name.as_ref().or(default_name.as_ref()));
            });
        }
    }
}

/// Writes a URL, or base64 data as a data URL. `default_mime` is used if the type is neither given
/// nor detected.
fn write_url(
    key: &'static str,
    media: &Media,
    default_mime: &'static str,
    o: &mut ObjectWriter<'_>,
) {
    match &media.source {
        MediaSource::Url { url, .. } => o.json_string(key, url),
        MediaSource::Base64 { mime, data } => {
            let given_mime = mime.clone();
            let mime = given_mime.unwrap_or_else(|| {
                JsonString::from_static(media_types::sniff(data.raw()).unwrap_or(default_mime))
            });
            let url = [
                &JsonString::from_static("data:"),
                &mime,
                &JsonString::from_static(";base64,"),
                data,
            ];
            o.key(key).join(url, "");
        }
        MediaSource::File { .. } | MediaSource::Text(_) | MediaSource::Blocks(_) => {}
    }
}

fn audio_format(mime: Option<&JsonString>) -> Option<&'static str> {
    let mime = mime?.unescape();
    media_types::format_of_mime(MediaKind::Audio, mime.split(';').next().unwrap_or_default())
}

const IMAGE_DETAILS: &[&str] = &["auto", "low", "high", "original"];
