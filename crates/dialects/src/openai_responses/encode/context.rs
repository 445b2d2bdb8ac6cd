//! What the encoders of one body share.

use interlingua_model::{Block, Extras, Ledger, LedgerPath};
use interlingua_wire::{JsonKind, JsonString, RawJson};

use crate::note;
use crate::openai_responses::id::ID;

/// Encoder context of a block: its path, and whether the request arrived in this dialect.
#[derive(Clone, Copy)]
pub(crate) struct EncodeCx {
    pub(crate) path: LedgerPath,
    pub(crate) same_dialect: bool,
}

/// Notes attributes of a block that are not encoded.
pub(crate) fn note_dropped_attributes(block: &Block, cx: EncodeCx, ledger: &mut Ledger) {
    let path = cx.path;
    note_dropped_extras(&block.extras, path, ledger);
    if let Some(seal) = &block.seal {
        let message = format!("left out the seal of {}", seal.origin.issuer);
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
    if block.cache_breakpoint.is_some() && !cx.same_dialect {
        ledger.record_loss(note::NO_SUCH_CACHE, path, "left out a cache breakpoint");
    }
}

/// Notes dropped fields of another dialect.
pub(crate) fn note_dropped_extras(extras: &Extras, path: LedgerPath, ledger: &mut Ledger) {
    let Some((dialect, fields)) = extras.as_parts().filter(|(dialect, _)| *dialect != ID) else {
        return;
    };
    let is_significant = |(key, value): &&(JsonString, RawJson)| {
        value.kind() != JsonKind::Null && !IGNORED_KEYS.contains(&key.raw())
    };
    let keys: Vec<String> =
        fields.iter().filter(is_significant).map(|(key, _)| format!("`{key}`")).collect();
    if !keys.is_empty() {
        let message = format!("left out {}: only {dialect} has it", keys.join(", "));
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}

/// Fields that only repeat the block's position or type.
const IGNORED_KEYS: &[&str] = &["index", "type"];
