//! What was asked and answered: a ring of bounded size.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::{Value, json};

/// The newest requests; the oldest make room.
#[derive(Debug, Default)]
pub struct Log {
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    entries: VecDeque<(Value, usize)>,
    bytes: usize,
    seen: u64,
}

impl Log {
    /// Keeps an entry, of which the request has so many bytes.
    pub(crate) fn add(&self, mut entry: Value, bytes: usize) {
        // A thread that panicked leaves entries that are whole.
        let mut ring = self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ring.seen += 1;
        entry["number"] = ring.seen.into();
        ring.bytes += bytes;
        ring.entries.push_back((entry, bytes));
        while ring.entries.len() > MOST_ENTRIES || ring.bytes > MOST_BYTES && ring.entries.len() > 1
        {
            let dropped = ring.entries.pop_front();
            ring.bytes -= dropped.map_or(0, |(_, bytes)| bytes);
        }
    }

    /// Everything that is kept, the oldest first.
    pub fn read(&self) -> Value {
        let ring = self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let entries: Vec<&Value> = ring.entries.iter().map(|(entry, _)| entry).collect();
        json!({"seen": ring.seen, "requests": entries})
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.ring.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Ring::default();
    }
}

const MOST_ENTRIES: usize = 1000;
const MOST_BYTES: usize = 64 * 1024 * 1024;
