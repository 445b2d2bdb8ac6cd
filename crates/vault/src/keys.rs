//! The keys by which a turn is known again.
//!
//! Clients replay the ids of calls as they got them, whatever else they change; most replay seals.
//! What was said is the last resort: after the same history, or near the same words.

use interlingua_model::{Block, Body, Reply, Verbatim};

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
    blocks.filter_map(|block| of_seal(block)).chain(of_words(history.answer(reply))).collect()
}

/// The key under which a reply with this id is found.
pub fn key_of_reply(id: &str) -> String {
    format!("reply:{id}")
}

/// The surest keys of what a model said, and whether what is found there is this turn, wherever that was.
pub(crate) fn surest<'b>(
    blocks: &(impl Iterator<Item = &'b Verbatim<Block>> + Clone),
    link: Link,
) -> (Vec<String>, bool) {
    let called = blocks.clone().find_map(|block| of_call(block));
    let sealed = || blocks.clone().find_map(|block| of_seal(block));
    match called.or_else(sealed) {
        Some(key) => (vec![key], true),
        None => (of_words(link).into(), link.sure),
    }
}

fn of_call(block: &Block) -> Option<String> {
    let Body::ToolCall(call) = &block.body else { return None };
    Some(["call:", &call.id.contents()].concat())
}

fn of_seal(block: &Block) -> Option<String> {
    let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty())?;
    Some(numbered("seal:", hash([seal.data.raw().as_bytes()])))
}

fn of_words(link: Link) -> [String; 2] {
    [numbered("after:", link.after), numbered("near:", link.near)]
}

/// A number in sixteen digits: there are some for everything that was ever said.
fn numbered(name: &str, number: u64) -> String {
    let mut key = String::with_capacity(name.len() + 16);
    key.push_str(name);
    for byte in number.to_be_bytes() {
        for digit in [byte >> 4, byte & 15] {
            key.push(char::from(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }));
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn numbers_have_sixteen_digits() {
        for number in [0, 9, 10, 0xfe_dc_ba_98, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(numbered("near:", number), format!("near:{number:016x}"));
        }
    }
}
