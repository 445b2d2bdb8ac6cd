//! Fields that the model does not represent, and how a client spelled what it does represent.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Field, JsonString, RawJson};

use crate::{DialectId, Spelling, SpellingSet, WrittenForm};

/// What only one dialect understands of an item: fields that the model has no name for, and how the
/// client spelled the others. Both are kept when their owner is edited, and are encoded only in
/// that dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras(Option<Box<DialectExtras>>);

/// Boxed, because most items have none.
#[derive(Clone, Debug, PartialEq)]
struct DialectExtras {
    dialect: DialectId,
    fields: Vec<(JsonString, RawJson)>,
    spellings: SpellingSet,
    written: Option<WrittenForm>,
}

impl Extras {
    /// Whether there are neither extra fields nor recorded spellings.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The dialect that understands them.
    pub fn dialect(&self) -> Option<DialectId> {
        self.0.as_ref().map(|extras| extras.dialect)
    }

    /// Adds a field of `dialect` that its decoder does not know.
    pub fn push_field(&mut self, dialect: DialectId, field: Field<'_>) {
        self.push(dialect, field.key_json_string(), field.value.json());
    }

    /// Adds a value under a key. Drops what belongs to another dialect: an item has one origin.
    pub fn push(&mut self, dialect: DialectId, key: JsonString, value: RawJson) {
        self.entry(dialect).fields.push((key, value));
    }

    /// The value of a field, if it belongs to this dialect.
    pub fn get(&self, dialect: DialectId, key: &str) -> Option<&RawJson> {
        self.fields_for(dialect).iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The fields, if they belong to this dialect.
    pub fn fields_for(&self, dialect: DialectId) -> &[(JsonString, RawJson)] {
        self.for_dialect(dialect).map_or(&[], |extras| &extras.fields)
    }

    /// Retains the fields of this dialect for which `keep` returns true; `keep` may change the
    /// values.
    pub fn retain(
        &mut self,
        dialect: DialectId,
        mut keep: impl FnMut(&JsonString, &mut RawJson) -> bool,
    ) {
        self.edit(dialect, |extras| extras.fields.retain_mut(|(key, value)| keep(key, value)));
    }

    /// The dialect and all fields.
    pub fn as_parts(&self) -> Option<(DialectId, &[(JsonString, RawJson)])> {
        self.0.as_ref().map(|extras| (extras.dialect, extras.fields.as_slice()))
    }

    /// Writes the fields of this dialect into an object.
    pub fn write(&self, dialect: DialectId, object: &mut ObjectWriter<'_>) {
        for (key, value) in self.fields_for(dialect) {
            object.key_json_string(key).json(value);
        }
    }

    /// Records spellings of `dialect`.
    pub fn add_spellings(&mut self, dialect: DialectId, spellings: impl Into<SpellingSet>) {
        let spellings = spellings.into();
        if !spellings.is_empty() {
            let extras = self.entry(dialect);
            extras.spellings = extras.spellings.union(spellings);
        }
    }

    /// Forgets spellings of `dialect`: the item is written in the usual form then.
    pub fn remove_spellings(&mut self, dialect: DialectId, spellings: impl Into<SpellingSet>) {
        let spellings = spellings.into();
        self.edit(dialect, |extras| extras.spellings = extras.spellings.without(spellings));
    }

    /// The recorded spellings, if they belong to this dialect.
    pub fn spellings(&self, dialect: DialectId) -> SpellingSet {
        self.for_dialect(dialect).map_or(SpellingSet::EMPTY, |extras| extras.spellings)
    }

    /// Whether this spelling of `dialect` is recorded.
    pub fn has(&self, dialect: DialectId, spelling: Spelling) -> bool {
        self.spellings(dialect).contains(spelling)
    }

    /// Whether this spelling is recorded, whatever the dialect.
    pub fn has_in_any_dialect(&self, spelling: Spelling) -> bool {
        self.0.as_ref().is_some_and(|extras| extras.spellings.contains(spelling))
    }

    /// Records what was written where the model holds something else. An item has at most one such
    /// place.
    pub fn set_written(&mut self, dialect: DialectId, form: WrittenForm) {
        self.entry(dialect).written = Some(form);
    }

    /// Forgets what was written: the item is written as the model holds it then.
    pub fn remove_written(&mut self, dialect: DialectId) {
        self.edit(dialect, |extras| extras.written = None);
    }

    /// What was written where the model holds something else, if it belongs to this dialect.
    pub fn written(&self, dialect: DialectId) -> Option<&WrittenForm> {
        self.for_dialect(dialect)?.written.as_ref()
    }

    /// The role of the turn that the client wrote in this dialect, if the model does not have it.
    pub fn written_role(&self, dialect: DialectId) -> Option<&JsonString> {
        match self.written(dialect)? {
            WrittenForm::Role(role) => Some(role),
            _ => None,
        }
    }

    /// The fields of the message of this dialect that begins with the block.
    pub fn written_message(&self, dialect: DialectId) -> Option<&RawJson> {
        match self.written(dialect)? {
            WrittenForm::Message(fields) => Some(fields),
            _ => None,
        }
    }

    fn for_dialect(&self, dialect: DialectId) -> Option<&DialectExtras> {
        self.0.as_deref().filter(|extras| extras.dialect.is_same(dialect))
    }

    /// The extras of this dialect, to add to them.
    fn entry(&mut self, dialect: DialectId) -> &mut DialectExtras {
        let empty = || DialectExtras {
            dialect,
            fields: Vec::new(),
            spellings: SpellingSet::EMPTY,
            written: None,
        };
        let entry = self.0.get_or_insert_with(|| Box::new(empty()));
        if !entry.dialect.is_same(dialect) {
            **entry = empty();
        }
        entry
    }

    /// Edits the extras of this dialect, and drops them if nothing is left.
    fn edit(&mut self, dialect: DialectId, edit: impl FnOnce(&mut DialectExtras)) {
        let Some(extras) = self.0.as_mut().filter(|extras| extras.dialect.is_same(dialect)) else {
            return;
        };
        edit(extras);
        if extras.fields.is_empty() && extras.spellings.is_empty() && extras.written.is_none() {
            self.0 = None;
        }
    }
}
