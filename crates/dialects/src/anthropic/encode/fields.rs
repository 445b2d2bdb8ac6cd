//! Encodes what several kinds of values share.

use interlingua_model::{Block, CacheBreakpoint, Extras, Ledger, LedgerPath};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::context::EncodeCx;
use crate::anthropic::decode::fields;
use crate::anthropic::id::ID;
use crate::common::dropped_extras::dropped_names;
use crate::note;

/// Encodes a foreign block. Its cache breakpoint is rewritten only if it changed since decoding.
pub(super) fn encode_foreign(
    json: &interlingua_wire::RawJson,
    cache: Option<&CacheBreakpoint>,
    out: &mut ArrayWriter<'_>,
) {
    let doc = json.to_doc();
    let original_cache = doc.root().get("cache_control").and_then(fields::decode_cache_control);
    if original_cache.as_deref() == cache {
        out.item().json(json);
        return;
    }
    out.object(|o| {
        for field in doc.root().fields().filter(|field| !field.key_is("cache_control")) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        if let Some(cache) = cache {
            write_cache_control(cache, o);
        }
    });
}

/// Writes the fields that any block may have: the cache breakpoint and this dialect's extras.
pub(super) fn write_common_fields(
    block: &Block,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    write_cache_and_extras(block.cache_breakpoint.as_deref(), &block.extras, path, cx, o);
}

pub(super) fn write_cache_and_extras(
    cache: Option<&CacheBreakpoint>,
    extras: &Extras,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    o: &mut ObjectWriter<'_>,
) {
    match (cache, extras.get(ID, "cache_control")) {
        (Some(_), Some(original)) => o.json("cache_control", original),
        (Some(cache), None) if cx.same_dialect => write_cache_control(cache, o),
        (Some(cache), None) => write_cache_control(&convert_cache_ttl(cache, path, cx.ledger), o),
        (None, _) => {}
    }
    // These keys are written by their own encoders.
    let is_written_elsewhere = |key: &JsonString| {
        ["cache_control", "content", "source"].iter().any(|reserved| key == reserved)
    };
    for (key, value) in extras.fields_for(ID).iter().filter(|(key, _)| !is_written_elsewhere(key)) {
        o.key_json_string(key).json(value);
    }
}

fn write_cache_control(cache: &CacheBreakpoint, o: &mut ObjectWriter<'_>) {
    o.object("cache_control", |o| {
        o.static_str("type", "ephemeral");
        o.json_string_opt("ttl", cache.ttl.as_ref());
    });
}

/// The API accepts only the cache lifetimes `5m` and `1h`.
fn convert_cache_ttl(
    cache: &CacheBreakpoint,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> CacheBreakpoint {
    let ttl = match cache.ttl.as_ref() {
        None => None,
        Some(ttl) if *ttl == "5m" || *ttl == "1h" => Some(ttl.clone()),
        Some(ttl) => {
            let supported_ttl = JsonString::from_static("1h");
            ledger.record_change(
                note::SETTING_CONVERTED,
                path,
                format!("the cache lifetime {ttl} is converted to 1h"),
            );
            Some(supported_ttl)
        }
    };
    CacheBreakpoint { ttl }
}

/// Notes dropped fields of another dialect, except empty values and identifiers.
pub(crate) fn note_dropped_extras(extras: &Extras, path: LedgerPath, ledger: &mut Ledger) {
    let is_ignored = |key: &JsonString, value: &RawJson| {
        matches!(value.as_str(), "[]" | "{}" | "\"completed\"")
            || IGNORED_KEYS.iter().any(|ignored| *key == **ignored)
    };
    if let Some((dialect, names)) = dropped_names(extras, ID, is_ignored) {
        let message = format!("left out {names} of {dialect}");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}

/// Fields that are only identifiers inside their own dialect: their loss is not noted.
const IGNORED_KEYS: &[&str] = &["index", "id", "object"];
