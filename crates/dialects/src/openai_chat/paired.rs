//! Decodes calls and results among content parts, where some relays put them in Anthropic's form.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerEntry, LedgerPath, ToolArgs, ToolCall, ToolResult, Verbatim,
};
use interlingua_wire::{JsonKind, JsonNode};

use super::parts::{self, note_odd_input};

/// Decodes a part that is a call or a result.
pub(super) fn decode_tool_part(
    node: JsonNode<'_>,
    kind: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Block> {
    let text = |key: &str| node.get(key).map(parts::text_or_raw).unwrap_or_default();
    let body = match kind {
        "tool_use" => {
            note_odd_input(ledger, path, "a `tool_use` part is decoded as a call");
            let args = match node.get("input").map(|input| (input, input.kind())) {
                Some((input, JsonKind::String)) => {
                    ToolArgs::from_json_string(&parts::text_or_raw(input))
                }
                Some((input, _)) => ToolArgs::Json(input.json()),
                None => ToolArgs::Malformed(text("arguments")),
            };
            BlockContent::ToolCall(ToolCall { id: text("id"), name: text("name"), args })
        }
        "tool_result" => {
            note_odd_input(ledger, path, "a `tool_result` part is decoded as a result");
            let mut content = Vec::new();
            parts::decode_content(node.get("content"), &mut content, path, ledger);
            let is_error = node.get("is_error").and_then(JsonNode::as_bool) == Some(true);
            BlockContent::ToolResult(ToolResult {
                call_id: text("tool_use_id"),
                name: None,
                content,
                is_error,
            })
        }
        _ => return None,
    };
    Some(Block::new(body))
}

/// Removes calls from the parts of a message that also has `tool_calls`. They are appended after
/// those, because seals refer to calls by position. Ledger entries about later parts are shifted.
pub(super) fn take_tool_calls(
    blocks: &mut Vec<Verbatim<Block>>,
    first: usize,
    calls: &[Verbatim<Block>],
    notes: &mut [LedgerEntry],
) -> Vec<Verbatim<Block>> {
    if calls.is_empty() {
        return Vec::new();
    }
    let is_call = |block: &Verbatim<Block>| matches!(block.content, BlockContent::ToolCall(_));
    let positions: Vec<usize> = (first..blocks.len()).filter(|at| is_call(&blocks[*at])).collect();
    for path in notes.iter_mut().map(|note| &mut note.path).filter(|_| !positions.is_empty()) {
        path.block = path.block.and_then(|block| {
            let removed_before = positions.binary_search(&(block as usize)).err()?;
            Some(block - removed_before as u32)
        });
    }
    blocks.extract_if(first.., |block| is_call(block)).collect()
}
