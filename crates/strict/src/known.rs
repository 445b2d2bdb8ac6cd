//! The stored replies of a provider, which later requests refer to by id.

use std::collections::BTreeMap;

/// Stored replies by id. The judge is stateless: its caller supplies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReplies {
    by_id: BTreeMap<String, StoredReply>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReply {
    /// Hash of the request fields that must stay unchanged when the conversation continues; empty
    /// if any may change.
    pub fingerprint: String,
    pub continuation: ContinuationState,
}

/// Whether the conversation was continued from a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContinuationState {
    #[default]
    NotYet,
    /// A request that continues from this reply is being processed.
    InFlight,
    Done,
}

impl StoredReplies {
    pub fn insert(&mut self, id: impl Into<String>, stored_reply: StoredReply) {
        self.by_id.insert(id.into(), stored_reply);
    }

    pub fn remove(&mut self, id: &str) {
        self.by_id.remove(id);
    }

    pub fn get(&self, id: &str) -> Option<&StoredReply> {
        self.by_id.get(id)
    }
}
