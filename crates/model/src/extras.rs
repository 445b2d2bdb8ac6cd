//! Fields the model has no name for.

use interlingua_wire::json::Object;
use interlingua_wire::{Field, Json, Text};

use crate::DialectId;

/// Fields that only one dialect understands. They survive edits of what they belong to, and leave
/// only in that dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(Option<Box<Kept>>);

type Kept = (DialectId, Vec<(Text, Json)>);

impl Extras {
    /// Whether a key names no field but something that the dialect remembers about how it was
    /// written: no field has a blank in its name. Its value is null.
    pub fn is_memory(key: &Text) -> bool {
        key.raw().contains(' ')
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keeps a field of `dialect` that its decoder does not know.
    pub fn keep(&mut self, dialect: DialectId, field: Field<'_>) {
        self.put(dialect, field.key(), field.value.json());
    }

    /// Keeps a value under a key. Fields of another dialect are forgotten: a thing has one origin.
    pub fn put(&mut self, dialect: DialectId, key: Text, value: Json) {
        let kept = self.0.get_or_insert_with(|| Box::new((dialect, Vec::new())));
        if !kept.0.is(dialect) {
            **kept = (dialect, Vec::new());
        }
        kept.1.push((key, value));
    }

    /// The value of a field, if it is of this dialect.
    pub fn find(&self, dialect: DialectId, key: &str) -> Option<&Json> {
        self.of(dialect).iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The fields, if they are of this dialect.
    pub fn of(&self, dialect: DialectId) -> &[(Text, Json)] {
        match &self.0 {
            Some(kept) if kept.0.is(dialect) => &kept.1,
            _ => &[],
        }
    }

    /// Keeps the fields of this dialect for which `keep` says so; it may change their values.
    pub fn retain(&mut self, dialect: DialectId, mut keep: impl FnMut(&Text, &mut Json) -> bool) {
        let Some(kept) = self.0.as_mut().filter(|kept| kept.0.is(dialect)) else { return };
        kept.1.retain_mut(|(key, value)| keep(key, value));
        if kept.1.is_empty() {
            self.0 = None;
        }
    }

    /// The dialect and all fields.
    pub fn all(&self) -> Option<(DialectId, &[(Text, Json)])> {
        self.0.as_ref().map(|kept| (kept.0, kept.1.as_slice()))
    }

    /// Writes the fields of this dialect into an object.
    pub fn write(&self, dialect: DialectId, object: &mut Object<'_>) {
        for (key, value) in self.of(dialect) {
            object.key_text(key).json(value);
        }
    }
}
