//! Decodes and encodes images and documents.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, Media, MediaKind, MediaSource, Verbatim,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::encode::{self, BlockParent, EncodeCx};
use super::{ID, decode};
use crate::{media as shared, note, spellings};

/// Decodes an image or document block. If its source cannot be decoded, the block is kept as a
/// foreign block.
pub(super) fn decode_media(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Block {
    let mut block = Block::text(JsonString::EMPTY);
    let (mut source_node, mut name) = (None, None);
    for field in node.fields() {
        match &*field.key() {
            "source" => source_node = Some(field.value),
            "title" if field.value.is_string() || field.value.is_null() => {
                name = field.value.json_string();
            }
            _ => decode::keep_common_field(&mut block, field),
        }
    }
    let decoded_source = source_node.and_then(|node| decode_source(node, kind, path, ledger));
    let Some((source, unknown_fields)) = decoded_source else {
        if let Some(block) = decode_lenient_media(node, path, ledger) {
            return block;
        }
        decode::note_odd_input(ledger, path, format!("the source of the {kind} cannot be decoded"));
        return decode::decode_foreign(node);
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
    let media = spellings::decode(node)?;
    decode::note_odd_input(
        ledger,
        path,
        "an image in another dialect's form is decoded as an image",
    );
    let mut block = Block::new(BlockContent::Media(Box::new(media)));
    block.cache_breakpoint = node.get("cache_control").and_then(decode::decode_cache_control);
    Some(block)
}

/// Decodes `source` and returns its unknown fields next to it.
fn decode_source(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<(MediaSource, RawJson)> {
    let text = |key| node.get(key).and_then(JsonNode::json_string);
    let mime = text("media_type");
    let source_type = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let (source, known_keys) = match &*source_type {
        "base64" => (MediaSource::Base64 { mime, data: text("data")? }, BASE64_KEYS),
        "url" => match shared::source_from_url(&text("url")?) {
            MediaSource::Url { url, .. } => (MediaSource::Url { mime, url }, URL_KEYS),
            data => {
                decode::note_odd_input(
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
                decode::note_odd_input(
                    ledger,
                    path,
                    "a text source without the type `text/plain` is read as plain text",
                );
            }
            (MediaSource::Text(text("data")?), BASE64_KEYS)
        }
        "content" if kind == "document" => {
            (decode_document_content(node.get("content"), path, ledger), CONTENT_KEYS)
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

/// Decodes a document that consists of text and image blocks.
fn decode_document_content(
    content: Option<JsonNode<'_>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> MediaSource {
    let mut blocks = decode::decode_content(content, path, ledger);
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
pub(super) const SOURCE_EXTRAS_KEY: JsonString = JsonString::from_static("source");

/// Known keys of each source type.
const BASE64_KEYS: &[&str] = &["type", "media_type", "data"];
const URL_KEYS: &[&str] = &["type", "url"];
const FILE_KEYS: &[&str] = &["type", "file_id"];
const CONTENT_KEYS: &[&str] = &["type", "content"];

/// Media converted to an image or document block of this dialect.
pub(super) struct MediaBlock<'m> {
    media: &'m Media,
    kind: &'static str,
    source: SourceObject<'m>,
}

enum SourceObject<'m> {
    Base64(JsonString, &'m JsonString),
    Url(&'m JsonString),
    File(&'m JsonString),
    Text(JsonString),
    Blocks(&'m [Verbatim<Block>]),
}

/// Converts media to a block of this dialect, or returns a description of why it cannot be encoded.
pub(super) fn to_media_block<'m>(
    media: &'m Media,
    parent: BlockParent,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
) -> Result<MediaBlock<'m>, String> {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => return Err("audio".to_owned()),
        MediaKind::Video => return Err("video".to_owned()),
    };
    if !matches!(parent, BlockParent::User | BlockParent::ToolResult) {
        return Err(format!("the {kind} outside the user's turns"));
    }
    let is_image = media.kind == MediaKind::Image;
    let source = match &media.source {
        MediaSource::Base64 { mime, data } if is_image => {
            SourceObject::Base64(mime_or_default(mime.as_ref(), data, "image/png", path, cx), data)
        }
        MediaSource::Base64 { mime, data } => {
            let mime = mime_or_default(mime.as_ref(), data, "application/pdf", path, cx);
            document_source(mime, data, path, cx)?
        }
        MediaSource::Url { url, .. } => SourceObject::Url(url),
        MediaSource::File { id, .. } if cx.same_dialect => SourceObject::File(id),
        MediaSource::File { .. } => {
            return Err(format!("the {kind} in another provider's file storage"));
        }
        MediaSource::Text(_) | MediaSource::Blocks(_) if is_image => {
            return Err("the image given as text".to_owned());
        }
        MediaSource::Text(text) => SourceObject::Text(text.clone()),
        MediaSource::Blocks(blocks) => SourceObject::Blocks(blocks),
    };
    if let Some(detail) = media.detail.as_ref().filter(|detail| **detail != "auto") {
        let message = format!("left out the detail `{detail}` of the {kind}");
        cx.ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
    if let Some(name) = media.name.as_ref().filter(|_| is_image) {
        let message = format!("left out the name `{name}` of the image");
        cx.ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
    Ok(MediaBlock { media, kind, source })
}

/// The API accepts only PDF and plain text as documents.
fn document_source<'m>(
    mime: JsonString,
    data: &'m JsonString,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
) -> Result<SourceObject<'m>, String> {
    let name = mime.unescape();
    if name == "application/pdf" {
        return Ok(SourceObject::Base64(mime, data));
    }
    let is_text = name.starts_with("text/") || name == "application/json";
    match decode_base64_text(data.raw()).filter(|_| is_text) {
        Some(text) => {
            let message =
                format!("the document is sent as plain text: its type {name} is left out");
            cx.ledger.record_loss(note::FORMAT_CHANGED, path, message);
            Ok(SourceObject::Text(JsonString::new(&text)))
        }
        None => Err(format!("the document of type {name}")),
    }
}

fn mime_or_default(
    mime: Option<&JsonString>,
    data: &JsonString,
    default_mime: &'static str,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
) -> JsonString {
    mime.cloned().unwrap_or_else(|| {
        let mime = shared::sniff(data.raw()).unwrap_or(default_mime);
        cx.ledger.record_change(note::REQUIRED_ADDED, path, format!("the media type is {mime}"));
        JsonString::from_static(mime)
    })
}

impl MediaBlock<'_> {
    pub(super) fn write(
        &self,
        extras: &Extras,
        path: LedgerPath,
        cx: &mut EncodeCx<'_>,
        o: &mut ObjectWriter<'_>,
    ) {
        o.str("type", self.kind);
        o.object("source", |o| {
            self.write_source(path, cx, o);
            let unknown_fields = extras.get(ID, SOURCE_EXTRAS_KEY.raw()).map(RawJson::to_doc);
            for field in
                unknown_fields.iter().flat_map(|unknown_fields| unknown_fields.root().fields())
            {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        });
        if self.media.kind == MediaKind::Document {
            o.json_string_opt("title", self.media.name.as_ref());
        }
    }
}

impl MediaBlock<'_> {
    fn write_source(&self, path: LedgerPath, cx: &mut EncodeCx<'_>, o: &mut ObjectWriter<'_>) {
        match &self.source {
            SourceObject::Base64(mime, data) => {
                o.static_str("type", "base64");
                o.json_string("media_type", mime);
                o.json_string("data", data);
            }
            SourceObject::Url(url) => {
                o.static_str("type", "url");
                o.json_string("url", url);
            }
            SourceObject::File(id) => {
                o.static_str("type", "file");
                o.json_string("file_id", id);
            }
            SourceObject::Text(text) => {
                o.static_str("type", "text");
                o.static_str("media_type", "text/plain");
                o.json_string("data", text);
            }
            SourceObject::Blocks(blocks) => {
                o.static_str("type", "content");
                o.array("content", |a| {
                    for block in *blocks {
                        encode::encode_block(block, BlockParent::ToolResult, path, cx, a);
                    }
                });
            }
        }
    }
}

/// Decodes base64 to text; `None` if it is not base64 or not UTF-8.
fn decode_base64_text(data: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(data.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in data.bytes().filter(|byte| !matches!(byte, b'=' | b'\\')) {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(sextet);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}
