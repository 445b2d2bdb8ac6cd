//! The keys by which a turn is known again.
//!
//! Clients replay the ids of calls as they got them, whatever else they change; most replay seals.
//! What was said is the last resort, and counts within one conversation only.

use interlingua_model::{Block, Body, Reply, Verbatim};

use crate::said::Said;
use crate::stable::hash;

/// All keys of a reply that is kept, in a conversation with this identity.
pub fn keys_of(reply: &Reply, conversation: u64) -> Vec<String> {
    let blocks = || reply.turn.blocks.iter();
    let mut keys: Vec<String> = blocks().filter_map(|block| of_call(block)).collect();
    keys.extend(blocks().filter_map(|block| of_seal(block)));
    keys.extend(of_words(&Said::of(blocks()), conversation));
    keys
}

/// The surest key of what a model said.
pub(crate) fn surest<'b>(
    blocks: &(impl Iterator<Item = &'b Verbatim<Block>> + Clone),
    conversation: u64,
) -> Option<String> {
    let called = blocks.clone().find_map(|block| of_call(block));
    let sealed = || blocks.clone().find_map(|block| of_seal(block));
    called.or_else(sealed).or_else(|| of_words(&Said::of(blocks.clone()), conversation))
}

fn of_call(block: &Block) -> Option<String> {
    let Body::ToolCall(call) = &block.body else { return None };
    Some(format!("call:{}", call.id.contents()))
}

fn of_seal(block: &Block) -> Option<String> {
    let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty())?;
    Some(format!("seal:{:016x}", hash([seal.data.raw().as_bytes()])))
}

fn of_words(said: &Said, conversation: u64) -> Option<String> {
    let hashed = || hash([said.words.as_bytes()]);
    (!said.words.is_empty()).then(|| format!("said:{conversation:016x}:{:016x}", hashed()))
}
