//! Fields beside what the model holds.

use interlingua_model::{DialectId, Extras};

/// The fields of a dialect without one of them.
pub(crate) fn without(extras: &Extras, dialect: DialectId, key: &str) -> Extras {
    let mut kept = Extras::default();
    for (name, value) in extras.of(dialect).iter().filter(|(name, _)| name != key) {
        kept.put(dialect, name.clone(), value.clone());
    }
    kept
}
