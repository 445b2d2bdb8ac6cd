//! Decodes the media of a content part.

use interlingua_model::{Block, BlockContent, Media, MediaKind, MediaSource};
use interlingua_wire::{JsonNode, JsonString};

use crate::common::{lenient_media, media_types};

/// Returns whether a `file` part contains media that have a separate part type.
pub(super) fn is_non_document_file(kind: &str, block: &Block) -> bool {
    kind == "file"
        && matches!(&block.content, BlockContent::Media(media) if media.kind != MediaKind::Document)
}

/// The block, and the key of the part's data.
pub(super) type DecodedPart = Option<(Block, &'static str)>;

pub(super) fn decode_url_media(
    node: JsonNode<'_>,
    key: &'static str,
    kind: MediaKind,
) -> DecodedPart {
    let value = node.get(key)?;
    let url = value.json_string().or_else(|| value.get("url")?.json_string())?;
    let source = media_types::source_from_url(&url);
    let detail = value.get("detail").and_then(JsonNode::json_string);
    let name = node.get("document_name").and_then(JsonNode::json_string);
    Some((Block::new(BlockContent::Media(Box::new(Media { kind, source, name, detail }))), key))
}

/// Decodes an image in another dialect's form.
pub(super) fn decode_lenient_media(node: JsonNode<'_>) -> DecodedPart {
    Some((Block::new(BlockContent::Media(Box::new(lenient_media::decode(node)?))), ALL_KEYS))
}

pub(super) fn decode_audio(node: JsonNode<'_>) -> DecodedPart {
    let audio = node.get("input_audio")?;
    let data = audio.get("data")?.json_string()?;
    let format = audio.get("format")?.str_or_empty();
    let mime = media_types::mime_of_format(MediaKind::Audio, &format).map(JsonString::from_static);
    let source = match media_types::source_from_url(&data) {
        MediaSource::Base64 { mime: url_mime, data } => {
            MediaSource::Base64 { mime: url_mime.or(mime), data }
        }
        _ if data.raw().starts_with("http") => MediaSource::Url { mime, url: data },
        _ => MediaSource::Base64 { mime, data },
    };
    let media = Media { kind: MediaKind::Audio, source, name: None, detail: None };
    Some((Block::new(BlockContent::Media(Box::new(media))), "input_audio"))
}

pub(super) fn decode_file(node: JsonNode<'_>) -> DecodedPart {
    let file = node.get("file")?;
    let name = file.get("filename").and_then(JsonNode::json_string);
    let source = if let Some(data) = file.get("file_data").and_then(JsonNode::json_string) {
        match media_types::source_from_url(&data) {
            MediaSource::Url { .. } if !data.raw().starts_with("http") => {
                let mime = media_types::mime_of_file(data.raw(), name.as_ref())
                    .map(JsonString::from_static);
                MediaSource::Base64 { mime, data }
            }
            source => source,
        }
    } else {
        MediaSource::File { mime: None, id: file.get("file_id")?.json_string()? }
    };
    let kind = match &source {
        MediaSource::Base64 { mime: Some(mime), .. } => {
            match media_types::kind_of_mime(&mime.unescape()) {
                // A video sent as a file stays a file.
                MediaKind::Video => MediaKind::Document,
                kind => kind,
            }
        }
        _ => MediaKind::Document,
    };
    let media = Media { kind, source, name, detail: None };
    Some((Block::new(BlockContent::Media(Box::new(media))), "file"))
}

/// The payload key of parts that have no other fields to keep.
pub(super) const ALL_KEYS: &str = "*";
