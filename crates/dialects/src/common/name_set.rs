//! A set of names for many lookups: a scan of the list for each would be quadratic.

use std::collections::HashSet;

use interlingua_wire::JsonString;

#[derive(Clone, Debug, Default)]
pub(crate) struct NameSet(HashSet<String>);

impl NameSet {
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n JsonString>) -> Self {
        Self(names.into_iter().map(|name| name.unescape().into_owned()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, name: &JsonString) -> bool {
        !self.0.is_empty() && self.0.contains(&*name.unescape())
    }

    /// Returns whether the name is new.
    pub(crate) fn insert(&mut self, name: &JsonString) -> bool {
        self.0.insert(name.unescape().into_owned())
    }
}
