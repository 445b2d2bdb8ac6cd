//! Answers in memory: the last so many, and not too many bytes of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::answers::{Answer, Answers, Search};

#[derive(Debug)]
pub struct InMemory {
    kept: Mutex<Kept>,
    most: usize,
    most_bytes: usize,
}

/// Answers by their owner and key.
#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<(String, String), Vec<Arc<Answer>>>,
    /// In the order they came.
    order: VecDeque<(String, Arc<Answer>)>,
    bytes: usize,
}

impl InMemory {
    pub fn new(most: usize, most_bytes: usize) -> Self {
        Self { kept: Mutex::default(), most, most_bytes }
    }
}

impl Default for InMemory {
    fn default() -> Self {
        Self::new(MOST, MOST_BYTES)
    }
}

impl Answers for InMemory {
    fn keep(&self, owner: &str, answer: Answer) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Arc::new(answer);
        let key = |key: &String| (owner.to_owned(), key.clone());
        let known = |key| kept.by_key.get(&key).is_some_and(|same| same.contains(&answer));
        if answer.keys.iter().map(key).all(known) {
            return;
        }
        for key in answer.keys.iter().map(key) {
            kept.by_key.entry(key).or_default().push(Arc::clone(&answer));
        }
        kept.bytes += bytes(&answer);
        kept.order.push_back((owner.to_owned(), answer));
        while kept.order.len() > self.most || kept.bytes > self.most_bytes {
            let Some((owner, oldest)) = kept.order.pop_front() else { break };
            kept.bytes -= bytes(&oldest);
            for key in &oldest.keys {
                let key = (owner.clone(), key.clone());
                let Some(same) = kept.by_key.get_mut(&key) else { continue };
                same.retain(|other| !Arc::ptr_eq(other, &oldest));
                if same.is_empty() {
                    kept.by_key.remove(&key);
                }
            }
        }
    }

    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> Search<'a> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut asked = (owner.to_owned(), String::new());
        let mut found: Vec<Answer> = Vec::new();
        for key in keys {
            (*key).clone_into(&mut asked.1);
            found.extend(kept.by_key.get(&asked).into_iter().flatten().map(|one| (**one).clone()));
        }
        Box::pin(std::future::ready(found))
    }

    fn is_empty(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).order.is_empty()
    }
}

fn bytes(answer: &Answer) -> usize {
    let keys: usize = answer.keys.iter().map(String::len).sum();
    keys * 2 + answer.tool.len() + answer.arguments.len() + answer.message.len()
}

const MOST: usize = 10_000;
const MOST_BYTES: usize = 32 * 1024 * 1024;
