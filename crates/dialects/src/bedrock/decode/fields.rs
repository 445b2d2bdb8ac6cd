//! Decodes what several kinds of values share.

use interlingua_model::{Block, CacheBreakpoint, Ledger, LedgerPath};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::bedrock::id::ID;
use crate::note;

/// Finds the `cachePoint` of an item, if that is the first of the union keys in it.
pub(super) fn find_cache_point<'d>(
    item: JsonNode<'d>,
    kinds: &[&str],
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<JsonNode<'d>> {
    let is_union_key = |field: &Field<'_>| !field.value.is_null() && kinds.contains(&&*field.key());
    let mut fields = item.fields().filter(is_union_key);
    let field = fields.next().filter(|field| field.key_is("cachePoint"))?;
    if fields.next().is_some() {
        ledger.record_loss(
            note::ODD_INPUT,
            path,
            "a block of several kinds is read as `cachePoint`",
        );
    }
    Some(field.value)
}

/// Decodes a cache point into a cache breakpoint. The only type is `default`; an unknown lifetime
/// is dropped.
pub(super) fn decode_cache_point(
    point: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> CacheBreakpoint {
    if point.get("type").map(JsonNode::str_or_empty).as_deref() != Some("default") {
        ledger.record_change(note::ODD_INPUT, path, "the cache point has an unknown type");
    }
    let ttl = point.get("ttl").filter(|ttl| !ttl.is_null());
    let supported_ttl =
        ttl.and_then(JsonNode::json_string).filter(|ttl| *ttl == "5m" || *ttl == "1h");
    if ttl.is_some() && supported_ttl.is_none() {
        ledger.record_change(note::ODD_INPUT, path, "the cache point has an unknown lifetime");
    }
    CacheBreakpoint { ttl: supported_ttl }
}

pub(super) fn single_field_object(field: Field<'_>) -> RawJson {
    RawJson::object(|o| o.key_json_string(&field.key_json_string()).json(&field.value.json()))
}

pub(crate) fn keep_unknown_fields(node: JsonNode<'_>, known: &[&str], block: &mut Block) {
    for field in node.fields().filter(|field| !known.contains(&&*field.key())) {
        block.extras.push_field(ID, field);
    }
}

pub(crate) fn text_or_raw(node: JsonNode<'_>) -> JsonString {
    node.json_string().unwrap_or_else(|| JsonString::new(node.raw()))
}
