//! Names what an encoder leaves out of the extras of another dialect.

use interlingua_model::{DialectId, Extras, WrittenForm};
use interlingua_wire::{JsonString, RawJson};

/// The dialect of the extras and the names of the fields that `target` does not have; `None` if
/// nothing is lost. Fields that are null or ignored are no loss.
pub(crate) fn dropped_names(
    extras: &Extras,
    target: DialectId,
    is_ignored: impl Fn(&JsonString, &RawJson) -> bool,
) -> Option<(DialectId, String)> {
    let (dialect, fields) = extras.as_parts().filter(|(dialect, _)| *dialect != target)?;
    let written = extras.written(dialect).map(WrittenForm::to_named);
    let names: Vec<String> = fields
        .iter()
        .chain(&written)
        .filter(|(key, value)| *value != RawJson::NULL && !is_ignored(key, value))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    (!names.is_empty()).then(|| (dialect, names.join(", ")))
}
