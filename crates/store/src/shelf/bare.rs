//! Knowing that nothing is kept: who knows need not look.

use super::Shelf;

/// Whether nothing of a kind is kept, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Bare {
    is_known: bool,
    /// How often something came or was written, or somebody else may have changed the database.
    changes: u64,
}

impl Bare {
    /// Something may be there from now on.
    pub(super) fn changed(&mut self) {
        self.is_known = false;
        self.changes += 1;
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }
}

impl Shelf {
    /// Whether it is known that there is nothing, here or in the database.
    pub(crate) fn is_bare(&self) -> bool {
        self.inside().bare.is_known
    }

    /// To be asked before the database is, for [`Shelf::found_bare`].
    pub(crate) fn changes(&self) -> u64 {
        self.inside().bare.changes
    }

    /// The database had nothing at some moment after so many changes.
    pub(crate) fn found_bare(&self, changes: u64) {
        let inside = &mut *self.inside();
        inside.bare.is_known = inside.bare.changes == changes && inside.waiting.is_empty();
    }
}
