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
    Some(format!("call:{}", call.id.contents()))
}

fn of_seal(block: &Block) -> Option<String> {
    let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty())?;
    Some(format!("seal:{:016x}", hash([seal.data.raw().as_bytes()])))
}

fn of_words(link: Link) -> [String; 2] {
    [format!("after:{:016x}", link.after), format!("near:{:016x}", link.near)]
}
