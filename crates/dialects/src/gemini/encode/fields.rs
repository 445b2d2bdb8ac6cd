//! Encodes what several kinds of values share.

use interlingua_model::{Block, Ledger, LedgerPath, Seal, WrittenForm};
use interlingua_wire::JsonString;
use interlingua_wire::json::ObjectWriter;

use crate::gemini::field_name;
use crate::gemini::id::{ID, ISSUER};
use crate::note;

pub(crate) fn is_own_seal(seal: &Seal) -> bool {
    seal.origin.issuer == ISSUER
}

/// Writes the id. If the client sent none or an empty one, none is written.
pub(super) fn encode_id(id: &JsonString, block: &Block, object: &mut ObjectWriter<'_>) {
    match block.extras.written(ID) {
        Some(WrittenForm::Id(original_id)) => object.json_string("id", original_id),
        None if !id.is_empty() => object.json_string("id", id),
        _ => {}
    }
}

/// Notes attributes of a block that parts do not have.
pub(crate) fn note_dropped_attributes(block: &Block, path: LedgerPath, ledger: &mut Ledger) {
    field_name::note_dropped_extras(&block.extras, ID, path, ledger);
    if block.cache_breakpoint.is_some() {
        ledger.record_loss(
            note::NO_SUCH_CACHE,
            path,
            "left out a cache breakpoint: this dialect has no cache breakpoints",
        );
    }
    if block.seal.as_deref().is_some_and(|seal| !is_own_seal(seal)) {
        let message = "left out the signature of another provider";
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
}
