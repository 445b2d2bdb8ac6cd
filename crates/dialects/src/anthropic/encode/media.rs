//! Encodes images and documents.

use interlingua_model::{Block, Extras, LedgerPath, Media, MediaKind, MediaSource, Verbatim};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::{BlockParent, EncodeCx};
use crate::anthropic::decode::media::SOURCE_EXTRAS_KEY;
use crate::anthropic::id::ID;
use crate::common::media_types;
use crate::note;

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
        let mime = media_types::sniff(data.raw()).unwrap_or(default_mime);
        cx.ledger.record_change(note::REQUIRED_ADDED, path, format!("the media type is {mime}"));
        JsonString::from_static(mime)
    })
}

impl MediaBlock<'_> {
    /// Writes the block's own fields. `write_blocks` writes the blocks of a document.
    pub(super) fn write(
        &self,
        extras: &Extras,
        o: &mut ObjectWriter<'_>,
        write_blocks: impl FnOnce(&[Verbatim<Block>], &mut ArrayWriter<'_>),
    ) {
        o.str("type", self.kind);
        o.object("source", |o| {
            self.write_source(o, write_blocks);
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

    fn write_source(
        &self,
        o: &mut ObjectWriter<'_>,
        write_blocks: impl FnOnce(&[Verbatim<Block>], &mut ArrayWriter<'_>),
    ) {
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
                o.array("content", |a| write_blocks(blocks, a));
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
