//! What a provider remembers of its earlier replies.

use std::collections::BTreeMap;

/// The replies that a provider keeps, by their ids. The judge itself has no state: who asks it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    kept: BTreeMap<String, Kept>,
}

/// A reply that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What must stay as it was where the conversation goes on from here; empty if nothing must.
    pub fingerprint: String,
    pub next: Next,
}

/// Whether the conversation has gone on from a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    #[default]
    Open,
    /// A reply to what came next is being made.
    Coming,
    Taken,
}

impl Known {
    pub fn keep(&mut self, id: impl Into<String>, kept: Kept) {
        self.kept.insert(id.into(), kept);
    }

    pub fn forget(&mut self, id: &str) {
        self.kept.remove(id);
    }

    pub fn find(&self, id: &str) -> Option<&Kept> {
        self.kept.get(id)
    }
}
