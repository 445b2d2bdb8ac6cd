//! Batch edits of turns and blocks: single edits would move everything behind them each time.

use std::ops::Range;

use interlingua_model::{Block, LedgerPath, Role, SpellingSet, Turn, Verbatim};
use interlingua_wire::JsonString;

use crate::engine::source_map::{DetachedOrigins, SourceId};
use crate::engine::work::Work;
use crate::values::block::BlockPos;
use crate::values::list::{insert_at_indices, take_indices};

/// A detached block with its source, if a client wrote it.
#[derive(Debug)]
pub(crate) struct DetachedBlock {
    pub block: Verbatim<Block>,
    source: Option<SourceId>,
}

impl From<Block> for DetachedBlock {
    fn from(block: Block) -> Self {
        Self { block: block.into(), source: None }
    }
}

/// Detached turns in reverse order.
#[derive(Debug)]
pub(crate) struct DetachedTurns {
    turns: Vec<Verbatim<Turn>>,
    origins: DetachedOrigins,
    /// Index that the first of them had.
    next_index: usize,
}

/// Indices of turns or blocks to remove, collected from last to first.
#[derive(Debug, Default)]
pub(crate) struct Removals {
    indices: Vec<usize>,
    /// The next index behind the last pushed one that is kept.
    next_kept: usize,
}

impl Removals {
    pub(crate) fn push(&mut self, at: usize) {
        self.next_kept = self.next_kept_after(at);
        self.indices.push(at);
    }

    /// The next index behind `at` that is kept.
    pub(crate) fn next_kept_after(&self, at: usize) -> usize {
        if self.indices.last() == Some(&(at + 1)) { self.next_kept } else { at + 1 }
    }

    /// In ascending order.
    pub(crate) fn into_indices(mut self) -> Vec<usize> {
        self.indices.reverse();
        self.indices
    }
}

