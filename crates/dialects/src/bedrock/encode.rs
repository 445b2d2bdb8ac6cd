//! Encodes blocks.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, Extras, Ledger, LedgerPath, MediaKind, ReasoningForm,
    Seal, ToolCall, ToolResult, Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, JsonWriter, RawJson};

use super::{ID, ISSUER, citation, media};
use crate::{arguments, note};

/// What the encoded block belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EncodeMode {
    /// A request that arrived in this dialect.
    SameDialect,
    /// A request that arrived in another dialect.
    CrossDialect,
    /// A reply.
    Reply,
}

/// Why a block cannot be encoded: the note's rule and description, or `None`.
pub(super) fn unsupported_reason(
    block: &Verbatim<Block>,
    mode: EncodeMode,
) -> Option<(&'static str, String)> {
    if block.text_for(ID).is_some() { None } else { unsupported_body_reason(block, mode) }
}

/// Like [`unsupported_reason`], for a block without its original text.
pub(super) fn unsupported_body_reason(
    block: &Block,
    mode: EncodeMode,
) -> Option<(&'static str, String)> {
    let no_block = |message: String| Some((note::NO_SUCH_BLOCK, message));
    match &block.content {
        BlockContent::Reasoning(thinking) => {
            let is_supported = match block.seal.as_deref() {
                Some(seal) => {
                    let has_text =
                        thinking.form != ReasoningForm::Redacted && !thinking.text.is_empty();
                    is_own_seal(seal) || (mode == EncodeMode::Reply && has_text)
                }
                None => {
                    mode != EncodeMode::CrossDialect && thinking.form != ReasoningForm::Redacted
                }
            };
            let message = "left out reasoning without a seal of this provider";
            (!is_supported).then(|| (note::FOREIGN_SEAL, message.into()))
        }
        BlockContent::Media(media) => {
            media::unsupported_reason(media, &block.extras, mode).and_then(no_block)
        }
        BlockContent::Foreign { dialect, kind, .. } if *dialect != ID => {
            no_block(format!("left out a `{kind}` block of {dialect}"))
        }
        BlockContent::ToolResult(_) if mode == EncodeMode::Reply => {
            no_block("left out a tool result inside a reply".into())
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => None,
    }
}

pub(super) fn is_own_seal(seal: &Seal) -> bool {
    seal.origin.issuer == ISSUER
}

/// Encodes a block without an [`unsupported_reason`], and the cache point after it.
pub(super) fn encode_block(
    block: &Verbatim<Block>,
    mode: EncodeMode,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
    } else {
        note_dropped_extras(&block.extras, path, ledger);
        let is_thinking = matches!(block.content, BlockContent::Reasoning(_));
        if block.seal.as_deref().is_some_and(|seal| !is_thinking || !is_own_seal(seal)) {
            let message = "left out a seal: only its issuer can verify it";
            ledger.record_loss(note::FOREIGN_SEAL, path, message);
        }
        encode_body(block, mode, path, ledger, out.item());
    }
    if let Some(cache) = &block.cache_breakpoint {
        encode_cache_point(cache, path, ledger, out);
    }
}

fn encode_body(
    block: &Block,
    mode: EncodeMode,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut JsonWriter,
) {
    match &block.content {
        BlockContent::Text { text, citations } if citations.is_empty() => encode_text(text, out),
        BlockContent::Text { text, citations } => {
            let has_original =
                citations.iter().any(|citation| citation::original_json(citation).is_some());
            if has_original || mode == EncodeMode::Reply {
                citation::note_reduced_citations(citations, path, ledger);
                out.object(|o| {
                    o.object("citationsContent", |o| {
                        citation::encode_citations_content(text, citations, o);
                        block.extras.write(ID, o);
                    });
                });
            } else {
                ledger.record_loss(
                    note::CITATION_REDUCED,
                    path,
                    "left out the citations of a text",
                );
                encode_text(text, out);
            }
        }
        BlockContent::Refusal(text) => {
            ledger.record_change(note::NO_SUCH_BLOCK, path, "a refusal is encoded as text");
            encode_text(text, out);
        }
        BlockContent::Reasoning(thinking) => {
            let seal = block.seal.as_deref().filter(|seal| is_own_seal(seal));
            out.object(|o| {
                o.object("reasoningContent", |o| match (thinking.form, seal) {
                    (ReasoningForm::Redacted, Some(seal)) => {
                        o.json_string("redactedContent", &seal.data);
                    }
                    _ => o.object("reasoningText", |o| {
                        o.json_string("text", &thinking.text);
                        o.json_string_opt("signature", seal.map(|seal| &seal.data));
                        block.extras.write(ID, o);
                    }),
                });
            });
        }
        BlockContent::Media(media) => {
            out.object(|o| media::encode_media(media, &block.extras, path, ledger, o));
        }
        BlockContent::Json(json) => {
            ledger.record_change(
                note::NO_SUCH_BLOCK,
                path,
                "JSON data outside a result is encoded as text",
            );
            encode_text(&JsonString::new(json.as_str()), out);
        }
        BlockContent::ToolCall(call) => out.object(|o| {
            o.object("toolUse", |o| encode_tool_use(call, &block.extras, mode, path, ledger, o));
        }),
        BlockContent::ToolResult(result) => out.object(|o| {
            o.object("toolResult", |o| {
                encode_tool_result(result, &block.extras, mode, path, ledger, o);
            });
        }),
        BlockContent::Foreign { json, .. } => out.json(json),
    }
}

