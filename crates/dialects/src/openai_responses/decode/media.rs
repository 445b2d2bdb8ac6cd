//! Decodes the media of a part.

use interlingua_model::{Block, BlockContent, Ledger, LedgerPath, Media, MediaKind, MediaSource};
use interlingua_wire::{JsonNode, JsonString};

use super::fields::block_with_extras;
use crate::common::{lenient_media, media_types};
use crate::note;

pub(super) fn decode_image(part: JsonNode<'_>) -> Option<Block> {
    let image_url = part.get("image_url");
    let object = image_url.filter(|url| url.is_object());
    let url = image_url.and_then(|url| url.json_string().or_else(|| url.get("url")?.json_string()));
    let (source, key) = match (url, part.get("file_id").and_then(JsonNode::json_string)) {
        (Some(url), _) => (media_types::source_from_url(&url), "image_url"),
        (None, Some(id)) => (MediaSource::File { mime: None, id }, "file_id"),
        (None, None) => return None,
    };
    let detail =
        part.get("detail").or_else(|| object?.get("detail")).and_then(JsonNode::json_string);
    let detail = detail.filter(|detail| IMAGE_DETAILS.iter().any(|supported| detail == supported));
    let media = Media { kind: MediaKind::Image, source, name: None, detail };
    Some(block_with_extras(BlockContent::Media(Box::new(media)), part, &["type", key, "detail"]))
}

/// Decodes an image in another dialect's form. It is encoded in this dialect's form.
pub(super) fn decode_lenient_media(
    part: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Block> {
    let media = lenient_media::decode(part)?;
    ledger.record_change(
        note::ODD_INPUT,
        path,
        "an image in another dialect's form is decoded as an image",
    );
    Some(Block::new(BlockContent::Media(Box::new(media))))
}

pub(super) fn decode_file(part: JsonNode<'_>) -> Option<Block> {
    let text = |key: &str| part.get(key).and_then(JsonNode::json_string);
    let name = text("filename");
    let (source, key) = if let Some(data) = text("file_data") {
        (decode_file_data(&data, name.as_ref()), "file_data")
    } else if let Some(url) = text("file_url") {
        (MediaSource::Url { mime: None, url }, "file_url")
    } else {
        (MediaSource::File { mime: None, id: text("file_id")? }, "file_id")
    };
    let media = Media { kind: MediaKind::Document, source, name, detail: text("detail") };
    Some(block_with_extras(
        BlockContent::Media(Box::new(media)),
        part,
        &["type", key, "filename", "detail"],
    ))
}

/// Decodes a data URL, or base64 with a type detected from its first bytes or the file name.
fn decode_file_data(data: &JsonString, name: Option<&JsonString>) -> MediaSource {
    if data.raw().starts_with("data:") {
        return media_types::source_from_url(data);
    }
    let mime = media_types::mime_of_file(data.raw(), name).map(JsonString::from_static);
    MediaSource::Base64 { mime, data: data.clone() }
}

pub(super) fn decode_audio(part: JsonNode<'_>) -> Option<Block> {
    let (source, key) = if let Some(url) = part.get("audio_url").and_then(JsonNode::json_string) {
        (media_types::source_from_url(&url), "audio_url")
    } else {
        let audio = part.get("input_audio")?;
        let format = audio.get("format").map(JsonNode::str_or_empty).unwrap_or_default();
        let mime =
            media_types::mime_of_format(MediaKind::Audio, &format).map(JsonString::from_static);
        (MediaSource::Base64 { mime, data: audio.get("data")?.json_string()? }, "input_audio")
    };
    let media = Media { kind: MediaKind::Audio, source, name: None, detail: None };
    Some(block_with_extras(BlockContent::Media(Box::new(media)), part, &["type", key]))
}

/// Valid values of an image's `detail`.
pub(crate) const IMAGE_DETAILS: &[&str] = &["low", "high", "auto", "original"];
