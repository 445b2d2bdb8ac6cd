//! The keys by which a turn is known again.
//!
//! Clients replay the ids of calls as they got them, whatever else they change; most replay seals.
//! What was said is the last resort: after the same history, or near the same words.

use std::mem;
use std::ops::Range;

use interlingua_model::{Block, Body, Reply, Seal, Turn, Verbatim};

use crate::stable::hash;
use crate::{History, Link};

/// All keys of a reply that is kept, as it answers this history.
pub fn keys_of(reply: &Reply, history: &History) -> Vec<String> {
    let blocks = reply.turn.blocks.iter();
    let calls: Vec<String> = blocks.clone().filter_map(|block| of_call(block)).collect();
    if !calls.is_empty() {
        // Nobody looks for a turn that has calls by anything else.
        return calls;
    }
    let words = of_words(history.answer(reply));
    let words = words.map(|(name, number)| [name, digits(&mut [0; 16], number)].concat());
    blocks.filter_map(|block| of_seal(block)).chain(words).collect()
}

/// The key under which a reply with this id is found.
pub fn key_of_reply(id: &str) -> String {
    format!("reply:{id}")
}

/// The surest keys of what a model said, and whether what is found there is this turn, wherever that was.
pub(crate) fn surest(said: &[Verbatim<Turn>], link: Link, keys: &mut Keys) -> bool {
    let mut sealed = None;
    for turn in said {
        for block in &turn.blocks {
            if let Body::ToolCall(call) = &block.body {
                keys.push(CALL, &call.id.contents());
                return true;
            }
            sealed = sealed.or_else(|| seal(block));
        }
    }
    if let Some(seal) = sealed {
        keys.push(SEAL, digits(&mut [0; 16], number(seal)));
        return true;
    }
    for (name, number) in of_words(link) {
        keys.push(name, digits(&mut [0; 16], number));
    }
    link.sure
}

/// Some keys, one behind the other: there are some for everything that was ever said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    text: String,
    ends: Vec<usize>,
}

impl Keys {
    /// With room for what is mostly known of so many turns: two numbers with their names, or a call's id.
    pub(crate) fn for_turns(count: usize) -> Self {
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

    /// The keys from one to another.
    pub(crate) fn among(&self, some: Range<usize>) -> impl Iterator<Item = &str> {
        let mut start = some.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends[some].iter().map(move |end| &self.text[mem::replace(&mut start, *end)..*end])
    }
}

fn of_call(block: &Block) -> Option<String> {
    let Body::ToolCall(call) = &block.body else { return None };
    Some([CALL, &call.id.contents()].concat())
}

fn of_seal(block: &Block) -> Option<String> {
    Some([SEAL, digits(&mut [0; 16], number(seal(block)?))].concat())
}

fn seal(block: &Block) -> Option<&Seal> {
    block.seal.as_deref().filter(|seal| !seal.data.is_empty())
}

fn number(seal: &Seal) -> u64 {
    hash([seal.data.raw().as_bytes()])
}

fn of_words(link: Link) -> [(&'static str, u64); 2] {
    [("after:", link.after), ("near:", link.near)]
}

/// A number in sixteen digits.
fn digits(room: &mut [u8; 16], number: u64) -> &str {
    let mut rest = number;
    for digit in room.iter_mut().rev() {
        *digit = HEX[rest as usize & 15];
        rest >>= 4;
    }
    str::from_utf8(room).unwrap_or_default()
}

const CALL: &str = "call:";
const SEAL: &str = "seal:";
const HEX: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::{Keys, digits};

    #[test]
    fn numbers_have_sixteen_digits() {
        for number in [0, 9, 10, 0xfe_dc_ba_98, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(digits(&mut [0; 16], number), format!("{number:016x}"));
        }
    }

    #[test]
    fn each_key_is_told_from_those_beside_it() {
        let mut keys = Keys::default();
        for (name, rest) in [("call:", "1"), ("near:", ""), ("after:", "23")] {
            keys.push(name, rest);
        }
        let among = |from: usize, to: usize| keys.among(from..to).collect::<Vec<_>>();
        assert_eq!(among(0, keys.len()), ["call:1", "near:", "after:23"]);
        assert_eq!(among(1, 2), ["near:"]);
        assert_eq!(among(2, 3), ["after:23"]);
        assert!(among(1, 1).is_empty());
    }
}
