//! Decodes messages written in the Chat Completions shape: `tool_calls` as a message field and tool
//! results as messages with `tool_call_id`.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, ToolArgs, ToolCall, ToolResult, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString};

use super::decode::note_odd_input;

pub(super) fn decode_chat_tool_calls(
    list: JsonNode<'_>,
    path: LedgerPath,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    for call in list.items() {
        let inner = call.get("function").unwrap_or(call);
        let (Some(id), Some(name)) = (
            call.get("id").and_then(JsonNode::json_string),
            inner.get("name").and_then(JsonNode::json_string),
        ) else {
            continue;
        };
        let args = match inner.get("arguments") {
            Some(text) if text.is_string() => {
                ToolArgs::from_json_string(&text.json_string().unwrap_or_default())
            }
            Some(json) => ToolArgs::Json(json.json()),
            None => ToolArgs::Malformed(JsonString::EMPTY),
        };
        blocks.push(Block::new(BlockContent::ToolCall(ToolCall { id, name, args })).into());
    }
    note_odd_input(ledger, path, "`tool_calls` are decoded as `tool_use` blocks");
}

/// Wraps the content of a message with `tool_call_id` into the result of that call.
pub(super) fn decode_chat_tool_message(
    call: JsonNode<'_>,
    path: LedgerPath,
    content: Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    note_odd_input(ledger, path, "a message with `tool_call_id` is decoded as a tool result");
    let call = call.json_string().unwrap_or_default();
    let result = ToolResult { call_id: call, name: None, content, is_error: false };
    vec![Block::new(BlockContent::ToolResult(result)).into()]
}
