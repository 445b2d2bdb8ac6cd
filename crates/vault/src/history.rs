//! Hashes a conversation turn by turn, so that it is recognized when the client sends it again,
//! even if its beginning was replaced.
//!
//! Only content that clients replay unchanged counts: text, call ids, and which results are
//! present. Reasoning, cache breakpoints, system messages and the content of results do not:
//! clients lose, move, rewrite or shorten them.

use std::ops::Range;

use interlingua_model::{Block, BlockContent, Conversation, Reply, Role, Turn, Verbatim};

use crate::normalize::hash_text;
use crate::stable_hash::StableHasher;

/// Running hashes of a conversation, by which it is recognized again.
#[derive(Clone, Debug)]
pub struct HistoryHashes {
    /// The runs of assistant turns, in order.
    pub runs: Vec<HashedRun>,
    /// Everything up to the last input.
    prefix: StableHasher,
    /// Hash and text bytes of the last turns that are not the assistant's.
    last_input: (u64, usize),
}

/// Consecutive assistant turns and their hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedRun {
    pub turns: Range<usize>,
    pub hashes: RunHashes,
}

/// Hashes of a run of assistant turns, with and without everything before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunHashes {
    /// Everything before the run.
    pub prefix: u64,
    /// Everything before the run, and the run.
    pub with_prefix: u64,
    /// The run alone, or with the input before it if its text is short: independent of how the
    /// history begins.
    pub alone: u64,
    /// Whether `alone` identifies the run.
    pub is_unique: bool,
}

impl HistoryHashes {
    pub fn new(conversation: &Conversation) -> Self {
        let mut history =
            Self { runs: Vec::new(), prefix: StableHasher::default(), last_input: (0, 0) };
        let turns = &conversation.turns;
        let mut at = 0;
        while at < turns.len() {
            let is_assistant = turns[at].role == Role::Assistant;
            let is_same_side =
                |turn: &&Verbatim<Turn>| (turn.role == Role::Assistant) == is_assistant;
            let end = at + turns[at..].iter().take_while(is_same_side).count();
            history.push_turns(at..end, &turns[at..end], is_assistant);
            at = end;
        }
        history
    }

    fn push_turns(&mut self, range: Range<usize>, turns: &[Verbatim<Turn>], is_assistant: bool) {
        if is_assistant {
            let (hashes, with_prefix) = self.hash_run(turns.iter().map(|turn| &**turn));
            self.runs.push(HashedRun { turns: range, hashes });
            self.prefix = with_prefix;
            return;
        }
        let (mut hasher, mut text_len) = (StableHasher::default(), 0);
        // System messages change from day to day.
        let user_turns = turns.iter().filter(|turn| matches!(turn.role, Role::User));
        for turn in user_turns {
            for block in &turn.blocks {
                if let BlockContent::ToolResult(result) = &block.content {
                    hasher.write(result.call_id.unescape().as_bytes());
                }
                hash_text([block], &mut hasher);
                text_len += text_bytes(block);
            }
        }
        self.last_input = (hasher.finish(), text_len);
        self.prefix.write(&hasher.finish().to_le_bytes());
    }

    /// Hash of everything up to the last input.
    pub fn prefix_hash(&self) -> u64 {
        self.prefix.finish()
    }

    /// Hashes of a reply to the last input.
    pub fn hash_reply(&self, reply: &Reply) -> RunHashes {
        self.hash_run(std::iter::once(&reply.turn)).0
    }

    fn hash_run<'t>(
        &self,
        turns: impl Iterator<Item = &'t Turn> + Clone,
    ) -> (RunHashes, StableHasher) {
        let (mut alone, mut has_calls, mut text_len) = (StableHasher::default(), false, 0);
        for turn in turns.clone() {
            for block in &turn.blocks {
                text_len += text_bytes(block);
                if let BlockContent::ToolCall(call) = &block.content {
                    alone.write(call.id.unescape().as_bytes());
                    has_calls = true;
                }
            }
        }
        let mut hasher = alone;
        for turn in turns {
            hash_text(&turn.blocks, &mut hasher);
        }
        if !has_calls {
            alone = hasher;
            if text_len < MIN_UNIQUE_BYTES {
                alone.write(&self.last_input.0.to_le_bytes());
                text_len += self.last_input.1;
            }
        }
        let mut with_prefix = self.prefix;
        with_prefix.write(&hasher.finish().to_le_bytes());
        let (prefix, alone) = (self.prefix.finish(), alone.finish());
        (
            RunHashes {
                prefix,
                with_prefix: with_prefix.finish(),
                alone,
                is_unique: has_calls || text_len >= MIN_UNIQUE_BYTES,
            },
            with_prefix,
        )
    }
}

/// Bytes of visible text, with JSON escapes.
fn text_bytes(block: &Block) -> usize {
    match &block.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => text.raw().len(),
        _ => 0,
    }
}

/// From this length on, a text is assumed to occur only once.
const MIN_UNIQUE_BYTES: usize = 80;
