//! What requests share and what outlives them: caches, locks, quotas, and everything in the store.

pub(crate) mod affinity;
pub(crate) mod authentication;
pub(crate) mod catalogue;
pub(crate) mod compaction;
pub(crate) mod conversations;
pub(crate) mod guard;
pub(crate) mod key_policy;
pub(crate) mod keyring;
pub(crate) mod lessons;
pub(crate) mod provider_state;
pub(crate) mod quota;
pub(crate) mod rate_limited;
pub(crate) mod reasoning;
pub(crate) mod recording;
pub(crate) mod responses;
pub(crate) mod store;
pub(crate) mod usage;
