//! Decodes images, documents, audio and video.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Media, MediaKind, MediaSource, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString};

use super::fields::keep_unknown_fields;
use crate::bedrock::id::ID;
use crate::common::media_types;
use crate::note;

/// Decodes the blocks of a document.
type DecodeBlocks = fn(JsonNode<'_>, LedgerPath, &mut Ledger) -> Vec<Verbatim<Block>>;

/// Decodes media; `None` for a source of an unknown kind.
pub(crate) fn decode_media(
    kind: MediaKind,
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
    decode_blocks: DecodeBlocks,
) -> Option<Block> {
    let source_node = node.get("source")?;
    // Fields of audio and video are not checked.
    let is_plain = matches!(kind, MediaKind::Image | MediaKind::Document);
    let is_non_string =
        |key: &str| node.get(key).is_some_and(|field| !field.is_null() && !field.is_string());
    let sources = if kind == MediaKind::Document { SOURCE_KEYS } else { &SOURCE_KEYS[..2] };
    let sources = sources.iter().filter_map(|key| source_node.get(key));
    let format = node.get("format").filter(|format| !format.is_null());
    let mime = format
        .and_then(|format| mime_for_format(kind, &format.str_or_empty()))
        .map(JsonString::from_static);
    let has_known_format = is_known_format(kind, format.map(JsonNode::str_or_empty).as_deref());
    let has_several_sources = sources.filter(|source| !source.is_null()).count() > 1;
    let is_odd = is_non_string("format") || kind == MediaKind::Document && is_non_string("name");
    if is_plain && (is_odd || has_several_sources || !has_known_format) {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            "malformed media are decoded as far as possible",
        );
    }
    // A format that the model cannot hold is kept as an extra.
    let mut kept_format = format.filter(|_| mime.is_none() && has_known_format);
    let mut owner = None;
    let source = if let Some(data) = source_node.get("bytes").and_then(JsonNode::json_string) {
        MediaSource::Base64 { mime, data }
    } else if let Some(location) = source_node.get("s3Location") {
        owner = location.get("bucketOwner");
        MediaSource::Url { mime, url: location.get("uri")?.json_string()? }
    } else {
        kept_format = format.filter(|format| format.str_or_empty() != "txt" && has_known_format);
        if let Some(text) = source_node.get("text").and_then(JsonNode::json_string) {
            MediaSource::Text(text)
        } else {
            MediaSource::Blocks(decode_blocks(source_node.get("content")?, path, ledger))
        }
    };
    let name = node.get("name").and_then(JsonNode::json_string);
    let media = Media { kind, source, name, detail: None };
    let mut block = Block::new(BlockContent::Media(Box::new(media)));
    keep_unknown_fields(node, &["format", "source", "name"], &mut block);
    for (key, value) in [("format", kept_format), ("bucketOwner", owner)] {
        if let Some(value) = value {
            block.extras.push(ID, JsonString::from_static(key), value.json());
        }
    }
    Some(block)
}

/// Returns whether the API knows the format. Any format is allowed for audio and video.
fn is_known_format(kind: MediaKind, format: Option<&str>) -> bool {
    match (kind, format) {
        (MediaKind::Image, format) => format.is_some_and(|format| IMAGE_FORMATS.contains(&format)),
        (MediaKind::Document, Some(format)) => mime_for_format(kind, format).is_some(),
        (MediaKind::Document | MediaKind::Audio | MediaKind::Video, _) => true,
    }
}

pub(crate) fn mime_for_format(kind: MediaKind, format: &str) -> Option<&'static str> {
    match (kind, format) {
        (MediaKind::Audio, "mpeg" | "mpga") => Some("audio/mpeg"),
        (MediaKind::Audio, "mp4") => Some("audio/mp4"),
        (MediaKind::Audio, "mka" | "mkv") => Some("audio/x-matroska"),
        (MediaKind::Audio, "x-aac") => Some("audio/aac"),
        (MediaKind::Audio, "pcm") => Some("audio/pcm"),
        (MediaKind::Video, "mpg") => Some("video/mpeg"),
        _ => media_types::mime_of_format(kind, format),
    }
}

const IMAGE_FORMATS: &[&str] = &["png", "jpeg", "gif", "webp"];

/// Source keys; `text` and `content` exist for documents only.
const SOURCE_KEYS: &[&str] = &["bytes", "s3Location", "text", "content"];
