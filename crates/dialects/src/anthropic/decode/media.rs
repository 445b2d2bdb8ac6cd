//! Decodes images and documents.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Media, MediaKind, MediaSource, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::fields;
use crate::anthropic::id::ID;
use crate::common::{lenient_media, media_types};
use crate::note;

/// Decodes the blocks of a document.
type DecodeContent = fn(Option<JsonNode<'_>>, LedgerPath, &mut Ledger) -> Vec<Verbatim<Block>>;

/// Decodes an image or document block. If its source cannot be decoded, the block is kept as a
/// foreign block.
pub(super) fn decode_media(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
    decode_content: DecodeContent,
) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let (mut source_node, mut name) = (None, None);
    for field in node.fields() {
        match &*field.key() {
            "source" => source_node = Some(field.value),
            "title" if field.value.is_string() || field.value.is_null() => {
                name = field.value.json_string();
            }
            _ => fields::keep_common_field(&mut block, field),
        }
    }
    let decoded_source =
        source_node.and_then(|node| decode_source(node, kind, path, ledger, decode_content));
    let Some((source, unknown_fields)) = decoded_source else {
        if let Some(block) = decode_lenient_media(node, path, ledger) {
            return block;
        }
        fields::note_odd_input(ledger, path, format!("the source of the {kind} cannot be decoded"));
        return fields::decode_foreign(node);
    };
    if unknown_fields != RawJson::EMPTY_OBJECT {
        block.extras.push(ID, SOURCE_EXTRAS_KEY, unknown_fields);
    }
    let kind = if kind == "image" { MediaKind::Image } else { MediaKind::Document };
    block.content = BlockContent::Media(Box::new(Media { kind, source, name, detail: None }));
    block
}

/// Decodes an image in another dialect's spelling. It is encoded in this dialect's spelling.
pub(super) fn decode_lenient_media(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Block> {
    let media = lenient_media::decode(node)?;
    fields::note_odd_input(
        ledger,
        path,
        "an image in another dialect's form is decoded as an image",
    );
    let mut block = Block::new(BlockContent::Media(Box::new(media)));
    block.cache_breakpoint = node.get("cache_control").and_then(fields::decode_cache_control);
    Some(block)
}

/// Decodes `source` and returns its unknown fields next to it.
fn decode_source(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
    decode_content: DecodeContent,
) -> Option<(MediaSource, RawJson)> {
    let text = |key| node.get(key).and_then(JsonNode::json_string);
    let mime = text("media_type");
    let source_type = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let (source, known_keys) = match &*source_type {
        "base64" => (MediaSource::Base64 { mime, data: text("data")? }, BASE64_KEYS),
        "url" => match media_types::source_from_url(&text("url")?) {
            MediaSource::Url { url, .. } => (MediaSource::Url { mime, url }, URL_KEYS),
            data => {
                fields::note_odd_input(
                    ledger,
                    path,
                    format!("the {kind} has a data URL: it is decoded as base64 data"),
                );
                (data, URL_KEYS)
            }
        },
        "file" => (MediaSource::File { mime, id: text("file_id")? }, FILE_KEYS),
        "text" if kind == "document" => {
            if mime.is_none_or(|mime| mime != "text/plain") {
                fields::note_odd_input(
                    ledger,
                    path,
                    "a text source without the type `text/plain` is read as plain text",
                );
            }
            (MediaSource::Text(text("data")?), BASE64_KEYS)
        }
        "content" if kind == "document" => {
            let blocks = decode_content(node.get("content"), path, ledger);
            (document_of_blocks(blocks, path, ledger), CONTENT_KEYS)
        }
        _ => return None,
    };
    let unknown_fields = RawJson::object(|unknown_fields| {
        for field in node.fields().filter(|field| !known_keys.contains(&&*field.key())) {
            unknown_fields.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    });
    Some((source, unknown_fields))
}

/// A document consists of text and image blocks.
fn document_of_blocks(
    mut blocks: Vec<Verbatim<Block>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> MediaSource {
    blocks.retain(|block| {
        let is_allowed = match &block.content {
            BlockContent::Text { .. } => true,
            BlockContent::Media(media) => media.kind == MediaKind::Image,
            BlockContent::Refusal(_)
            | BlockContent::Reasoning(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => false,
        };
        if !is_allowed {
            let message = "a document holds only text and images: left out other blocks";
            ledger.record_loss(note::ODD_INPUT, path, message);
        }
        is_allowed
    });
    MediaSource::Blocks(blocks)
}

/// Extras key under which unknown fields of `source` are kept.
pub(crate) const SOURCE_EXTRAS_KEY: JsonString = JsonString::from_static("source");

/// Known keys of each source type.
const BASE64_KEYS: &[&str] = &["type", "media_type", "data"];
const URL_KEYS: &[&str] = &["type", "url"];
const FILE_KEYS: &[&str] = &["type", "file_id"];
const CONTENT_KEYS: &[&str] = &["type", "content"];
