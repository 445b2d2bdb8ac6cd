//! What the encoders of one body share.

use interlingua_model::{Block, Extras, Ledger, LedgerPath};
use interlingua_wire::{JsonString, RawJson};

use crate::common::dropped_extras::dropped_names;
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
    let is_ignored = |key: &JsonString, _: &RawJson| IGNORED_KEYS.contains(&key.raw());
    if let Some((dialect, names)) = dropped_names(extras, ID, is_ignored) {
        let message = format!("left out {names}: only {dialect} has it");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}

/// Fields that only repeat the block's position or type.
const IGNORED_KEYS: &[&str] = &["index", "type"];
