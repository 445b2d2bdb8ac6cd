//! Encodes tool calls.

use interlingua_model::{
    Block, BlockContent, LedgerPath, Seal, Spelling, ToolArgs, ToolCall, Verbatim,
};
use interlingua_providers::spelling::openai_chat::Capability;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use crate::note;
use crate::openai_chat::id::ID;
use crate::openai_chat::reasoning_details::GOOGLE;

/// Writes the seal where [`decode_google_signature`] reads it.
pub(crate) fn write_google_signature(seal: &Seal, o: &mut ObjectWriter<'_>) {
    o.object("extra_content", |o| {
        o.object("google", |o| o.json_string("thought_signature", &seal.data));
    });
}

/// Encodes the calls of one message. A single legacy call is written as `function_call` again.
pub(super) fn encode_tool_calls(
    calls: &[(LedgerPath, &Verbatim<Block>)],
    o: &mut ObjectWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    let is_legacy = |block: &Block| block.extras.has(ID, Spelling::LegacyForm);
    let mut legacy_calls = calls.iter().filter(|(_, block)| is_legacy(block));
    let (first_legacy, second_legacy) = (legacy_calls.next(), legacy_calls.next());
    if let (Some((_, block)), None) = (first_legacy, second_legacy) {
        match (block.text_for(ID), &block.content) {
            (Some(text), _) => o.json("function_call", text),
            (None, BlockContent::ToolCall(call)) => o.object("function_call", |o| {
                o.json_string("name", &call.name);
                o.json_string("arguments", &call.args.to_json_string());
            }),
            (None, _) => {}
        }
    }
    let writes_as_legacy = |block: &Block| is_legacy(block) && second_legacy.is_none();
    if calls.iter().all(|(_, block)| writes_as_legacy(block)) {
        return;
    }
    o.array("tool_calls", |a| {
        for (path, block) in calls.iter().filter(|(_, block)| !writes_as_legacy(block)) {
            match block.text_for(ID).filter(|_| !is_legacy(block)) {
                Some(text) => a.item().json(text),
                None => encode_tool_call(block, *path, a, cx),
            }
        }
    });
}

fn encode_tool_call(
    block: &Block,
    path: LedgerPath,
    out: &mut ArrayWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    let call = match &block.content {
        BlockContent::ToolCall(call) => call,
        BlockContent::Foreign { json, .. } => return out.item().json(json),
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolResult(_) => return,
    };
    let args = convert_args(call, path, cx);
    out.object(|o| {
        write_tool_call(call, args.as_ref(), o);
        let mut is_signed = false;
        if let Some(seal) = block.seal.as_deref() {
            is_signed = cx.flavor.has(Capability::GoogleSignature) && seal.origin.issuer == GOOGLE;
            if is_signed {
                write_google_signature(seal, o);
            } else if !cx.writes_reasoning_details() {
                cx.note_dropped_seal(path);
            }
        }
        for (key, value) in block.extras.fields_for(ID) {
            if !(is_signed && key == "extra_content") {
                o.key_json_string(key).json(value);
            }
        }
    });
    if block.cache_breakpoint.is_some() {
        cx.note_dropped_cache(path);
    }
    cx.note_dropped_extras(&block.extras, path);
}

/// Writes the fields of an entry; `converted` are the arguments, if they differ from the call's.
pub(crate) fn write_tool_call(
    call: &ToolCall,
    converted: Option<&JsonString>,
    o: &mut ObjectWriter<'_>,
) {
    o.json_string("id", &call.id);
    if let (ToolArgs::Freeform(input), None) = (&call.args, converted) {
        o.static_str("type", "custom");
        o.object("custom", |o| {
            o.json_string("name", &call.name);
            o.json_string("input", input);
        });
        return;
    }
    o.static_str("type", "function");
    o.object("function", |o| {
        o.json_string("name", &call.name);
        match (&call.args, converted) {
            (ToolArgs::Json(json), None) => o.key("arguments").str(json.as_str()),
            (ToolArgs::Malformed(text) | ToolArgs::Freeform(text), None) | (_, Some(text)) => {
                o.json_string("arguments", text);
            }
        }
    });
}

/// Converts the arguments to a form that the server accepts; `None` if no conversion is needed.
fn convert_args(call: &ToolCall, path: LedgerPath, cx: &mut EncodeCx<'_>) -> Option<JsonString> {
    let wrap = |key: &'static str, text: &JsonString| {
        JsonString::new(RawJson::object(|o| o.json_string(key, text)).as_str())
    };
    match &call.args {
        ToolArgs::Freeform(_) if cx.flavor.has(Capability::CustomTools) => None,
        ToolArgs::Freeform(input) => Some(wrap("input", input)),
        ToolArgs::Json(json) if json.is_object() => None,
        ToolArgs::Json(_) | ToolArgs::Malformed(_)
            if cx.flavor.has(Capability::NonJsonArguments) =>
        {
            None
        }
        ToolArgs::Json(json) => {
            cx.ledger.record_change(
                note::ARGS_WRAPPED,
                path,
                "arguments that are not an object are wrapped in one",
            );
            Some(JsonString::new(RawJson::object(|o| o.json("_raw", json)).as_str()))
        }
        ToolArgs::Malformed(text) if text.is_blank() => {
            cx.ledger.record_change(
                note::ARGS_WRAPPED,
                path,
                "missing arguments are written as {}",
            );
            Some(JsonString::from_static("{}"))
        }
        ToolArgs::Malformed(text) => {
            cx.ledger.record_change(
                note::ARGS_WRAPPED,
                path,
                "arguments that are not JSON are wrapped in an object",
            );
            Some(wrap("_raw", text))
        }
    }
}
