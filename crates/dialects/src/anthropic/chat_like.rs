//! Messages that a client wrote in the manner of chat completions: calls in a field of their own, and
//! results in messages of a role of their own.

use interlingua_model::{Args, Block, Body, Ledger, Place, ToolCall, ToolResult, Verbatim};
use interlingua_wire::{Node, Text};

use super::decode::odd;

/// Adds the calls of a list of calls to the blocks of a message.
pub(super) fn calls(
    list: Node<'_>,
    place: Place,
    blocks: &mut Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) {
    for call in list.items() {
        let inner = call.get("function").unwrap_or(call);
        let (Some(id), Some(name)) =
            (call.get("id").and_then(Node::text), inner.get("name").and_then(Node::text))
        else {
            continue;
        };
        let args = match inner.get("arguments") {
            Some(text) if text.is_string() => Args::from_text(&text.text().unwrap_or_default()),
            Some(json) => Args::Json(json.json()),
            None => Args::Malformed(Text::EMPTY),
        };
        blocks.push(Block::new(Body::ToolCall(ToolCall { id, name, args })).into());
    }
    odd(ledger, place, "the calls of `tool_calls` are read as calls");
}

/// What a message of a tool says is the result of the call it names.
pub(super) fn result(
    call: Node<'_>,
    place: Place,
    content: Vec<Verbatim<Block>>,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    odd(ledger, place, "a message of a tool is read as the result of its call");
    let call = call.text().unwrap_or_default();
    let result = ToolResult { call, name: None, content, is_error: false };
    vec![Block::new(Body::ToolResult(result)).into()]
}
