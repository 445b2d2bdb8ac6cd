//! Stores guard answers in memory, bounded in count and bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::{AnswerRecord, AnswerStore, AnswersFuture};

/// Guard answers in memory; the oldest are evicted first.
#[derive(Debug)]
pub struct MemoryAnswerStore {
    state: Mutex<StoreState>,
    max_answers: usize,
    max_bytes: usize,
}

/// Answers by owner and key.
#[derive(Debug, Default)]
struct StoreState {
    by_key: HashMap<(String, String), Vec<Arc<AnswerRecord>>>,
    /// Oldest first, for eviction.
    queue: VecDeque<(String, Arc<AnswerRecord>)>,
    bytes: usize,
}

impl MemoryAnswerStore {
    /// An empty store with these bounds.
    pub fn new(max_answers: usize, max_bytes: usize) -> Self {
        Self { state: Mutex::default(), max_answers, max_bytes }
    }
}

impl Default for MemoryAnswerStore {
    fn default() -> Self {
        Self::new(MAX_ANSWERS, MAX_BYTES)
    }
}

impl AnswerStore for MemoryAnswerStore {
    fn insert(&self, owner: &str, record: AnswerRecord) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let record = Arc::new(record);
        let key = |key: &String| (owner.to_owned(), key.clone());
        let is_stored =
            |key| state.by_key.get(&key).is_some_and(|records| records.contains(&record));
        if record.keys.iter().map(key).all(is_stored) {
            return;
        }
        for key in record.keys.iter().map(key) {
            state.by_key.entry(key).or_default().push(Arc::clone(&record));
        }
        state.bytes += size_of_answer(&record);
        state.queue.push_back((owner.to_owned(), record));
        while state.queue.len() > self.max_answers || state.bytes > self.max_bytes {
            let Some((owner, oldest)) = state.queue.pop_front() else { break };
            state.bytes -= size_of_answer(&oldest);
            for key in &oldest.keys {
                let key = (owner.clone(), key.clone());
                let Some(records) = state.by_key.get_mut(&key) else { continue };
                records.retain(|other| !Arc::ptr_eq(other, &oldest));
                if records.is_empty() {
                    state.by_key.remove(&key);
                }
            }
        }
    }

    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> AnswersFuture<'a> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lookup_key = (owner.to_owned(), String::new());
        let mut found: Vec<AnswerRecord> = Vec::new();
        for key in keys {
            (*key).clone_into(&mut lookup_key.1);
            found.extend(
                state
                    .by_key
                    .get(&lookup_key)
                    .into_iter()
                    .flatten()
                    .map(|record| (**record).clone()),
            );
        }
        Box::pin(std::future::ready(found))
    }

    fn is_empty(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).queue.is_empty()
    }
}

fn size_of_answer(record: &AnswerRecord) -> usize {
    let keys: usize = record.keys.iter().map(String::len).sum();
    keys * 2 + record.tool.len() + record.args_fingerprint.len() + record.message.len()
}

const MAX_ANSWERS: usize = 10_000;
const MAX_BYTES: usize = 32 * 1024 * 1024;
