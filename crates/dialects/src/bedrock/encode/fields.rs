//! Encodes what several kinds of values share.

use interlingua_model::{CacheBreakpoint, Extras, Ledger, LedgerPath};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonString, RawJson};

use crate::bedrock::id::ID;
use crate::common::dropped_extras::dropped_names;
use crate::note;

pub(super) fn encode_cache_point(
    cache: &CacheBreakpoint,
    path: LedgerPath,
    ledger: &mut Ledger,
    out: &mut ArrayWriter<'_>,
) {
    let ttl = cache.ttl.as_ref();
    let supported_ttl = ttl.filter(|ttl| *ttl == "5m" || *ttl == "1h");
    if let (Some(ttl), None) = (ttl, supported_ttl) {
        let message =
            format!("the cache lifetime `{ttl}` is dropped: the provider's default applies");
        ledger.record_change(note::SETTING_CONVERTED, path, message);
    }
    out.object(|o| {
        o.object("cachePoint", |o| {
            o.static_str("type", "default");
            o.json_string_opt("ttl", supported_ttl);
        });
    });
}

/// Notes dropped fields of another dialect, unless they carry no information.
pub(crate) fn note_dropped_extras(extras: &Extras, path: LedgerPath, ledger: &mut Ledger) {
    let is_ignored = |key: &JsonString, value: &RawJson| {
        key == "index" || key == "status" && value.as_str() == "\"completed\""
    };
    if let Some((dialect, names)) = dropped_names(extras, ID, is_ignored) {
        let message = format!("left out {names} of {dialect}");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}
