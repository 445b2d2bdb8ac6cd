//! Converts facts about providers to values of a configuration file and back.
//!
//! A struct of facts is defined with `facts!`, an enum with `words!`: each field is a key, and each
//! variant a word, so that a new one can be configured and printed without a further line.

mod intern;
mod macros;
mod types;
mod value;

pub(crate) use intern::intern;
pub(crate) use macros::{facts, foreign_words, words};
pub use value::{FactEntry, FactKey, FactNode, FactValue};

/// A type of facts.
pub trait Fact: Sized + 'static {
    /// What is accepted, as it follows "must be".
    fn expected() -> String;

    fn to_node(&self) -> FactNode;

    /// `None` with errors if the value is not of this type.
    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self>;

    /// The keys of a struct; none for other types.
    fn keys() -> Vec<KeyDescription> {
        Vec::new()
    }

    /// Changes the fact. Of a struct only the keys change that the table has.
    fn patch(&mut self, node: &FactNode, errors: &mut FactErrors) {
        if let Some(value) = Self::from_node(node, errors) {
            *self = value;
        }
    }
}

/// An error at a byte offset of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactError {
    pub offset: usize,
    /// The keys from the group to the value, joined by dots; empty for the whole table.
    pub path: String,
    /// Continues a sentence that begins with the path.
    pub message: String,
    /// A name that is not known, and the known ones.
    pub unknown: Option<(String, Vec<String>)>,
    /// The name is a key of the table at `path`.
    pub is_key: bool,
}

/// All errors, so that a file can be corrected in one go.
#[derive(Debug, Default)]
pub struct FactErrors {
    path: Vec<&'static str>,
    errors: Vec<FactError>,
}

impl FactErrors {
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    pub fn into_vec(self) -> Vec<FactError> {
        self.errors
    }

    /// Adds a key to the path of the errors that `read` finds.
    pub(crate) fn within<R>(&mut self, key: &'static str, read: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(key);
        let value = read(self);
        self.path.pop();
        value
    }

    /// Reports a value of another type.
    pub(crate) fn expected<T: Fact>(&mut self, node: &FactNode) -> Option<T> {
        self.push(node.offset, format!("must be {}", T::expected()), None);
        None
    }

    pub(crate) fn unknown_word<T: Fact>(
        &mut self,
        node: &FactNode,
        word: &str,
        known: Vec<String>,
    ) -> Option<T> {
        if word.is_empty() {
            return self.expected(node);
        }
        self.push(node.offset, format!("cannot be `{word}`"), Some((word.to_owned(), known)));
        None
    }

    pub(crate) fn unknown_key(&mut self, key: &FactKey, known: &[&'static str]) {
        let known = known.iter().map(|&name| name.to_owned()).collect();
        let message = format!("has no key `{}`", key.name);
        self.push(key.offset, message, Some((key.name.clone(), known)));
        if let Some(error) = self.errors.last_mut() {
            error.is_key = true;
        }
    }

    pub(crate) fn missing_key(&mut self, offset: usize, key: &str) {
        self.push(offset, format!("needs `{key}`"), None);
    }

    fn push(&mut self, offset: usize, message: String, unknown: Option<(String, Vec<String>)>) {
        let path = self.path.join(".");
        self.errors.push(FactError { offset, path, message, unknown, is_key: false });
    }
}

/// A key of a struct of facts.
#[derive(Clone, Debug)]
pub struct KeyDescription {
    pub name: &'static str,
    /// From the field's comment.
    pub doc: &'static str,
    /// What is accepted, as it follows "must be".
    pub expected: fn() -> String,
    /// The keys of its own, if it is a struct.
    pub keys: fn() -> Vec<Self>,
}

/// Reports the keys of a table that are not among the known ones.
pub(crate) fn check_keys(entries: &[FactEntry], known: &[&'static str], errors: &mut FactErrors) {
    for FactEntry { key, .. } in entries {
        if !known.contains(&key.name.as_str()) {
            errors.unknown_key(key, known);
        }
    }
}

/// The value of a key that a table must have.
pub(crate) fn required_key<T: Fact>(
    offset: usize,
    entries: &[FactEntry],
    key: &'static str,
    errors: &mut FactErrors,
) -> Option<T> {
    let Some(entry) = entries.iter().find(|entry| entry.key.name == key) else {
        errors.missing_key(offset, key);
        return None;
    };
    errors.within(key, |errors| T::from_node(&entry.node, errors))
}

/// The word of an enum's variant, and its value if it has one.
pub(crate) fn word_and_value(node: &FactNode) -> (&str, Option<&FactNode>) {
    match &node.value {
        FactValue::Text(word) => (word, None),
        FactValue::Table(entries) if entries.len() == 1 => {
            (&entries[0].key.name, Some(&entries[0].node))
        }
        _ => ("", None),
    }
}

/// A variant's name as it is in a file: `NamedOnly` is `named-only`.
pub(crate) fn kebab_case(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    for (at, character) in name.char_indices() {
        if character.is_ascii_uppercase() && at > 0 {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}
