//! Fields that the model does not represent.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Field, JsonString, RawJson};

use crate::DialectId;

/// Fields that only one dialect understands. They are kept when their owner is edited, and are
/// encoded only in that dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(Option<Box<DialectFields>>);

type DialectFields = (DialectId, Vec<(JsonString, RawJson)>);

impl Extras {
    /// Whether a key only records how the dialect spelled something. Such keys contain a space,
    /// which no field name does, and have the value null.
    pub fn is_spelling_marker(key: &JsonString) -> bool {
        key.raw().contains(' ')
    }

    /// Whether there are no extra fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds a field of `dialect` that its decoder does not know.
    pub fn push_field(&mut self, dialect: DialectId, field: Field<'_>) {
        self.push(dialect, field.key_json_string(), field.value.json());
    }

    /// Adds a value under a key. Drops fields of another dialect: an item has one origin.
    pub fn push(&mut self, dialect: DialectId, key: JsonString, value: RawJson) {
        let entry = self.0.get_or_insert_with(|| Box::new((dialect, Vec::new())));
        if !entry.0.is_same(dialect) {
            **entry = (dialect, Vec::new());
        }
        entry.1.push((key, value));
    }

    /// The value of a field, if it belongs to this dialect.
    pub fn get(&self, dialect: DialectId, key: &str) -> Option<&RawJson> {
        self.fields_for(dialect).iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The fields, if they belong to this dialect.
    pub fn fields_for(&self, dialect: DialectId) -> &[(JsonString, RawJson)] {
        match &self.0 {
            Some(entry) if entry.0.is_same(dialect) => &entry.1,
            _ => &[],
        }
    }

    /// Retains the fields of this dialect for which `keep` returns true; `keep` may change the
    /// values.
    pub fn retain(
        &mut self,
        dialect: DialectId,
        mut keep: impl FnMut(&JsonString, &mut RawJson) -> bool,
    ) {
        let Some(entry) = self.0.as_mut().filter(|entry| entry.0.is_same(dialect)) else { return };
        entry.1.retain_mut(|(key, value)| keep(key, value));
        if entry.1.is_empty() {
            self.0 = None;
        }
    }

    /// The dialect and all fields.
    pub fn as_parts(&self) -> Option<(DialectId, &[(JsonString, RawJson)])> {
        self.0.as_ref().map(|entry| (entry.0, entry.1.as_slice()))
    }

    /// Writes the fields of this dialect into an object.
    pub fn write(&self, dialect: DialectId, object: &mut ObjectWriter<'_>) {
        for (key, value) in self.fields_for(dialect) {
            object.key_json_string(key).json(value);
        }
    }
}
