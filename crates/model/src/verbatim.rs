//! A value that remembers how it was written.

use std::ops::Deref;

use interlingua_wire::Json;

use crate::DialectId;

/// A value with the text it was read from. It can be looked at freely; [`Verbatim::edit`] is the one
/// way to change what the text says, and forgets the text. So whatever still has its text may leave
/// as it came.
#[derive(Clone, Debug)]
pub struct Verbatim<T> {
    value: T,
    text: Option<(DialectId, Json)>,
}

impl<T> Verbatim<T> {
    /// A value as it was read, with its text in that dialect.
    pub fn read(value: T, dialect: DialectId, text: Json) -> Self {
        Self { value, text: Some((dialect, text)) }
    }

    /// A value that was never written by anybody.
    pub fn new(value: T) -> Self {
        Self { value, text: None }
    }

    /// Changes the value; its text is no longer true, and is forgotten.
    pub fn edit(&mut self) -> &mut T {
        self.text = None;
        &mut self.value
    }

    /// Changes what the text does not hold, such as a mark that its dialect writes beside it.
    #[must_use]
    pub fn beside(mut self, change: impl FnOnce(&mut T)) -> Self {
        change(&mut self.value);
        self
    }

    /// As [`Verbatim::beside`], in place.
    pub fn change_beside(&mut self, change: impl FnOnce(&mut T)) {
        change(&mut self.value);
    }

    /// The text, if the value came from this dialect and was not edited since.
    pub fn text_for(&self, dialect: DialectId) -> Option<&Json> {
        self.text.as_ref().filter(|(from, _)| from.is(dialect)).map(|(_, text)| text)
    }

    /// The dialect it came from and its text there, if it was not edited since.
    pub fn written(&self) -> Option<(DialectId, &Json)> {
        self.text.as_ref().map(|(dialect, text)| (*dialect, text))
    }

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

/// Equal values are equal however they were written.
impl<T: PartialEq> PartialEq for Verbatim<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}
