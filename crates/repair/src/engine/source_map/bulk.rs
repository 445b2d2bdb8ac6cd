//! Batch insertions, removals and moves in the source map.

use crate::engine::source_map::{SourceId, SourceMap, TurnOrigin, nearest_client_turn};
use crate::values::block::BlockPos;
use crate::values::list::{insert_at_indices, take_indices};

impl SourceMap {
    pub(crate) fn take_blocks(
        &mut self,
        turns: usize,
        turn: usize,
        count: usize,
        indices: &[usize],
    ) -> Vec<SourceId> {
        take_indices(self.blocks_mut(turns, turn, count), indices)
    }

    /// Inserts blocks; those without a source are new.
    pub(crate) fn insert_blocks(
        &mut self,
        turns: usize,
        turn: usize,
        count: usize,
        sources: Vec<(usize, Option<SourceId>)>,
    ) {
        let turn_id = self.turns_mut(turns)[turn].turn;
        let resolve = |(at, source_id): (usize, Option<SourceId>)| {
            let new = || SourceId { turn: turn_id, block: Some(self.next_synthetic()) };
            (at, source_id.unwrap_or_else(new))
        };
        let sources = sources.into_iter().map(resolve).collect();
        insert_at_indices(self.blocks_mut(turns, turn, count), sources);
    }

    /// Inserts new turns with these blocks, each before the turn at its index.
    pub(crate) fn insert_turns(
        &mut self,
        turns: usize,
        new_turns: Vec<(usize, Vec<Option<SourceId>>)>,
    ) {
        self.turns_mut(turns);
        let to_origin = |(at, sources): (usize, Vec<Option<SourceId>>)| {
            let turn = self.next_synthetic();
            let nearest = nearest_client_turn(self.turns.as_deref().unwrap_or_default(), at);
            let mut resolve = |source_id: Option<SourceId>| {
                source_id.unwrap_or_else(|| SourceId { turn, block: Some(self.next_synthetic()) })
            };
            let blocks = sources.into_iter().map(&mut resolve).collect();
            (at, TurnOrigin { turn, nearest_client_turn: nearest, blocks: Some(blocks) })
        };
        let new_turns = new_turns.into_iter().map(to_origin).collect();
        insert_at_indices(self.turns_mut(turns), new_turns);
    }

    /// Swaps two blocks; each comes with the number of blocks of its turn.
    pub(crate) fn swap_blocks(
        &mut self,
        turns: usize,
        ((turn, at), count): (BlockPos, usize),
        ((other_turn, other_at), other_count): (BlockPos, usize),
    ) {
        let first = self.blocks_mut(turns, turn, count)[at];
        let second = std::mem::replace(
            &mut self.blocks_mut(turns, other_turn, other_count)[other_at],
            first,
        );
        self.blocks_mut(turns, turn, count)[at] = second;
    }

    pub(crate) fn remove_turns(&mut self, turns: usize, removed: &[usize]) {
        take_indices(self.turns_mut(turns), removed);
    }
}

/// Origins of detached turns in reverse order; `None` while no turn has moved.
#[derive(Debug)]
pub(crate) struct DetachedOrigins(Option<Vec<TurnOrigin>>);

impl SourceMap {
    /// Detaches the turns from this one on.
    pub(crate) fn split_off(&mut self, from: usize) -> DetachedOrigins {
        DetachedOrigins(self.turns.as_mut().map(|origins| {
            let mut detached = origins.split_off(from);
            detached.reverse();
            detached
        }))
    }

    /// Reattaches the first detached turn behind the others; `stood` was its index.
    pub(crate) fn reattach(
        &mut self,
        DetachedOrigins(detached): &mut DetachedOrigins,
        original_index: usize,
    ) {
        let Some(origins) = &mut self.turns else { return };
        match detached {
            Some(detached) => origins.extend(detached.pop()),
            None => origins.push(TurnOrigin::unmoved(original_index as u32)),
        }
    }
}
