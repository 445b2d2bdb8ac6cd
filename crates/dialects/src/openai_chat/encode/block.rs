//! Encodes the content of a message: as a string if possible, else as a list of parts.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, LedgerPath, Media, MediaSource, Verbatim,
};
use interlingua_providers::spelling::openai_chat::CacheBreakpointSpelling;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use super::media::{encode_media, is_encodable, media_noun, note_missing_file_name};
use crate::note;
use crate::openai_chat::id::ID;

#[derive(Clone, Debug)]
pub(super) enum ContentPart<'c> {
    /// The original JSON of this dialect.
    Original(&'c RawJson),
    /// A text, and the block it came from.
    Text(JsonString, Option<&'c Block>),
    Media(&'c Media, Option<&'c Block>),
}

/// Converts a block to parts, for messages that allow any user content.
pub(super) fn push_parts<'c>(
    block: &'c Verbatim<Block>,
    path: LedgerPath,
    out: &mut Vec<ContentPart<'c>>,
    cx: &mut EncodeCx<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        return out.push(ContentPart::Original(text));
    }
    match &block.content {
        BlockContent::Text { text, citations } => {
            out.push(ContentPart::Text(text.clone(), Some(block)));
            if !citations.is_empty() {
                let message = "left out the citations of a text";
                cx.ledger.record_loss(note::CITATION_REDUCED, path, message);
            }
        }
        BlockContent::Refusal(text) => out.push(ContentPart::Text(text.clone(), Some(block))),
        BlockContent::Json(json) => {
            out.push(ContentPart::Text(JsonString::new(json.as_str()), Some(block)));
        }
        BlockContent::Media(media) => push_media_parts(media, block, path, out, cx),
        BlockContent::Foreign { dialect, json, .. } if *dialect == ID => {
            out.push(ContentPart::Original(json));
        }
        BlockContent::Foreign { kind, .. } => cx.note_dropped_block(path, &kind.unescape()),
        BlockContent::Reasoning(_) => cx.note_dropped_reasoning(path),
        BlockContent::ToolCall(_) => {
            cx.note_dropped_block(path, "a call outside an assistant message");
        }
        BlockContent::ToolResult(_) => {
            cx.note_dropped_block(path, "a result outside a tool message");
        }
    }
    note_dropped_attributes(block, path, cx);
}

/// Notes attributes of a block that are not encoded.
pub(super) fn note_dropped_attributes(block: &Block, path: LedgerPath, cx: &mut EncodeCx<'_>) {
    if block.cache_breakpoint.is_some() && !cx.writes_cache_breakpoints() {
        cx.note_dropped_cache(path);
    }
    if block.seal.is_some() && !matches!(block.content, BlockContent::Reasoning(_)) {
        cx.note_dropped_seal(path);
    }
    cx.note_dropped_extras(&block.extras, path);
}

fn push_media_parts<'c>(
    media: &'c Media,
    block: &'c Block,
    path: LedgerPath,
    out: &mut Vec<ContentPart<'c>>,
    cx: &mut EncodeCx<'_>,
) {
    match &media.source {
        MediaSource::Text(text) => {
            cx.ledger.record_change(
                note::NO_SUCH_BLOCK,
                path,
                "a plain-text document is encoded as text",
            );
            out.push(ContentPart::Text(text.clone(), Some(block)));
        }
        MediaSource::Blocks(blocks) => {
            let message = match &media.name {
                Some(name) => {
                    format!("the document `{name}` is encoded as its blocks, without its name")
                }
                None => "a document is encoded as its blocks".to_owned(),
            };
            cx.ledger.record_change(note::NO_SUCH_BLOCK, path, message);
            for inner in blocks {
                push_parts(inner, path, out, cx);
            }
        }
        MediaSource::Base64 { .. } | MediaSource::Url { .. } | MediaSource::File { .. } => {
            if is_encodable(media, cx.flavor) {
                note_missing_file_name(media, path, cx);
                out.push(ContentPart::Media(media, Some(block)));
            } else {
                cx.note_dropped_block(path, media_noun(media.kind));
            }
        }
    }
}

/// Writes `content`. `allows_parts` tells whether this message may have several text parts;
/// otherwise they are joined with `separator`.
pub(super) fn encode_content(
    parts: &[ContentPart<'_>],
    allows_parts: bool,
    separator: &str,
    o: &mut ObjectWriter<'_>,
    cx: &EncodeCx<'_>,
) {
    let texts: Option<Vec<&JsonString>> = parts.iter().map(|part| plain_text(part, cx)).collect();
    match texts {
        Some(texts) if texts.len() < 2 || !allows_parts => o.key("content").join(texts, separator),
        Some(_) | None => o.array("content", |a| {
            for part in parts {
                encode_part(part, a, cx);
            }
        }),
    }
}

/// The text of a part that has no other attributes.
fn plain_text<'p>(part: &'p ContentPart<'_>, cx: &EncodeCx<'_>) -> Option<&'p JsonString> {
    match part {
        ContentPart::Text(text, block) => {
            let has_attributes = block.is_some_and(|block| {
                (block.cache_breakpoint.is_some() && cx.writes_cache_breakpoints())
                    || !block.extras.fields_for(ID).is_empty()
            });
            (!has_attributes).then_some(text)
        }
        ContentPart::Original(_) | ContentPart::Media(..) => None,
    }
}

pub(super) fn encode_part(part: &ContentPart<'_>, out: &mut ArrayWriter<'_>, cx: &EncodeCx<'_>) {
    match part {
        ContentPart::Original(json) => out.item().json(json),
        ContentPart::Text(text, block) => out.object(|o| {
            o.static_str("type", "text");
            o.json_string("text", text);
            write_common_fields(*block, o, cx);
        }),
        ContentPart::Media(media, block) => out.object(|o| {
            encode_media(media, o);
            write_common_fields(*block, o, cx);
        }),
    }
}

fn write_common_fields(block: Option<&Block>, o: &mut ObjectWriter<'_>, cx: &EncodeCx<'_>) {
    let Some(block) = block else { return };
    if let Some(cache) = block.cache_breakpoint.as_deref().filter(|_| cx.writes_cache_breakpoints())
    {
        write_cache_breakpoint(cache, cx.flavor.cache_breakpoint, o);
    }
    block.extras.write(ID, o);
}

/// Writes a cache breakpoint. A lifetime that the spelling does not have is left out, so the
/// server's default applies.
pub(super) fn write_cache_breakpoint(
    cache: &CacheBreakpoint,
    spelling: CacheBreakpointSpelling,
    o: &mut ObjectWriter<'_>,
) {
    let (key, mode_key, mode, supported_ttls): (_, _, _, &[&str]) = match spelling {
        CacheBreakpointSpelling::None => return,
        CacheBreakpointSpelling::CacheControl => {
            ("cache_control", "type", "ephemeral", &["5m", "1h"])
        }
        CacheBreakpointSpelling::PromptCacheBreakpoint => {
            ("prompt_cache_breakpoint", "mode", "explicit", &["30m", "12h"])
        }
    };
    o.object(key, |o| {
        o.str(mode_key, mode);
        let ttl = cache
            .ttl
            .as_ref()
            .filter(|ttl| supported_ttls.iter().any(|supported_ttls| *ttl == supported_ttls));
        o.json_string_opt("ttl", ttl);
    });
}
