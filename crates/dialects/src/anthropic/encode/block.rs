//! Encodes blocks.

use interlingua_model::{
    Block, BlockContent, Citation, Ledger, LedgerPath, Reasoning, ReasoningForm, ToolCall,
    ToolResult, Verbatim,
};
use interlingua_wire::JsonString;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};

use super::context::{BlockParent, EncodeCx};
use super::fields::{encode_foreign, note_dropped_extras, write_common_fields};
use super::media;
use crate::anthropic::id::{ID, ISSUER};
use crate::common::tool_args;
use crate::note;

pub(crate) fn encode_block(
    block: &Verbatim<Block>,
    parent: BlockParent,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    if let Some(text) = block.text_for(ID) {
        out.item().json(text);
        return;
    }
    note_dropped_extras(&block.extras, path, cx.ledger);
    if !matches!(block.content, BlockContent::Reasoning(_)) {
        note_dropped_seal(block, path, cx.ledger);
    }
    match &block.content {
        // In a reply, an empty text block exists only to carry a foreign seal: drop it.
        BlockContent::Text { text, citations }
            if parent == BlockParent::Reply
                && block.seal.is_some()
                && text.is_empty()
                && citations.is_empty() => {}
        BlockContent::Text { text, citations } => {
            out.object(|o| encode_text(text, citations, block, path, cx, o));
        }
        BlockContent::Refusal(text) => {
            cx.ledger.record_change(note::NO_SUCH_BLOCK, path, "the refusal is encoded as text");
            out.object(|o| encode_text(text, &[], block, path, cx, o));
        }
        BlockContent::Json(json) => {
            out.object(|o| encode_text(&JsonString::new(json.as_str()), &[], block, path, cx, o));
        }
        BlockContent::Reasoning(content) => encode_thinking(content, block, parent, path, cx, out),
        BlockContent::Media(content) => match media::to_media_block(content, parent, path, cx) {
            Ok(media_block) => out.object(|o| {
                media_block.write(&block.extras, o, |blocks, a| {
                    for block in blocks {
                        encode_block(block, BlockParent::ToolResult, path, cx, a);
                    }
                });
                write_common_fields(block, path, cx, o);
            }),
            Err(message) => note_dropped_block(&message, path, cx.ledger),
        },
        BlockContent::ToolCall(call) => match parent {
            BlockParent::User | BlockParent::Assistant | BlockParent::Reply => {
                let is_reply = parent == BlockParent::Reply;
                out.object(|o| encode_tool_use(call, block, is_reply, path, cx, o));
            }
            BlockParent::System | BlockParent::ToolResult => {
                note_dropped_block("a call", path, cx.ledger);
            }
        },
        BlockContent::ToolResult(result) => match parent {
            BlockParent::User | BlockParent::Assistant => {
                out.object(|o| encode_tool_result(result, block, path, cx, o));
            }
            BlockParent::System | BlockParent::ToolResult | BlockParent::Reply => {
                note_dropped_block("a tool's result", path, cx.ledger);
            }
        },
        BlockContent::Foreign { dialect, json, .. } if *dialect == ID => {
            encode_foreign(json, block.cache_breakpoint.as_deref(), out);
        }
        BlockContent::Foreign { dialect, kind, .. } => {
            note_dropped_block(&format!("the `{kind}` of {dialect}"), path, cx.ledger);
        }
    }
}

fn encode_text(
    text: &JsonString,
    citations: &[Citation],
    block: &Block,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    o.static_str("type", "text");
    o.json_string("text", text);
    let has_original = |citation: &&Citation| matches!(citation.original, Some((ID, _)));
    let dropped_count = citations.iter().filter(|citation| !has_original(citation)).count();
    if dropped_count > 0 {
        let message =
            format!("left out {dropped_count} citations: their form is another dialect's");
        cx.ledger.record_loss(note::CITATION_REDUCED, path, message);
    }
    if dropped_count < citations.len() {
        o.array("citations", |a| {
            for (_, json) in citations
                .iter()
                .filter(has_original)
                .filter_map(|citation| citation.original.as_ref())
            {
                a.item().json(json);
            }
        });
    }
    write_common_fields(block, path, cx, o);
}

