//! Stores assistant turns with their sealed reasoning, and restores them where a client lost parts.
//!
//! Providers sign the reasoning of their models and require it back unchanged, in its position,
//! with everything around it. Most clients cannot do that: their dialect cannot represent it, or
//! they strip, merge, reorder or rewrite it. So every reply with reasoning is stored as a
//! [`VaultEntry`] under [lookup keys](reply_keys) by which the same turn is recognized; and when
//! the conversation returns to its [`ReplyOrigin`], [`restore`] gives the replacement of each of
//! its [runs](assistant_runs).
//!
//! This crate computes keys and compares turns; the storage is the caller's.

mod entry;
mod history;
mod keys;
mod normalize;
mod restore;
mod stable_hash;

pub use entry::{ReplyOrigin, VaultEntry};
pub use history::{HashedRun, HistoryHashes, RunHashes};
pub use keys::{reply_id_key, reply_keys};
pub use restore::{AssistantRun, AssistantRuns, assistant_runs, restore};
pub use stable_hash::{StableHasher, stable_hash};
