//! Matches field names: protocol-buffer JSON accepts camelCase and `snake_case`.

use std::cmp::Ordering;

use interlingua_model::{DialectId, Extras, Ledger, LedgerPath};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::common::dropped_extras::dropped_names;
use crate::note;

/// Returns whether `name` is `camel` in camelCase or in `snake_case`. The provider's parser accepts
/// no mixture of both.
pub(super) fn matches(name: &str, camel: &str) -> bool {
    // The underscores make a `snake_case` name longer.
    if name.len() <= camel.len() {
        return name == camel;
    }
    let mut name = name.bytes();
    let is_prefix_equal = camel.bytes().all(|byte| {
        (!byte.is_ascii_uppercase() || name.next() == Some(b'_'))
            && name.next() == Some(byte.to_ascii_lowercase())
    });
    is_prefix_equal && name.next().is_none()
}

/// Finds the known name that `name` spells.
pub(super) fn find_known(name: &str, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|camel| matches(name, camel))
}

/// Finds the known name of a field.
pub(super) fn find_known_field(field: Field<'_>, names: &[&'static str]) -> Option<&'static str> {
    let spelling = RawFieldName::new(field);
    names.iter().copied().find(|camel| spelling.matches(camel))
}

/// The value of a field; `null` means that the field is missing, as in protocol buffers.
pub(super) fn get<'d>(node: JsonNode<'d>, camel: &str) -> Option<JsonNode<'d>> {
    let [value] = pick(node, [camel]);
    value
}

/// A string field. A value of another type is noted and ignored.
pub(super) fn get_text(
    node: JsonNode<'_>,
    camel: &str,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<JsonString> {
    let value = get(node, camel)?;
    if !value.is_string() {
        ledger.record_change(note::ODD_INPUT, path, format!("`{camel}` is not a string"));
    }
    value.json_string()
}

/// A boolean, which may also be written as a string.
pub(super) fn lenient_bool(value: JsonNode<'_>) -> Option<bool> {
    match &*value.str_or_empty() {
        "true" => Some(true),
        "false" => Some(false),
        _ => value.as_bool(),
    }
}

/// Like [`get`], for several fields in one pass.
pub(super) fn pick<'d, const N: usize>(
    node: JsonNode<'d>,
    names: [&str; N],
) -> [Option<JsonNode<'d>>; N] {
    let mut values = [None; N];
    for field in node.fields() {
        let spelling = RawFieldName::new(field);
        for (name, values) in names.iter().zip(&mut values) {
            if spelling.matches(name) {
                *values = Some(field.value).filter(|value| !value.is_null());
            }
        }
    }
    values
}

/// Like [`pick`]; also returns whether there are other fields.
pub(super) fn pick_with_rest<'d, const N: usize>(
    node: JsonNode<'d>,
    names: &[&str; N],
) -> ([Option<JsonNode<'d>>; N], bool) {
    let (mut values, mut has_others) = ([None; N], false);
    for field in node.fields() {
        let spelling = RawFieldName::new(field);
        let value = Some(field.value).filter(|value| !value.is_null());
        match names.iter().position(|name| spelling.matches(name)) {
            Some(at) => values[at] = value,
            None => has_others |= value.is_some(),
        }
    }
    (values, has_others)
}

pub(super) fn field_matches(field: Field<'_>, camel: &str) -> bool {
    RawFieldName::new(field).matches(camel)
}

/// The name of a field as it was written.
struct RawFieldName<'d> {
    field: Field<'d>,
    raw: &'d [u8],
}

impl<'d> RawFieldName<'d> {
    #[inline]
    fn new(field: Field<'d>) -> Self {
        Self { field, raw: field.raw_key().as_bytes() }
    }

    #[inline]
    fn matches(&self, camel: &str) -> bool {
        match self.raw.len().cmp(&camel.len()) {
            Ordering::Less => false,
            Ordering::Equal => self.raw == camel.as_bytes(),
            // Underscores and escapes make a name longer.
            Ordering::Greater => {
                let first = self.raw[0];
                (first == b'\\' || Some(&first) == camel.as_bytes().first())
                    && matches(&self.field.key(), camel)
            }
        }
    }
}

/// The fields of an object other than the known ones; `None` if there are none. Null fields are
/// included, because the provider rejects unknown fields even if null.
pub(super) fn unknown_fields(node: JsonNode<'_>, known: &[&'static str]) -> Option<RawJson> {
    let unknown = || node.fields().filter(|field| find_known_field(*field, known).is_none());
    unknown().next()?;
    Some(RawJson::object(|object| {
        for field in unknown() {
            object.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    }))
}

/// Writes the fields that [`unknown_fields`] returned.
pub(super) fn write_unknown_fields(unknown: Option<&RawJson>, object: &mut ObjectWriter<'_>) {
    let Some(unknown) = unknown else { return };
    for field in unknown.to_doc().root().fields() {
        object.key_json_string(&field.key_json_string()).json(&field.value.json());
    }
}

/// Notes dropped fields of another dialect, in one entry.
pub(super) fn note_dropped_extras(
    extras: &Extras,
    target: DialectId,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    let is_ignored = |key: &JsonString, value: &RawJson| {
        key == "index" || key == "status" && value.as_str() == "\"completed\""
    };
    if let Some((dialect, names)) = dropped_names(extras, target, is_ignored) {
        let message = format!("left out {names} of {dialect}");
        ledger.record_loss(note::NO_SUCH_FIELD, path, message);
    }
}
