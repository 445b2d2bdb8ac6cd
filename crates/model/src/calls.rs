//! The calls of a conversation by their ids, for who asks for the call of many results.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use interlingua_wire::Text;

use crate::{Body, Conversation, ToolCall};

/// Finds calls. Most stand near the result that asks for them; all are listed for the first that is
/// not found there.
#[derive(Debug)]
pub struct Calls<'c> {
    conversation: &'c Conversation,
    listed: OnceCell<Listed<'c>>,
}

#[derive(Debug, Default)]
struct Listed<'c> {
    /// By id: the turn of each, and the call.
    by_id: HashMap<Cow<'c, str>, Vec<(usize, &'c ToolCall)>>,
    /// By id and name: the first turn with one.
    named: HashMap<(Cow<'c, str>, Cow<'c, str>), usize>,
}

impl<'c> Calls<'c> {
    pub fn of(conversation: &'c Conversation) -> Self {
        Self { conversation, listed: OnceCell::new() }
    }

    pub fn conversation(&self) -> &'c Conversation {
        self.conversation
    }

    /// The call that a result answers: the last one with its id before `turn`.
    pub fn call_of(&self, turn: usize, id: &Text) -> Option<&'c ToolCall> {
        let before = self.conversation.turns.get(..turn).unwrap_or(&self.conversation.turns);
        let mut blocks = before.iter().rev().flat_map(|turn| turn.blocks.iter().rev());
        let near = blocks.by_ref().take(NEAR).find_map(|block| match &block.body {
            Body::ToolCall(call) if call.id == *id => Some(call),
            _ => None,
        });
        if near.is_some() || blocks.next().is_none() {
            return near;
        }
        let calls = self.listed().by_id.get(&id.contents())?;
        let until = calls.partition_point(|(of, _)| *of < turn);
        calls[..until].last().map(|(_, call)| *call)
    }

    /// Whether a call before `turn` has this id and this name.
    pub fn has_named(&self, turn: usize, id: &Text, name: &Text) -> bool {
        let first = self.listed().named.get(&(id.contents(), name.contents()));
        first.is_some_and(|first| *first < turn)
    }

    fn listed(&self) -> &Listed<'c> {
        self.listed.get_or_init(|| {
            let mut listed = Listed::default();
            for (at, turn) in self.conversation.turns.iter().enumerate() {
                for block in &turn.blocks {
                    let Body::ToolCall(call) = &block.body else { continue };
                    let id = call.id.contents();
                    listed.named.entry((id.clone(), call.name.contents())).or_insert(at);
                    listed.by_id.entry(id).or_default().push((at, call));
                }
            }
            listed
        })
    }
}

/// How many blocks are near.
const NEAR: usize = 16;