pub(super) fn encode_text(text: &JsonString, out: &mut JsonWriter) {
    out.object(|o| o.json_string("text", text));
}

fn encode_tool_use(
    call: &ToolCall,
    extras: &Extras,
    mode: EncodeMode,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.json_string("toolUseId", &call.id);
    o.json_string("name", &call.name);
    let as_object = if mode == EncodeMode::Reply {
        arguments::reply_args_object
    } else {
        arguments::request_args_object
    };
    let (input, wrap_note) = as_object(&call.args);
    o.json("input", &input);
    if let Some(message) = wrap_note {
        ledger.record_change(note::ARGS_WRAPPED, path, message);
    }
    extras.write(ID, o);
}

fn encode_tool_result(
    result: &ToolResult,
    extras: &Extras,
    mode: EncodeMode,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.json_string("toolUseId", &result.call_id);
    o.array("content", |a| {
        for block in &result.content {
            encode_tool_result_block(block, mode, path, ledger, a);
        }
    });
    if result.is_error {
        o.static_str("status", "error");
    }
    extras.write(ID, o);
}

/// Encodes one block of a tool result: text, JSON, an image, a document or a video.
fn encode_tool_result_block(
    block: &Verbatim<Block>,
    mode: EncodeMode,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    if block.cache_breakpoint.is_some() {
        ledger.record_loss(
            note::NO_SUCH_CACHE,
            path,
            "left out a cache breakpoint inside a result",
        );
    }
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
        return;
    }
    let mut left_out =
        |message: &'static str| ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
    match &block.content {
        // The API treats a null union field as missing.
        BlockContent::Json(json) if *json == RawJson::NULL => {
            encode_text(&JsonString::new(json.as_str()), out.item());
        }
        BlockContent::Json(json) => out.object(|o| o.json("json", json)),
        BlockContent::Text { text, citations } => {
            if !citations.is_empty() {
                ledger.record_loss(
                    note::CITATION_REDUCED,
                    path,
                    "left out the citations of a text",
                );
            }
            encode_text(text, out.item());
            note_dropped_extras(&block.extras, path, ledger);
        }
        BlockContent::Reasoning(_) => left_out("left out reasoning inside a result"),
        BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => {
            left_out("left out a call inside a result");
        }
        BlockContent::Media(media) if media.kind == MediaKind::Audio => {
            left_out("left out audio inside a result");
        }
        BlockContent::Refusal(_) | BlockContent::Media(_) | BlockContent::Foreign { .. } => {
            if let Some((rule, description)) = unsupported_reason(block, mode) {
                ledger.record_loss(rule, path, description);
                if let BlockContent::Media(media) = &block.content {
                    encode_text(&media::placeholder_text(media), out.item());
                }
            } else {
                note_dropped_extras(&block.extras, path, ledger);
                encode_body(block, mode, path, ledger, out.item());
            }
        }
    }
}

pub(super) fn encode_cache_point(
    cache: &CacheBreakpoint,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    let ttl = cache.ttl.as_ref();
    let supported_ttl = ttl.filter(|ttl| *ttl == "5m" || *ttl == "1h");
    if let (Some(ttl), None) = (ttl, supported_ttl) {
        let message =
            format!("the cache lifetime `{ttl}` is dropped: the provider's default applies");
        ledger.record_change(note::SETTING_CONVERTED, path, message);
    }
    out.object(|o| {
        o.object("cachePoint", |o| {
            o.static_str("type", "default");
            o.json_string_opt("ttl", supported_ttl);
        });
    });
}

/// Notes dropped fields of another dialect, unless they carry no information.
pub(super) fn note_dropped_extras(extras: &Extras, path: LedgerPath, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.as_parts().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let is_significant = |key: &JsonString, value: &RawJson| {
        *value != RawJson::NULL
            && key != "index"
            && !(key == "status" && value.as_str() == "\"completed\"")
    };
    let keys: Vec<String> = fields
        .iter()
        .filter(|(key, value)| is_significant(key, value))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !keys.is_empty() {
        let message = format!("left out {} of {dialect}", keys.join(", "));
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}
