//! Recognizes conversations by hashes of their history, for clients that send no session id.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use interlingua_vault::{HistoryHashes, RunHashes, stable_hash};

/// Conversations by hashes of their turns. Two generations: when the young one is full it replaces
/// the old one.
#[derive(Debug, Default)]
pub(crate) struct ConversationIndex(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Vec<ConversationPoint>>,
    old: HashMap<u64, Vec<ConversationPoint>>,
}

/// A point in a conversation at which it can continue.
#[derive(Clone, Copy, Debug)]
struct ConversationPoint {
    conversation: u64,
    /// Hash of the request that continued it from there.
    next_request: Option<u64>,
}

impl ConversationIndex {
    /// The conversation that this history continues. Of several with the same history, one that was
    /// continued by the same request, or one that was not continued yet.
    pub(crate) fn find(
        &self,
        owner: &str,
        history: &HistoryHashes,
        previous: Option<&str>,
    ) -> Option<u64> {
        let generations = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let request_hash = history.prefix_hash();
        let spans = history.runs.iter().rev().take(MAX_SPANS_SEARCHED);
        let reply_key = previous.map(|reply| index_key(owner, b'r', reply.as_bytes()));
        let mut keys =
            reply_key.into_iter().chain(spans.flat_map(|span| link_keys(owner, span.hashes)));
        keys.find_map(|key| generations.claim(key, request_hash))
    }

    /// Records a reply as a point at which the conversation can continue.
    pub(crate) fn record(
        &self,
        owner: &str,
        link: RunHashes,
        reply: Option<&str>,
        conversation: u64,
    ) {
        let generations = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reply_key = reply.map(|reply| index_key(owner, b'r', reply.as_bytes()));
        for key in reply_key.into_iter().chain(link_keys(owner, link)) {
            let points = generations.entry(key);
            if points.iter().all(|point| point.conversation != conversation) {
                points.insert(0, ConversationPoint { conversation, next_request: None });
                points.truncate(MAX_POINTS_PER_KEY);
            }
        }
    }
}

impl Generations {
    fn claim(&mut self, key: u64, request_hash: u64) -> Option<u64> {
        if !self.young.contains_key(&key) && !self.old.contains_key(&key) {
            return None;
        }
        let points = self.entry(key);
        let same = points.iter().position(|point| point.next_request == Some(request_hash));
        let free = same.or_else(|| points.iter().position(|point| point.next_request.is_none()));
        let point = points.get_mut(free.unwrap_or(0))?;
        point.next_request = Some(request_hash);
        Some(point.conversation)
    }

    fn entry(&mut self, key: u64) -> &mut Vec<ConversationPoint> {
        if self.young.len() >= MAX_KEYS_PER_GENERATION {
            self.old = mem::take(&mut self.young);
        }
        let old_points = self.old.remove(&key);
        self.young.entry(key).or_insert_with(|| old_points.unwrap_or_default())
    }
}

/// Keys by the whole history before a reply, and by the reply alone if it occurs only once.
fn link_keys(owner: &str, link: RunHashes) -> impl Iterator<Item = u64> {
    let near = || index_key(owner, b'n', &link.alone.to_le_bytes());
    [index_key(owner, b'a', &link.with_prefix.to_le_bytes())]
        .into_iter()
        .chain(link.is_unique.then(near))
}

fn index_key(owner: &str, kind: u8, bytes: &[u8]) -> u64 {
    stable_hash([owner.as_bytes(), &[kind], bytes])
}

/// Assistant runs searched from the end: edits are mostly at the end of a history, truncation is at
/// its start.
const MAX_SPANS_SEARCHED: usize = 8;
/// Conversations with the same history.
const MAX_POINTS_PER_KEY: usize = 16;
/// Keys per generation; the index has two.
const MAX_KEYS_PER_GENERATION: usize = 65_536;
