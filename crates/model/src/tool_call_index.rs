//! Index of a conversation's tool calls by their ids.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use interlingua_wire::JsonString;

use crate::{BlockContent, Conversation, ToolCall};

/// Finds tool calls by id. Most calls are near their result, so the last blocks are searched first;
/// the index is built at the first miss.
#[derive(Debug)]
pub struct ToolCallIndex<'c> {
    conversation: &'c Conversation,
    maps: OnceCell<IndexMaps<'c>>,
}

#[derive(Debug, Default)]
struct IndexMaps<'c> {
    /// By id: the turn and the call.
    by_id: HashMap<Cow<'c, str>, Vec<(usize, &'c ToolCall)>>,
    /// By id and name: the first turn with such a call.
    first_turn_by_id_and_name: HashMap<(Cow<'c, str>, Cow<'c, str>), usize>,
}

impl<'c> ToolCallIndex<'c> {
    /// Indexes the calls and results of a conversation.
    pub fn new(conversation: &'c Conversation) -> Self {
        Self { conversation, maps: OnceCell::new() }
    }

    /// The indexed conversation.
    pub fn conversation(&self) -> &'c Conversation {
        self.conversation
    }

    /// The call that a result answers: the last one with this id before `turn`.
    pub fn call_before(&self, turn: usize, id: &JsonString) -> Option<&'c ToolCall> {
        let before = self.conversation.turns.get(..turn).unwrap_or(&self.conversation.turns);
        let mut blocks = before.iter().rev().flat_map(|turn| turn.blocks.iter().rev());
        let nearby = blocks.by_ref().take(NEARBY_BLOCKS).find_map(|block| match &block.content {
            BlockContent::ToolCall(call) if call.id == *id => Some(call),
            _ => None,
        });
        if nearby.is_some() || blocks.next().is_none() {
            return nearby;
        }
        let calls = self.maps().by_id.get(&id.unescape())?;
        let until = calls.partition_point(|(call_turn, _)| *call_turn < turn);
        calls[..until].last().map(|(_, call)| *call)
    }

    /// Whether a call before `turn` has this id and this name.
    pub fn has_call_before(&self, turn: usize, id: &JsonString, name: &JsonString) -> bool {
        let first = self.maps().first_turn_by_id_and_name.get(&(id.unescape(), name.unescape()));
        first.is_some_and(|first| *first < turn)
    }

    fn maps(&self) -> &IndexMaps<'c> {
        self.maps.get_or_init(|| {
            let mut index_maps = IndexMaps::default();
            for (turn_index, turn) in self.conversation.turns.iter().enumerate() {
                for block in &turn.blocks {
                    let BlockContent::ToolCall(call) = &block.content else { continue };
                    let id = call.id.unescape();
                    index_maps
                        .first_turn_by_id_and_name
                        .entry((id.clone(), call.name.unescape()))
                        .or_insert(turn_index);
                    index_maps.by_id.entry(id).or_default().push((turn_index, call));
                }
            }
            index_maps
        })
    }
}

/// Number of blocks that are searched before the index is built.
const NEARBY_BLOCKS: usize = 16;
