//! Decodes what several kinds of values share.

use std::borrow::Cow;

use interlingua_model::{Block, BlockContent, CacheBreakpoint, Ledger, LedgerPath};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::anthropic::id::ID;
use crate::note;

/// Decodes a block type that only this dialect has, with its cache breakpoint.
pub(super) fn decode_foreign(node: JsonNode<'_>) -> Block {
    let kind = node.get("type").and_then(JsonNode::json_string).unwrap_or_default();
    let mut block = Block::new(BlockContent::Foreign { dialect: ID, kind, json: node.json() });
    block.cache_breakpoint = node.get("cache_control").and_then(decode_cache_control);
    block
}

/// Stores a field that any block may have, or an unknown one as an extra.
pub(super) fn keep_common_field(block: &mut Block, field: Field<'_>) {
    match &*field.key() {
        "type" => {}
        "cache_control" => {
            block.cache_breakpoint = decode_cache_control(field.value);
            if !is_lossless_cache_control(field.value) {
                block.extras.push_field(ID, field);
            }
        }
        _ => block.extras.push_field(ID, field),
    }
}

pub(crate) fn decode_cache_control(node: JsonNode<'_>) -> Option<Box<CacheBreakpoint>> {
    node.is_object()
        .then(|| Box::new(CacheBreakpoint { ttl: node.get("ttl").and_then(JsonNode::json_string) }))
}

/// Returns whether the model can hold every field of this `cache_control`.
pub(super) fn is_lossless_cache_control(node: JsonNode<'_>) -> bool {
    node.is_null()
        || node.get("type").is_some()
            && node.fields().all(|field| match &*field.key() {
                "type" => field.value.str_or_empty() == "ephemeral",
                "ttl" => field.value.is_string(),
                _ => false,
            })
}

/// Decodes a string. Any other value is kept as its JSON text, so that nothing is lost.
pub(super) fn decode_string(
    node: Option<JsonNode<'_>>,
    key: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> JsonString {
    match node {
        Some(node) if node.is_string() => node.json_string().unwrap_or_default(),
        Some(node) if !node.is_null() => {
            note_odd_input(ledger, path, format!("`{key}` is not a string"));
            JsonString::new(node.raw())
        }
        _ => {
            note_odd_input(ledger, path, format!("`{key}` is missing"));
            JsonString::EMPTY
        }
    }
}

pub(super) fn non_null_json(node: JsonNode<'_>) -> Option<RawJson> {
    (!node.is_null()).then(|| node.json())
}

pub(crate) fn note_odd_input(
    ledger: &mut Ledger,
    path: LedgerPath,
    message: impl Into<Cow<'static, str>>,
) {
    ledger.record_change(note::ODD_INPUT, path, message);
}
