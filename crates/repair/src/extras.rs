//! Edits the extra fields that the model keeps per dialect.

use interlingua_model::{DialectId, Extras};

/// The extras of a dialect without one key.
pub(crate) fn without_key(extras: &Extras, dialect: DialectId, key: &str) -> Extras {
    let mut rest = Extras::default();
    for (name, value) in extras.fields_for(dialect).iter().filter(|(name, _)| name != key) {
        rest.push(dialect, name.clone(), value.clone());
    }
    rest
}
