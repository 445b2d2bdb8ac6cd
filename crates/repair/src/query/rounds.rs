//! Groups turns into rounds: assistant turns and the turns that follow them.

use std::ops::Range;

use interlingua_model::{Block, Role, ToolCall, ToolResult, Turn, Verbatim};

use crate::engine::Work;
use crate::query::call_ids::IdSet;
use crate::values::block::{BlockPos, as_call, as_result};

/// A run of assistant turns and the turns that follow until the next assistant turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    pub assistant_turns: Range<usize>,
    pub following_turns: Range<usize>,
}

impl Round {
    /// The round that begins with this turn. Turns before the first assistant turn are a round
    /// without assistant turns.
    pub(crate) fn starting_at(turns: &[Verbatim<Turn>], start: usize) -> Option<Self> {
        let is_assistant = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
        let rest = turns.get(start..).filter(|rest| !rest.is_empty())?;
        let middle = start + rest.iter().take_while(is_assistant).count();
        let following = turns[middle..].iter().take_while(|turn| !is_assistant(turn)).count();
        Some(Self { assistant_turns: start..middle, following_turns: middle..middle + following })
    }

    pub(crate) fn end(&self) -> usize {
        self.following_turns.end
    }

    pub(crate) fn turns(&self) -> Range<usize> {
        self.assistant_turns.start..self.following_turns.end
    }

    /// The calls of the assistant turns.
    pub(crate) fn calls<'w>(
        &self,
        work: &'w Work<'_>,
    ) -> impl Iterator<Item = (BlockPos, &'w ToolCall)> {
        blocks(work, self.assistant_turns.clone())
            .filter_map(|(pos, block)| Some((pos, as_call(block)?)))
    }

    /// The results of the following turns.
    pub(crate) fn results<'w>(
        &self,
        work: &'w Work<'_>,
    ) -> impl Iterator<Item = (BlockPos, &'w ToolResult)> {
        blocks(work, self.following_turns.clone())
            .filter_map(|(pos, block)| Some((pos, as_result(block)?)))
    }

    /// The ids of the calls.
    pub(crate) fn call_ids<'w>(&self, work: &'w Work<'_>) -> IdSet<'w> {
        IdSet::from_ids(self.calls(work).map(|(_, call)| &call.id))
    }

    /// The ids that have a result in this round.
    pub(crate) fn result_ids<'w>(&self, work: &'w Work<'_>) -> IdSet<'w> {
        IdSet::from_ids(self.results(work).map(|(_, result)| &result.call_id))
    }
}

/// Every block of these turns.
pub(crate) fn blocks<'w>(
    work: &'w Work<'_>,
    turns: Range<usize>,
) -> impl Iterator<Item = (BlockPos, &'w Block)> {
    let listed = turns.clone().zip(&work.turns()[turns]);
    listed.flat_map(|(at, turn)| {
        turn.blocks.iter().enumerate().map(move |(index, block)| ((at, index), &**block))
    })
}
