//! Decodes what several kinds of values share.

use interlingua_model::{Block, BlockContent, CacheBreakpoint, Ledger, LedgerPath};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::note;
use crate::openai_chat::id::ID;

/// A part, entry or item that only this dialect has.
pub(crate) fn foreign_block(node: JsonNode<'_>, kind: JsonString) -> Block {
    Block::new(BlockContent::Foreign { dialect: ID, kind, json: node.json() })
}

/// Decodes a cache breakpoint in either spelling of this dialect.
pub(super) fn decode_cache_breakpoint(node: JsonNode<'_>) -> Option<Box<CacheBreakpoint>> {
    let breakpoints = node.get_many(["cache_control", "prompt_cache_breakpoint"]);
    let breakpoint = breakpoints.into_iter().flatten().find(|breakpoint| breakpoint.is_object())?;
    Some(Box::new(CacheBreakpoint { ttl: breakpoint.get("ttl").and_then(JsonNode::json_string) }))
}

/// The text of a field that should be a string; any other value as its JSON.
pub(crate) fn text_or_raw(node: JsonNode<'_>) -> JsonString {
    node.json_string().unwrap_or_else(|| JsonString::new(node.raw()))
}

pub(crate) fn note_odd_input(ledger: &mut Ledger, path: LedgerPath, message: &'static str) {
    ledger.record_change(note::ODD_INPUT, path, message);
}

pub(super) fn non_null_json(node: Option<JsonNode<'_>>) -> Option<RawJson> {
    node.filter(|node| !node.is_null()).map(JsonNode::json)
}
