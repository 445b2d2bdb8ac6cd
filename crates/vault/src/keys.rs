//! Lookup keys of stored turns.
//!
//! Clients replay call ids unchanged, whatever else they change; most replay seals. The text is the
//! last resort: its hash with everything before it, and its hash alone.

use std::mem;
use std::ops::Range;

use interlingua_model::{Block, BlockContent, Reply, Seal, Turn, Verbatim};

use crate::stable_hash::stable_hash;
use crate::{HistoryHashes, RunHashes};

/// The lookup keys of a reply to this history.
pub fn reply_keys(reply: &Reply, history: &HistoryHashes) -> Vec<String> {
    let blocks = reply.turn.blocks.iter();
    let calls: Vec<String> = blocks.clone().filter_map(|block| call_key(block)).collect();
    if !calls.is_empty() {
        // A turn with calls is only looked up by its calls.
        return calls;
    }
    let text_hashes = text_keys(history.hash_reply(reply));
    let text_hashes = text_hashes.map(|(name, hash)| [name, to_hex(&mut [0; 16], hash)].concat());
    blocks.filter_map(|block| seal_key(block)).chain(text_hashes).collect()
}

/// The lookup key made from a reply's id.
pub fn reply_id_key(id: &str) -> String {
    format!("reply:{id}")
}

/// Adds the most reliable keys of a run; returns whether an entry found by them is certainly this
/// run.
pub(crate) fn push_best_keys(
    turns: &[Verbatim<Turn>],
    hashes: RunHashes,
    keys: &mut KeyList,
) -> bool {
    let mut sealed = None;
    for turn in turns {
        for block in &turn.blocks {
            if let BlockContent::ToolCall(call) = &block.content {
                keys.push(CALL_PREFIX, &call.id.unescape());
                return true;
            }
            sealed = sealed.or_else(|| nonempty_seal(block));
        }
    }
    if let Some(seal) = sealed {
        keys.push(SEAL_PREFIX, to_hex(&mut [0; 16], seal_hash(seal)));
        return true;
    }
    for (name, hash) in text_keys(hashes) {
        keys.push(name, to_hex(&mut [0; 16], hash));
    }
    hashes.is_unique
}

/// Lookup keys in one buffer: a long conversation has several for each of its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyList {
    text: String,
    ends: Vec<usize>,
}

impl KeyList {
    /// Reserves the usual size per run: two prefixed hashes, or one call id.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { text: String::with_capacity(count * 44), ends: Vec::with_capacity(count * 2) }
    }

    pub(crate) fn push(&mut self, name: &str, rest: &str) {
        self.text.push_str(name);
        self.text.push_str(rest);
        self.ends.push(self.text.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The keys in a range of indices.
    pub(crate) fn range(&self, indices: Range<usize>) -> impl Iterator<Item = &str> {
        let mut start = indices.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends[indices].iter().map(move |end| &self.text[mem::replace(&mut start, *end)..*end])
    }
}

fn call_key(block: &Block) -> Option<String> {
    let BlockContent::ToolCall(call) = &block.content else { return None };
    Some([CALL_PREFIX, &call.id.unescape()].concat())
}

fn seal_key(block: &Block) -> Option<String> {
    Some([SEAL_PREFIX, to_hex(&mut [0; 16], seal_hash(nonempty_seal(block)?))].concat())
}

fn nonempty_seal(block: &Block) -> Option<&Seal> {
    block.seal.as_deref().filter(|seal| !seal.data.is_empty())
}

fn seal_hash(seal: &Seal) -> u64 {
    stable_hash([seal.data.raw().as_bytes()])
}

fn text_keys(hashes: RunHashes) -> [(&'static str, u64); 2] {
    [("after:", hashes.with_prefix), ("near:", hashes.alone)]
}

/// Formats a number as sixteen hex digits.
fn to_hex(buffer: &mut [u8; 16], hash: u64) -> &str {
    let mut rest = hash;
    for digit in buffer.iter_mut().rev() {
        *digit = HEX[rest as usize & 15];
        rest >>= 4;
    }
    str::from_utf8(buffer).unwrap_or_default()
}

const CALL_PREFIX: &str = "call:";
const SEAL_PREFIX: &str = "seal:";
const HEX: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::{KeyList, to_hex};

    #[test]
    fn numbers_have_sixteen_digits() {
        for hash in [0, 9, 10, 0xfe_dc_ba_98, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(to_hex(&mut [0; 16], hash), format!("{hash:016x}"));
        }
    }

    #[test]
    fn keys_in_one_buffer_are_separate() {
        let mut keys = KeyList::default();
        for (name, rest) in [("call:", "1"), ("near:", ""), ("after:", "23")] {
            keys.push(name, rest);
        }
        let keys_in = |from: usize, to: usize| keys.range(from..to).collect::<Vec<_>>();
        assert_eq!(keys_in(0, keys.len()), ["call:1", "near:", "after:23"]);
        assert_eq!(keys_in(1, 2), ["near:"]);
        assert_eq!(keys_in(2, 3), ["after:23"]);
        assert!(keys_in(1, 1).is_empty());
    }
}
