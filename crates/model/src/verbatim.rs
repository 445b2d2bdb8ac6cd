//! A value with the text that it was decoded from.

use std::ops::Deref;

use interlingua_wire::RawJson;

use crate::DialectId;

/// A value with the text that it was decoded from. [`Verbatim::edit`] is the only way to change
/// what the text represents, and it drops the text. A value that still has its text can therefore
/// be encoded as that text.
#[derive(Clone, Debug)]
pub struct Verbatim<T> {
    value: T,
    text: Option<(DialectId, RawJson)>,
}

impl<T> Verbatim<T> {
    /// A value with the text that it was decoded from, in that dialect.
    pub fn with_text(value: T, dialect: DialectId, text: RawJson) -> Self {
        Self { value, text: Some((dialect, text)) }
    }

    /// A value without text.
    pub fn new(value: T) -> Self {
        Self { value, text: None }
    }

    /// Returns the value for editing and drops its text.
    pub fn edit(&mut self) -> &mut T {
        self.text = None;
        &mut self.value
    }

    /// Changes what the text does not represent, such as a cache breakpoint that the dialect writes
    /// elsewhere.
    #[must_use]
    pub fn map_keeping_text(mut self, change: impl FnOnce(&mut T)) -> Self {
        change(&mut self.value);
        self
    }

    /// As [`Verbatim::map_keeping_text`], in place.
    pub fn edit_keeping_text(&mut self, change: impl FnOnce(&mut T)) {
        change(&mut self.value);
    }

    /// The text, if the value came from this dialect and was not edited.
    pub fn text_for(&self, dialect: DialectId) -> Option<&RawJson> {
        self.text.as_ref().filter(|(from, _)| from.is_same(dialect)).map(|(_, text)| text)
    }

    /// The dialect and the text, if the value was not edited.
    pub fn original(&self) -> Option<(DialectId, &RawJson)> {
        self.text.as_ref().map(|(dialect, text)| (*dialect, text))
    }

    /// The value, without its text.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T> Deref for Verbatim<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> From<T> for Verbatim<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Default> Default for Verbatim<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Compares the values and ignores the texts.
impl<T: PartialEq> PartialEq for Verbatim<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
