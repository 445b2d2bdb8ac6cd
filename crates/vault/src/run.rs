//! What a model said at a time, in a conversation that comes back, and what it was.

use std::borrow::Borrow;
use std::ops::Range;
use std::slice;

use interlingua_model::{Block, Body, Conversation, Restored, Turn, Verbatim};
use interlingua_wire::Text;

use crate::keys::{self, Keys};
use crate::said::Said;
use crate::{History, Kept, Origin, Span};

/// The turns of a model between those of others: clients write one reply as one or as several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub turns: Range<usize>,
    /// Its keys, among those of all runs.
    keys: Range<usize>,
    /// Everything that was said before it.
    before: u64,
    /// What is found is this turn; else only in the same conversation.
    sure: bool,
}

/// Everything that models said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    all: Vec<Run>,
    keys: Keys,
}

/// Everything that models said.
pub fn runs(conversation: &Conversation, history: &History) -> Runs {
    let count = history.spans.len();
    let mut runs = Runs { all: Vec::with_capacity(count), keys: Keys::for_turns(count) };
    for Span { turns, link } in &history.spans {
        let first = runs.keys.len();
        let said = &conversation.turns[turns.clone()];
        let sure = keys::surest(said, *link, &mut runs.keys);
        let keys = first..runs.keys.len();
        runs.all.push(Run { turns: turns.clone(), keys, before: link.before, sure });
    }
    runs
}

impl Runs {
    pub fn iter(&self) -> slice::Iter<'_, Run> {
        self.all.iter()
    }

    /// Under which one is found, if it was kept: the surest first.
    pub fn keys_of(&self, run: &Run) -> impl Iterator<Item = &str> {
        self.keys.among(run.keys.clone())
    }

    /// The keys of all, one after the other.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.among(0..self.keys.len())
    }
}

impl<'r> IntoIterator for &'r Runs {
    type Item = &'r Run;
    type IntoIter = slice::Iter<'r, Run>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Run {
    /// Whether this was kept of the run, whatever conversation it is.
    pub fn is_sure_of(&self, kept: &Kept) -> bool {
        self.sure || kept.prefix == Some(self.before)
    }
}

/// What a run is to be for a provider that can open what was kept of it, if it lacks any of that.
/// What the client has changed on purpose stays as it is. Where the same was said twice, it is what was
/// said after the same history; or at least in one of these conversations.
pub fn restore<K: Borrow<Kept>>(
    conversation: &Conversation,
    run: &Run,
    kept: &[K],
    origin: &Origin,
    known: &[u64],
) -> Option<Restored> {
    let here = &conversation.turns[run.turns.clone()];
    let is_known = |kept: &&Kept| known.contains(&kept.conversation);
    let is_own = |kept: &&Kept| kept.origin == *origin && (run.is_sure_of(kept) || is_known(kept));
    let own = || kept.iter().map(Borrow::borrow).filter(is_own);
    own().next()?;
    // What is only named is whole at the provider that keeps it.
    if blocks(here).any(|block| is_named(block)) {
        return None;
    }
    if own().any(|kept| is_whole(here, &kept.turn)) {
        return None;
    }
    let said = Said::of(blocks(here));
    let same = || own().filter(|kept| is_same(&said, &Said::of(&kept.turn.blocks)));
    let after = || same().find(|kept| kept.prefix == Some(run.before));
    let kept = after().or_else(|| same().find(is_known)).or_else(|| same().next())?;
    Some(Restored { turns: run.turns.clone(), turn: as_it_was(here, &kept.turn) })
}

fn blocks(turns: &[Verbatim<Turn>]) -> impl Iterator<Item = &Verbatim<Block>> + Clone {
    turns.iter().flat_map(|turn| &turn.blocks)
}

/// Whether this is what was kept, whatever became of its thoughts. A client that shows calls without
/// the words before them has the same turn.
fn is_same(said: &Said, kept: &Said) -> bool {
    said.calls == kept.calls
        && (said.words_are(kept) || (said.words.is_empty() && !kept.calls.is_empty()))
}

/// Whether nothing is missing: every block stands where it stood, with its seal.
fn is_whole(turns: &[Verbatim<Turn>], kept: &Turn) -> bool {
    let kept = kept.blocks.iter().map(|block| Piece::of(block));
    blocks(turns).map(|block| Piece::of(block)).eq(kept)
}

/// Whether an item is said by its id alone.
fn is_named(block: &Block) -> bool {
    matches!(&block.body, Body::Foreign { kind, .. } if *kind == NAMED)
}

/// A block as its provider looks at it: what it is, what it says, and its seal.
#[derive(PartialEq)]
struct Piece<'b> {
    kind: char,
    says: Option<&'b Text>,
    seal: Option<&'b Text>,
}

impl<'b> Piece<'b> {
    fn of(block: &'b Block) -> Self {
        let (kind, says) = match &block.body {
            Body::Thinking(thinking) => ('t', Some(&thinking.text)),
            Body::Text { text, .. } | Body::Refusal(text) => ('w', Some(text)),
            Body::ToolCall(call) => ('c', Some(&call.id)),
            _ => ('o', None),
        };
        let seal = block.seal.as_deref().map(|seal| &seal.data).filter(|data| !data.is_empty());
        Self { kind, says, seal }
    }
}

/// The kept turn, with the last breakpoint of the client's cache.
fn as_it_was(here: &[Verbatim<Turn>], kept: &Turn) -> Turn {
    let mut turn = kept.clone();
    if let Some(mark) = blocks(here).filter_map(|block| block.cache.clone()).last() {
        let takes_it = |block: &&mut Verbatim<Block>| match &block.body {
            Body::Text { text, .. } => !text.is_blank(),
            body => matches!(body, Body::ToolCall(_)),
        };
        if let Some(last) = turn.blocks.iter_mut().rev().find(takes_it) {
            last.edit().cache = Some(mark);
        }
    }
    turn
}

const NAMED: &str = "item_reference";
