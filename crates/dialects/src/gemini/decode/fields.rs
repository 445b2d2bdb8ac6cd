//! Decodes what several kinds of values share.

use interlingua_model::{Extras, Ledger, LedgerPath};
use interlingua_wire::{JsonNode, JsonString};

use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// Keeps the fields of a part's data that the model does not have.
pub(super) fn keep_unknown_fields(
    data: JsonNode<'_>,
    key: &'static str,
    known: &[&'static str],
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if !data.is_object() {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            format!("`{key}` is not an object: read as empty"),
        );
    }
    if let Some(unknown) = field_name::unknown_fields(data, known) {
        extras.push(ID, JsonString::from_static(key), unknown);
    }
}
