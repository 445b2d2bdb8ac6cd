//! Which dialects a property is checked with.

use interlingua::{ALL, Dialect, Exchange};

/// From one dialect to another.
pub(super) struct Pair {
    pub(super) from: &'static dyn Dialect,
    pub(super) to: &'static dyn Dialect,
}

impl Pair {
    /// Every byte chooses a pair, and every pair is chosen by some byte. The same dialect on both sides
    /// is chosen about as often as all others together: the promises are greatest there.
    pub(super) fn chosen_by(choice: u8) -> Self {
        let choice = usize::from(choice);
        let (from, to) = (choice % ALL.len(), choice / ALL.len() % (2 * ALL.len()));
        Self { from: ALL[from], to: ALL.get(to).copied().unwrap_or(ALL[from]) }
    }

    pub(super) fn is_same(&self) -> bool {
        self.from.id() == self.to.id()
    }
}

/// What a gateway would know when a reply comes.
pub(super) fn exchange() -> Exchange {
    Exchange {
        model: Some("asked-for".into()),
        id: Some("reply-1".into()),
        created: 1_700_000_000,
        ..Exchange::default()
    }
}