/// A request may contain only thinking that this provider signed. A reply contains all thinking
/// that has text, with an empty signature where another provider produced it.
fn encode_thinking(
    thinking: &Reasoning,
    block: &Block,
    parent: BlockParent,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let seal = block.seal.as_deref().filter(|seal| seal.origin.issuer == ISSUER);
    let is_allowed_here =
        matches!(parent, BlockParent::User | BlockParent::Assistant | BlockParent::Reply);
    if let Some(seal) = seal.filter(|_| is_allowed_here) {
        out.object(|o| {
            if thinking.form == ReasoningForm::Redacted {
                o.static_str("type", "redacted_thinking");
                o.json_string("data", &seal.data);
            } else {
                o.static_str("type", "thinking");
                o.json_string("thinking", &thinking.text);
                o.json_string("signature", &seal.data);
            }
            write_common_fields(block, path, cx, o);
        });
        return;
    }
    let has_seal = block.seal.is_some();
    if parent == BlockParent::Reply && !has_seal && thinking.text.is_empty() {
        return;
    }
    let allows_unsigned =
        cx.allows_unsigned_thinking && matches!(parent, BlockParent::User | BlockParent::Assistant);
    if allows_unsigned && !has_seal && thinking.form != ReasoningForm::Redacted {
        out.object(|o| {
            o.static_str("type", "thinking");
            o.json_string("thinking", &thinking.text);
            write_common_fields(block, path, cx, o);
        });
        return;
    }
    let is_shown = parent == BlockParent::Reply
        && thinking.form != ReasoningForm::Redacted
        && !(has_seal && thinking.text.is_empty());
    if is_shown {
        if has_seal {
            note_dropped_seal(block, path, cx.ledger);
        }
        out.object(|o| {
            o.static_str("type", "thinking");
            o.json_string("thinking", &thinking.text);
            o.static_str("signature", "");
            write_common_fields(block, path, cx, o);
        });
    } else {
        let message = "left out thinking that this provider did not sign";
        cx.ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
}

fn encode_tool_use(
    call: &ToolCall,
    block: &Block,
    is_reply: bool,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    o.static_str("type", "tool_use");
    o.json_string("id", &call.id);
    o.json_string("name", &call.name);
    let as_object =
        if is_reply { tool_args::reply_args_object } else { tool_args::request_args_object };
    let (input, wrap_note) = as_object(&call.args);
    o.json("input", &input);
    if let Some(message) = wrap_note {
        cx.ledger.record_change(note::ARGS_WRAPPED, path, message);
    }
    write_common_fields(block, path, cx, o);
}

fn encode_tool_result(
    result: &ToolResult,
    block: &Block,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    o.static_str("type", "tool_result");
    o.json_string("tool_use_id", &result.call_id);
    match result.content.as_slice() {
        [] if block.extras.get(ID, "content").is_some() => o.null("content"),
        [] => {}
        [inner] if is_plain_text(inner) => o.json_string_opt("content", inner.content.as_text()),
        blocks => o.array("content", |a| {
            for inner in blocks {
                encode_block(inner, BlockParent::ToolResult, path, cx, a);
            }
        }),
    }
    if result.is_error {
        o.boolean("is_error", true);
    }
    write_common_fields(block, path, cx, o);
}

/// Returns whether a bare string can express the whole block.
fn is_plain_text(block: &Verbatim<Block>) -> bool {
    block.text_for(ID).is_none()
        && block.cache_breakpoint.is_none()
        && block.extras.is_empty()
        && block.seal.is_none()
        && matches!(&block.content, BlockContent::Text { citations, .. } if citations.is_empty())
}

fn note_dropped_block(block_name: &str, path: LedgerPath, ledger: &mut Ledger) {
    let message = format!("left out {block_name}: no place for it");
    ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
}

/// Notes the seal of a block that is encoded without it.
pub(crate) fn note_dropped_seal(block: &Block, path: LedgerPath, ledger: &mut Ledger) {
    if let Some(seal) = &block.seal {
        let message = format!("left out the seal of {}", seal.origin.issuer);
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
}
