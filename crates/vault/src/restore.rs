//! Finds the assistant runs of a conversation and restores the parts that the client lost.

use std::borrow::Borrow;
use std::ops::Range;
use std::slice;

use interlingua_model::{Block, BlockContent, Conversation, RestoredTurn, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::keys::{self, KeyList};
use crate::normalize::NormalizedContent;
use crate::{HashedRun, HistoryHashes, ReplyOrigin, VaultEntry};

/// Consecutive assistant turns: some clients write one reply as several turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssistantRun {
    pub turns: Range<usize>,
    /// Indices of its keys in the list of all runs.
    keys: Range<usize>,
    /// Hash of everything before the run.
    prefix_hash: u64,
    /// Whether its keys identify it in any conversation.
    is_unique: bool,
}

/// All assistant runs of a conversation with their lookup keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssistantRuns {
    runs: Vec<AssistantRun>,
    keys: KeyList,
}

/// Finds the assistant runs of a conversation.
pub fn assistant_runs(conversation: &Conversation, history: &HistoryHashes) -> AssistantRuns {
    let count = history.runs.len();
    let mut runs =
        AssistantRuns { runs: Vec::with_capacity(count), keys: KeyList::with_capacity(count) };
    for HashedRun { turns, hashes } in &history.runs {
        let first = runs.keys.len();
        let assistant_turns = &conversation.turns[turns.clone()];
        let is_unique = keys::push_best_keys(assistant_turns, *hashes, &mut runs.keys);
        let keys = first..runs.keys.len();
        runs.runs.push(AssistantRun {
            turns: turns.clone(),
            keys,
            prefix_hash: hashes.prefix,
            is_unique,
        });
    }
    runs
}

impl AssistantRuns {
    pub fn iter(&self) -> slice::Iter<'_, AssistantRun> {
        self.runs.iter()
    }

    /// The lookup keys of one run, the most reliable first.
    pub fn keys_for(&self, run: &AssistantRun) -> impl Iterator<Item = &str> {
        self.keys.range(run.keys.clone())
    }

    /// The lookup keys of all runs.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.range(0..self.keys.len())
    }
}

impl<'r> IntoIterator for &'r AssistantRuns {
    type Item = &'r AssistantRun;
    type IntoIter = slice::Iter<'r, AssistantRun>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl AssistantRun {
    /// Whether an entry found by the run's keys certainly belongs to it.
    pub fn identifies(&self, entry: &VaultEntry) -> bool {
        self.is_unique || entry.prefix_hash == Some(self.prefix_hash)
    }
}

/// The turn that replaces a run for the provider that sealed it; `None` if the run is complete or
/// was edited by the client. Of several equal entries, the one with the same history is used, then
/// one of the known conversations.
pub fn restore<K: Borrow<VaultEntry>>(
    conversation: &Conversation,
    run: &AssistantRun,
    entries: &[K],
    origin: &ReplyOrigin,
    known_conversations: &[u64],
) -> Option<RestoredTurn> {
    let turns = &conversation.turns[run.turns.clone()];
    let is_known = |entry: &&VaultEntry| known_conversations.contains(&entry.conversation_id);
    let is_candidate =
        |entry: &&VaultEntry| entry.origin == *origin && (run.identifies(entry) || is_known(entry));
    let candidates = || entries.iter().map(Borrow::borrow).filter(is_candidate);
    candidates().next()?;
    // An item reference is resolved by the provider that stores the item.
    if blocks(turns).any(|block| is_item_reference(block)) {
        return None;
    }
    if candidates().any(|entry| is_intact(turns, &entry.turn)) {
        return None;
    }
    let content = NormalizedContent::from_blocks(blocks(turns));
    let matching = || {
        candidates().filter(|entry| {
            has_same_content(&content, &NormalizedContent::from_blocks(&entry.turn.blocks))
        })
    };
    let with_same_prefix = || matching().find(|entry| entry.prefix_hash == Some(run.prefix_hash));
    let entry =
        with_same_prefix().or_else(|| matching().find(is_known)).or_else(|| matching().next())?;
    Some(RestoredTurn { replaced: run.turns.clone(), turn: restored_turn(turns, &entry.turn) })
}

fn blocks(turns: &[Verbatim<Turn>]) -> impl Iterator<Item = &Verbatim<Block>> + Clone {
    turns.iter().flat_map(|turn| &turn.blocks)
}

/// Whether visible text and calls are equal, whatever became of the reasoning. Clients may drop the
/// text before calls.
fn has_same_content(content: &NormalizedContent, stored: &NormalizedContent) -> bool {
    content.calls == stored.calls
        && (content.has_same_text(stored) || (content.text.is_empty() && !stored.calls.is_empty()))
}

/// Whether every block is in its position with its seal.
fn is_intact(turns: &[Verbatim<Turn>], stored: &Turn) -> bool {
    let stored = stored.blocks.iter().map(|block| BlockIdentity::new(block));
    blocks(turns).map(|block| BlockIdentity::new(block)).eq(stored)
}

/// Whether a block is `OpenAI`'s `item_reference`, which has only an id.
fn is_item_reference(block: &Block) -> bool {
    matches!(&block.content, BlockContent::Foreign { kind, .. } if *kind == ITEM_REFERENCE)
}

/// The parts of a block that its provider verifies.
#[derive(PartialEq)]
struct BlockIdentity<'b> {
    kind: char,
    text: Option<&'b JsonString>,
    seal: Option<&'b JsonString>,
}

impl<'b> BlockIdentity<'b> {
    fn new(block: &'b Block) -> Self {
        let (kind, text) = match &block.content {
            BlockContent::Reasoning(thinking) => ('t', Some(&thinking.text)),
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => ('w', Some(text)),
            BlockContent::ToolCall(call) => ('c', Some(&call.id)),
            _ => ('o', None),
        };
        let seal = block.seal.as_deref().map(|seal| &seal.data).filter(|data| !data.is_empty());
        Self { kind, text, seal }
    }
}

/// The stored turn with the client's last cache breakpoint.
fn restored_turn(turns: &[Verbatim<Turn>], stored: &Turn) -> Turn {
    let mut turn = stored.clone();
    if let Some(breakpoint) =
        blocks(turns).filter_map(|block| block.cache_breakpoint.clone()).last()
    {
        let supports_breakpoint = |block: &&mut Verbatim<Block>| match &block.content {
            BlockContent::Text { text, .. } => !text.is_blank(),
            content => matches!(content, BlockContent::ToolCall(_)),
        };
        if let Some(last) = turn.blocks.iter_mut().rev().find(supports_breakpoint) {
            last.edit().cache_breakpoint = Some(breakpoint);
        }
    }
    turn
}

const ITEM_REFERENCE: &str = "item_reference";
