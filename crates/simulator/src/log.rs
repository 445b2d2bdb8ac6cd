//! The log of requests and replies: a ring buffer of bounded size.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::{Value, json};

/// The newest requests; the oldest are dropped at the limits.
#[derive(Debug, Default)]
pub struct Log {
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    entries: VecDeque<(Value, usize)>,
    bytes: usize,
    total: u64,
}

impl Log {
    /// Adds an entry; `bytes` is the size of its request.
    pub(crate) fn add(&self, mut entry: Value, bytes: usize) {
        // Entries are pushed whole, so a poisoned lock holds no partial entry.
        let mut ring = self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ring.total += 1;
        entry["number"] = ring.total.into();
        ring.bytes += bytes;
        ring.entries.push_back((entry, bytes));
        while ring.entries.len() > MAX_ENTRIES || ring.bytes > MAX_BYTES && ring.entries.len() > 1 {
            let dropped = ring.entries.pop_front();
            ring.bytes -= dropped.map_or(0, |(_, bytes)| bytes);
        }
    }

    /// All entries, the oldest first.
    pub fn to_json(&self) -> Value {
        let ring = self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let entries: Vec<&Value> = ring.entries.iter().map(|(entry, _)| entry).collect();
        json!({"seen": ring.total, "requests": entries})
    }

    /// Removes all entries and resets the count.
    pub fn clear(&self) {
        *self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Ring::default();
    }
}

const MAX_ENTRIES: usize = 1000;
const MAX_BYTES: usize = 64 * 1024 * 1024;