impl Work<'_> {
    /// Removes the blocks of a turn for which `should_remove` returns true; it is called from last
    /// to first and records the loss. Returns whether any was removed.
    pub(crate) fn remove_blocks_where(
        &mut self,
        turn: usize,
        mut should_remove: impl FnMut(&mut Self, usize) -> bool,
    ) -> bool {
        let mut removals = Removals::default();
        for at in (0..self.blocks(turn).len()).rev() {
            if should_remove(self, at) {
                removals.push(at);
            }
        }
        let removals = removals.into_indices();
        self.remove_blocks(turn, &removals);
        !removals.is_empty()
    }

    /// Detaches the turns from this one on. Until they are reattached, no code may index them.
    pub(crate) fn split_off(&mut self, from: usize) -> DetachedTurns {
        let start = from.min(self.turns().len());
        let mut turns = Vec::new();
        self.conversation.edit_keeping_text(|conversation| {
            turns = conversation.turns.split_off(start);
            turns.reverse();
        });
        DetachedTurns { turns, origins: self.output.source_map.split_off(start), next_index: start }
    }

    /// Reattaches one turn, if there is one.
    pub(crate) fn reattach_turn(&mut self, detached_turns: &mut DetachedTurns) -> bool {
        let Some(turn) = detached_turns.turns.pop() else { return false };
        self.output.source_map.reattach(&mut detached_turns.origins, detached_turns.next_index);
        detached_turns.next_index += 1;
        self.conversation.edit_keeping_text(|conversation| conversation.turns.push(turn));
        true
    }

    /// Reattaches the turn behind this one, if it is detached.
    pub(crate) fn reattach_after(&mut self, detached_turns: &mut DetachedTurns, turn: usize) {
        if turn + 1 >= self.turns().len() {
            self.reattach_turn(detached_turns);
        }
    }

    /// Takes blocks at sorted positions out of their turns.
    pub(crate) fn take_blocks(&mut self, positions: &[BlockPos]) -> Vec<DetachedBlock> {
        let mut taken = Vec::with_capacity(positions.len());
        for in_turn in positions.chunk_by(|a, b| a.0 == b.0) {
            let Some((turn, _)) = in_turn.first() else { continue };
            let (turns, count) = (self.turns().len(), self.blocks(*turn).len());
            let indices: Vec<usize> = in_turn.iter().map(|(_, at)| *at).collect();
            let sources = self.output.source_map.take_blocks(turns, *turn, count, &indices);
            let blocks = take_indices(&mut self.edit_turn(*turn).blocks, &indices);
            let detached = blocks.into_iter().zip(sources);
            taken.extend(
                detached.map(|(block, source_id)| DetachedBlock { block, source: Some(source_id) }),
            );
        }
        taken
    }

    /// Inserts blocks into a turn, each before the block that is at its index now; sorted by index.
    pub(crate) fn insert_blocks(&mut self, turn: usize, blocks: Vec<(usize, DetachedBlock)>) {
        let (turns, count) = (self.turns().len(), self.blocks(turn).len());
        let (sources, blocks): (Vec<_>, Vec<_>) =
            blocks.into_iter().map(|(at, block)| ((at, block.source), (at, block.block))).unzip();
        self.output.source_map.insert_blocks(turns, turn, count, sources);
        insert_at_indices(&mut self.edit_turn(turn).blocks, blocks);
    }

    /// A part that was split off a block, to be inserted: both have one source.
    pub(crate) fn derive_block(&self, (turn, at): BlockPos, block: Block) -> DetachedBlock {
        let source = self.output.source_map.source_at(LedgerPath::block(turn, at));
        DetachedBlock { block: block.into(), source }
    }

    /// Inserts a user turn for each block, the first of them at this index.
    pub(crate) fn insert_user_turns(&mut self, at: usize, blocks: Vec<DetachedBlock>) {
        self.insert_turns(blocks.into_iter().map(|block| (at, Role::User, vec![block])).collect());
    }

    /// Inserts turns of blocks, each before the turn that is at its index now; sorted by index.
    pub(crate) fn insert_turns(&mut self, new_turns: Vec<(usize, Role, Vec<DetachedBlock>)>) {
        let Some((first, ..)) = new_turns.first() else { return };
        let first = *first;
        let (mut turn_sources, mut turns) =
            (Vec::with_capacity(new_turns.len()), Vec::with_capacity(new_turns.len()));
        for (at, role, blocks) in new_turns {
            let mut turn = Turn::new(role);
            // Grown by pushing, a list of one block would have room for four.
            turn.blocks.reserve_exact(blocks.len());
            let mut sources = Vec::with_capacity(blocks.len());
            for block in blocks {
                sources.push(block.source);
                turn.blocks.push(block.block);
            }
            turn_sources.push((at, sources));
            turns.push((at, turn.into()));
        }
        self.output.source_map.insert_turns(self.turns().len(), turn_sources);
        self.invalidate(first);
        insert_at_indices(&mut self.conversation.edit().turns, turns);
    }

    pub(crate) fn swap_blocks(&mut self, a: BlockPos, b: BlockPos) {
        let turns = self.turns().len();
        let count = |turn: usize| self.blocks(turn).len();
        let (count_a, count_b) = (count(a.0), count(b.0));
        self.output.source_map.swap_blocks(turns, (a, count_a), (b, count_b));
        let first = std::mem::replace(
            &mut self.edit_turn(a.0).blocks[a.1],
            Block::text(JsonString::EMPTY).into(),
        );
        let second = std::mem::replace(&mut self.edit_turn(b.0).blocks[b.1], first);
        self.edit_turn(a.0).blocks[a.1] = second;
    }

    /// Moves blocks at sorted positions to the end of a turn.
    pub(crate) fn move_blocks_to_end(&mut self, positions: &[BlockPos], to: usize) {
        if positions.is_empty() {
            return;
        }
        let end = self.blocks(to).len();
        let blocks = self.take_blocks(positions).into_iter().map(|block| (end, block)).collect();
        self.insert_blocks(to, blocks);
    }

    /// Moves blocks at sorted positions behind this position to it.
    pub(crate) fn move_blocks_before(&mut self, positions: &[BlockPos], (turn, at): BlockPos) {
        if !positions.is_empty() {
            let blocks = self.take_blocks(positions).into_iter().map(|block| (at, block)).collect();
            self.insert_blocks(turn, blocks);
        }
    }

    /// Copies to a turn which fields of another one, whose blocks it gets, were written.
    fn merge_written_fields(&mut self, turn: usize, from: usize) {
        let dialect = self.profile.dialect;
        let fields_of = |turn: usize| {
            self.turns()[turn].extras.spellings(dialect).intersection(SpellingSet::FIELDS)
        };
        let missing = fields_of(from).without(fields_of(turn));
        if !missing.is_empty() {
            self.edit_turn(turn).extras.add_spellings(dialect, missing);
        }
    }

    /// Merges the turns before `end` into an earlier one.
    pub(crate) fn merge_turns(&mut self, turn: usize, end: usize) {
        self.empty_turns_into(turn, end);
        let removed: Vec<usize> = (turn + 1..end).collect();
        self.remove_turns(&removed);
    }

    /// Moves the blocks of the turns before `end` into an earlier one. The emptied turns are to be
    /// removed, those of all merges at once.
    pub(crate) fn empty_turns_into(&mut self, turn: usize, end: usize) {
        let mut positions = Vec::new();
        for from in turn + 1..end {
            self.merge_written_fields(turn, from);
            positions.extend((0..self.blocks(from).len()).map(|at| (from, at)));
        }
        self.move_blocks_to_end(&positions, turn);
    }

    /// Removes blocks at sorted positions, and turns that are empty then.
    pub(crate) fn remove_blocks_and_empty_turns(&mut self, positions: &[BlockPos]) {
        self.take_blocks(positions);
        let mut emptied: Vec<usize> = positions.iter().map(|(turn, _)| *turn).collect();
        emptied.dedup();
        emptied.retain(|turn| self.blocks(*turn).is_empty());
        self.remove_turns(&emptied);
    }

    /// Removes blocks of a turn at sorted indices.
    pub(crate) fn remove_blocks(&mut self, turn: usize, indices: &[usize]) {
        if !indices.is_empty() {
            let positions: Vec<BlockPos> = indices.iter().map(|at| (turn, *at)).collect();
            self.take_blocks(&positions);
        }
    }

    /// Removes the system blocks for which `should_remove` returns true; it is called from first to
    /// last and records the loss.
    pub(crate) fn remove_system_where(
        &mut self,
        mut should_remove: impl FnMut(&mut Self, usize) -> bool,
    ) {
        let all = 0..self.conversation.system.len();
        let removed: Vec<usize> = all.clone().filter(|at| should_remove(self, *at)).collect();
        if removed.is_empty() {
            return;
        }
        self.output.source_map.remove_system_at(all.len(), &removed);
        take_indices(self.edit_system(), &removed);
    }

    pub(crate) fn remove_system_range(&mut self, removed: Range<usize>) {
        self.output.source_map.remove_system_range(self.conversation.system.len(), removed.clone());
        self.edit_system().drain(removed);
    }

    /// Removes turns at sorted indices.
    pub(crate) fn remove_turns(&mut self, removed: &[usize]) {
        let Some(first) = removed.first() else { return };
        self.invalidate(*first);
        self.output.source_map.remove_turns(self.turns().len(), removed);
        take_indices(&mut self.conversation.edit().turns, removed);
    }
}
