//! Encodes media.

use interlingua_model::{Block, Ledger, Media, MediaKind, MediaSource};
use interlingua_wire::JsonString;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};

use super::context::EncodeCx;
use super::fields::write_common_fields;
use crate::common::media_types;
use crate::note;
use crate::openai_responses::decode::media::IMAGE_DETAILS;

pub(super) fn encode_media(
    media: &Media,
    block: &Block,
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    match (media.kind, &media.source) {
        (
            MediaKind::Image,
            source @ (MediaSource::Base64 { .. }
            | MediaSource::Url { .. }
            | MediaSource::File { .. }),
        ) => {
            a.object(|o| {
                o.static_str("type", "input_image");
                match source {
                    MediaSource::File { id, .. } => o.json_string("file_id", id),
                    MediaSource::Url { url, .. } => o.json_string("image_url", url),
                    MediaSource::Base64 { mime, data } => {
                        o.json_string("image_url", &data_url(mime.as_ref(), data, "image/png"));
                    }
                    MediaSource::Text(_) | MediaSource::Blocks(_) => {}
                }
                let is_supported = |detail: &&JsonString| {
                    IMAGE_DETAILS.iter().any(|is_supported| *detail == is_supported)
                };
                let detail = media.detail.as_ref().filter(is_supported);
                o.json_string("detail", detail.unwrap_or(&JsonString::from_static("auto")));
                write_common_fields(block, cx, o);
            });
        }
        (MediaKind::Document, _) => a.object(|o| {
            encode_file(media, cx, o, ledger);
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio, MediaSource::Base64 { mime, data }) => a.object(|o| {
            o.static_str("type", "input_audio");
            let mime = mime.as_ref().map(JsonString::unescape).unwrap_or_default();
            let format = media_types::format_of_mime(MediaKind::Audio, &mime).unwrap_or("wav");
            o.object("input_audio", |o| {
                o.json_string("data", data);
                o.str("format", format);
            });
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio, MediaSource::Url { url, .. }) if cx.same_dialect => a.object(|o| {
            o.static_str("type", "input_audio");
            o.json_string("audio_url", url);
            write_common_fields(block, cx, o);
        }),
        (MediaKind::Audio | MediaKind::Video | MediaKind::Image, _) => {
            let message = format!(
                "left out {} in a form that the API does not accept",
                media_noun(media.kind)
            );
            ledger.record_loss(note::NO_SUCH_BLOCK, cx.path, message);
        }
    }
}

fn encode_file(media: &Media, cx: EncodeCx, o: &mut ObjectWriter<'_>, ledger: &mut Ledger) {
    o.static_str("type", "input_file");
    match &media.source {
        MediaSource::File { id, .. } => o.json_string("file_id", id),
        MediaSource::Url { url, .. } => o.json_string("file_url", url),
        MediaSource::Base64 { mime, data } => {
            let name = media.name.clone().unwrap_or_else(|| {
                let message = "a file name is added: file data requires one";
                ledger.record_change(note::REQUIRED_ADDED, cx.path, message);
                media_types::default_file_name(mime.as_ref())
            });
            o.json_string("filename", &name);
            o.json_string("file_data", &data_url(mime.as_ref(), data, "application/pdf"));
        }
        MediaSource::Text(_) | MediaSource::Blocks(_) => {}
    }
    // A referenced file has its name in the file storage.
    if matches!(media.source, MediaSource::Url { .. } | MediaSource::File { .. })
        && media.name.is_some()
    {
        ledger.record_loss(
            note::NO_SUCH_FIELD,
            cx.path,
            "left out the name of a file given by reference",
        );
    }
    o.json_string_opt("detail", media.detail.as_ref());
}

fn data_url(
    mime: Option<&JsonString>,
    data: &JsonString,
    default_mime: &'static str,
) -> JsonString {
    let detected =
        || JsonString::from_static(media_types::sniff(data.raw()).unwrap_or(default_mime));
    // Any other character could end the MIME type or the data URL's header.
    let is_mime_char = |c: &char| c.is_ascii_alphanumeric() || "/.+-_".contains(*c);
    let cleaned = mime.map(|mime| mime.unescape().chars().filter(is_mime_char).collect::<String>());
    let cleaned = cleaned.filter(|mime| !mime.is_empty());
    media_types::data_url(&cleaned.map_or_else(detected, |mime| JsonString::new(&mime)), data)
}

pub(super) fn media_noun(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "an image",
        MediaKind::Document => "a document",
        MediaKind::Audio => "audio",
        MediaKind::Video => "a video",
    }
}
