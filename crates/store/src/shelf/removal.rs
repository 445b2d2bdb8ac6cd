//! What is to be removed from a database, and may be read there until it is.

use crate::slots::Kept;

/// Which records go.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    pub(crate) owner: Option<String>,
    pub(crate) key: Option<String>,
    /// Newer ones stay.
    pub(crate) before: i64,
}

/// Those that are under way, each with its number.
///
/// Who asks a database takes them along: one that ends before the answer is looked at may have been under
/// way when the database read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removals(Vec<(u64, Removal)>);

impl Removal {
    pub(crate) fn covers(&self, kept: &Kept) -> bool {
        kept.id < self.before
            && self.owner.as_ref().is_none_or(|owner| *owner == kept.owner)
            && self.key.as_ref().is_none_or(|key| kept.keys.contains(key))
    }
}

impl Removals {
    pub(super) fn begin(&mut self, number: u64, removal: Removal) {
        self.0.push((number, removal));
    }

    pub(super) fn end(&mut self, number: u64) {
        self.0.retain(|(other, _)| *other != number);
    }

    pub(super) fn cover(&self, kept: &Kept) -> bool {
        self.0.iter().any(|(_, removal)| removal.covers(kept))
    }
}
