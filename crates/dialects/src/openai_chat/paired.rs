//! Calls and results among the parts of a content, where relays put them as another dialect does.

use interlingua_model::{Args, Block, Body, Entry, Ledger, Place, ToolCall, ToolResult, Verbatim};
use interlingua_wire::{Kind, Node};

use super::parts::{self, odd};

/// A part that is a call or a result.
pub(super) fn decode(
    node: Node<'_>,
    kind: &str,
    place: Place,
    ledger: &mut Ledger,
) -> Option<Block> {
    let text = |key: &str| node.get(key).map(parts::text_of).unwrap_or_default();
    let body = match kind {
        "tool_use" => {
            odd(ledger, place, "a part that is a call is read as one");
            let args = match node.get("input").map(|input| (input, input.kind())) {
                Some((input, Kind::String)) => Args::from_text(&parts::text_of(input)),
                Some((input, _)) => Args::Json(input.json()),
                None => Args::Malformed(text("arguments")),
            };
            Body::ToolCall(ToolCall { id: text("id"), name: text("name"), args })
        }
        "tool_result" => {
            odd(ledger, place, "a part that is a result is read as one");
            let mut content = Vec::new();
            parts::content(node.get("content"), &mut content, place, ledger);
            let is_error = node.get("is_error").and_then(Node::boolean) == Some(true);
            Body::ToolResult(ToolResult {
                call: text("tool_use_id"),
                name: None,
                content,
                is_error,
            })
        }
        _ => return None,
    };
    Some(Block::new(body))
}

/// Takes calls from among the parts of a message that has a list of calls: they come after those, whose
/// seals count their places. Notes on what stands after them are about one place less.
pub(super) fn take_calls(
    blocks: &mut Vec<Verbatim<Block>>,
    first: usize,
    calls: &[Verbatim<Block>],
    notes: &mut [Entry],
) -> Vec<Verbatim<Block>> {
    if calls.is_empty() {
        return Vec::new();
    }
    let is_call = |block: &Verbatim<Block>| matches!(block.body, Body::ToolCall(_));
    let places: Vec<usize> = (first..blocks.len()).filter(|at| is_call(&blocks[*at])).collect();
    for place in notes.iter_mut().map(|note| &mut note.place).filter(|_| !places.is_empty()) {
        place.block = place.block.and_then(|block| {
            let before = places.binary_search(&(block as usize)).err()?;
            Some(block - before as u32)
        });
    }
    blocks.extract_if(first.., |block| is_call(block)).collect()
}
