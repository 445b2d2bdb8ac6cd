//! Encodes blocks.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, MediaKind, ReasoningForm, Seal, ToolCall,
    ToolResult, Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, JsonWriter, RawJson};

use super::context::EncodeCx;
use super::fields::{encode_cache_point, note_dropped_extras};
use super::media;
use crate::bedrock::citation;
use crate::bedrock::id::{ID, ISSUER};
use crate::common::tool_args;
use crate::note;

/// Why a block cannot be encoded: the note's rule and description, or `None`.
pub(crate) fn unsupported_reason(
    block: &Verbatim<Block>,
    cx: EncodeCx,
) -> Option<(&'static str, String)> {
    if block.text_for(ID).is_some() { None } else { unsupported_body_reason(block, cx) }
}

/// Like [`unsupported_reason`], for a block without its original text.
pub(crate) fn unsupported_body_reason(
    block: &Block,
    cx: EncodeCx,
) -> Option<(&'static str, String)> {
    let no_block = |message: String| Some((note::NO_SUCH_BLOCK, message));
    match &block.content {
        BlockContent::Reasoning(thinking) => {
            let is_supported = match block.seal.as_deref() {
                Some(seal) => {
                    let has_text =
                        thinking.form != ReasoningForm::Redacted && !thinking.text.is_empty();
                    is_own_seal(seal) || (cx == EncodeCx::Reply && has_text)
                }
                None => cx != EncodeCx::CrossDialect && thinking.form != ReasoningForm::Redacted,
            };
            let message = "left out reasoning without a seal of this provider";
            (!is_supported).then(|| (note::FOREIGN_SEAL, message.into()))
        }
        BlockContent::Media(media) => {
            media::unsupported_reason(media, &block.extras, cx).and_then(no_block)
        }
        BlockContent::Foreign { dialect, kind, .. } if *dialect != ID => {
            no_block(format!("left out a `{kind}` block of {dialect}"))
        }
        BlockContent::ToolResult(_) if cx == EncodeCx::Reply => {
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

pub(crate) fn is_own_seal(seal: &Seal) -> bool {
    seal.origin.issuer == ISSUER
}

/// Encodes a block without an [`unsupported_reason`], and the cache point after it.
pub(crate) fn encode_block(
    block: &Verbatim<Block>,
    cx: EncodeCx,
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
        encode_body(block, cx, path, ledger, out.item());
    }
    if let Some(cache) = &block.cache_breakpoint {
        encode_cache_point(cache, path, ledger, out);
    }
}

fn encode_body(
    block: &Block,
    cx: EncodeCx,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut JsonWriter,
) {
    match &block.content {
        BlockContent::Text { text, citations } if citations.is_empty() => encode_text(text, out),
        BlockContent::Text { text, citations } => {
            let has_original =
                citations.iter().any(|citation| citation::original_json(citation).is_some());
            if has_original || cx == EncodeCx::Reply {
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
            o.object("toolUse", |o| encode_tool_use(call, &block.extras, cx, path, ledger, o));
        }),
        BlockContent::ToolResult(result) => out.object(|o| {
            o.object("toolResult", |o| {
                encode_tool_result(result, &block.extras, cx, path, ledger, o);
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
    cx: EncodeCx,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.json_string("toolUseId", &call.id);
    o.json_string("name", &call.name);
    let as_object = if cx == EncodeCx::Reply {
        tool_args::reply_args_object
    } else {
        tool_args::request_args_object
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
    cx: EncodeCx,
    path: LedgerPath,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    o.json_string("toolUseId", &result.call_id);
    o.array("content", |a| {
        for block in &result.content {
            encode_tool_result_block(block, cx, path, ledger, a);
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
    cx: EncodeCx,
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
            if let Some((rule, description)) = unsupported_reason(block, cx) {
                ledger.record_loss(rule, path, description);
                if let BlockContent::Media(media) = &block.content {
                    encode_text(&media::placeholder_text(media), out.item());
                }
            } else {
                note_dropped_extras(&block.extras, path, ledger);
                encode_body(block, cx, path, ledger, out.item());
            }
        }
    }
}
