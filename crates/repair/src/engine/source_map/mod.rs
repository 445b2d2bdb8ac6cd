//! Maps current positions of turns and blocks to their positions in the client's request.

mod bulk;

use std::collections::HashMap;
use std::ops::Range;

use interlingua_model::{Ledger, LedgerEntry, LedgerPath, LedgerSection};

pub(crate) use self::bulk::DetachedOrigins;

/// Tracks turns and blocks through insertions, removals and moves. Allocates nothing until the
/// first of them.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// One entry for each turn; `None` while no turn has moved.
    turns: Option<Vec<TurnOrigin>>,
    /// The remaining tools and system blocks.
    tools: RemainingIndices,
    system: RemainingIndices,
    /// Number of turns and blocks that were inserted.
    synthetic_count: u32,
    /// Blocks that were merged into another block, by that block.
    merged: HashMap<SourceId, Vec<SourceId>>,
    /// Index of each ledger entry with the source it is about.
    entry_sources: Vec<(usize, SourceId)>,
}

/// Original indices of the items left in a list; `None` while nothing was removed.
#[derive(Debug, Default)]
struct RemainingIndices(Option<Vec<u32>>);

impl RemainingIndices {
    fn original(&self, index: Option<u32>) -> Option<u32> {
        let remaining = self.0.as_deref().unwrap_or_default();
        index.map(|index| remaining.get(index as usize).copied().unwrap_or(index))
    }

    /// Keeps the items of a list of `count` for which `keep` returns true.
    fn retain(&mut self, count: usize, mut keep: impl FnMut(usize) -> bool) {
        let mut at = 0;
        self.0.get_or_insert_with(|| (0..count as u32).collect()).retain(|_| {
            at += 1;
            keep(at - 1)
        });
    }
}

#[derive(Debug)]
struct TurnOrigin {
    turn: u32,
    /// The client's turn nearest to this one, itself included.
    nearest_client_turn: u32,
    /// `None` while no block has moved.
    blocks: Option<Vec<SourceId>>,
}

impl TurnOrigin {
    /// For a turn that has not moved.
    fn unmoved(turn: u32) -> Self {
        Self { turn, nearest_client_turn: turn, blocks: None }
    }
}

/// The client's turn nearest before this position; the first turn if there is none.
fn nearest_client_turn(origins: &[TurnOrigin], at: usize) -> u32 {
    let previous = at.checked_sub(1).and_then(|previous| origins.get(previous));
    previous.map_or(0, |turn_origin| turn_origin.nearest_client_turn)
}

/// Original position of a turn or block. Numbers from [`FIRST_SYNTHETIC`] on are inserted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SourceId {
    turn: u32,
    block: Option<u32>,
}

impl SourceMap {
    /// Maps a current path to the client's; inserted turns and blocks map to the nearest.
    fn to_client(&self, path: LedgerPath) -> LedgerPath {
        match path.section {
            LedgerSection::Tools => {
                return LedgerPath { index: self.tools.original(path.index), ..path };
            }
            LedgerSection::System => {
                return LedgerPath { block: self.system.original(path.block), ..path };
            }
            LedgerSection::Turns
            | LedgerSection::Body
            | LedgerSection::Settings
            | LedgerSection::Reply => {}
        }
        let Some(source_id) = self.source_at(path) else { return path };
        let path_of = |turn: u32, block| LedgerPath { index: Some(turn), block, ..path };
        match source_id {
            SourceId { turn, block: Some(block) }
                if turn < FIRST_SYNTHETIC && block < FIRST_SYNTHETIC =>
            {
                path_of(turn, Some(block))
            }
            SourceId { turn, .. } if turn < FIRST_SYNTHETIC => path_of(turn, None),
            SourceId { .. } => {
                let origins = self.turns.as_deref().unwrap_or_default();
                path_of(nearest_client_turn(origins, path.index.unwrap_or(0) as usize), None)
            }
        }
    }

    /// Keeps the tools of a list of `count` for which `keep` returns true.
    pub(crate) fn retain_tools(&mut self, count: usize, keep: impl FnMut(usize) -> bool) {
        self.tools.retain(count, keep);
    }

    /// Removes a range of the `count` system blocks.
    pub(crate) fn remove_system_range(&mut self, count: usize, removed: Range<usize>) {
        self.system.retain(count, |index| !removed.contains(&index));
    }

    /// Removes system blocks at sorted indices.
    pub(crate) fn remove_system_at(&mut self, count: usize, removed: &[usize]) {
        self.system.retain(count, |index| removed.binary_search(&index).is_err());
    }

    /// Source of the block or turn that is at a path now.
    pub(crate) fn source_at(&self, path: LedgerPath) -> Option<SourceId> {
        let index = path.index.filter(|_| path.section == LedgerSection::Turns)?;
        let unmoved = SourceId { turn: index, block: path.block };
        let Some(turn_origin) = self.turns.as_ref().and_then(|origins| origins.get(index as usize))
        else {
            return Some(unmoved);
        };
        let Some(block) = path.block else {
            return Some(SourceId { turn: turn_origin.turn, block: None });
        };
        match &turn_origin.blocks {
            Some(blocks) => blocks.get(block as usize).copied(),
            None => Some(SourceId { turn: turn_origin.turn, block: Some(block) }),
        }
    }

    /// Maps the path of the last ledger entry to the client's. A loss is recorded for every block
    /// that was merged into its subject, too.
    pub(crate) fn map_last_entry(&mut self, ledger: &mut Ledger) {
        let Some(entry) = ledger.entries.last_mut() else { return };
        if matches!(entry.path.section, LedgerSection::Tools | LedgerSection::System) {
            entry.path = self.to_client(entry.path);
        }
        let Some(source_id) = self.source_at(entry.path) else { return };
        entry.path = self.to_client(entry.path);
        let merged_entries = self.entries_for_merged(entry, source_id);
        self.entry_sources.push((ledger.entries.len() - 1, source_id));
        for entry in merged_entries {
            let number = ledger.entries.len();
            if ledger.push(entry) {
                self.entry_sources.push((number, source_id));
            }
        }
    }

    fn entries_for_merged(&self, entry: &LedgerEntry, source_id: SourceId) -> Vec<LedgerEntry> {
        let mut sources = vec![source_id];
        let mut at = 0;
        while let Some(source) = sources.get(at).copied().filter(|_| entry.is_loss) {
            sources.extend(self.merged.get(&source).into_iter().flatten());
            at += 1;
        }
        let origins = sources.into_iter().skip(1).filter(|source| source.turn < FIRST_SYNTHETIC);
        let origins =
            origins.filter(|source| source.block.is_none_or(|block| block < FIRST_SYNTHETIC));
        let path_of = |source: SourceId| LedgerPath {
            index: Some(source.turn),
            block: source.block,
            ..entry.path
        };
        origins.map(|source| LedgerEntry { path: path_of(source), ..entry.clone() }).collect()
    }

    /// Records that a block was merged into another, before it is removed.
    pub(crate) fn merge_block(&mut self, from: LedgerPath, into: LedgerPath) {
        if let (Some(from), Some(into)) = (self.source_at(from), self.source_at(into)) {
            self.merged.entry(into).or_default().push(from);
        }
    }

    /// The origins of all turns, created on first use; `turns` is the number of turns.
    fn turns_mut(&mut self, turns: usize) -> &mut Vec<TurnOrigin> {
        self.turns.get_or_insert_with(|| (0..turns as u32).map(TurnOrigin::unmoved).collect())
    }

    /// The origins of the blocks of a turn that has `count` blocks.
    fn blocks_mut(&mut self, turns: usize, turn: usize, count: usize) -> &mut Vec<SourceId> {
        let turn_origin = &mut self.turns_mut(turns)[turn];
        let turn = turn_origin.turn;
        let unmoved = |block| SourceId { turn, block: Some(block) };
        turn_origin.blocks.get_or_insert_with(|| (0..count as u32).map(unmoved).collect())
    }

    fn next_synthetic(&mut self) -> u32 {
        self.synthetic_count += 1;
        FIRST_SYNTHETIC + self.synthetic_count
    }

    pub(crate) fn insert_turn(&mut self, turns: usize, at: usize) {
        let turn = self.next_synthetic();
        let origins = self.turns_mut(turns);
        let nearest = nearest_client_turn(origins, at);
        origins.insert(at, TurnOrigin { turn, nearest_client_turn: nearest, blocks: None });
    }

    pub(crate) fn remove_turn(&mut self, turns: usize, at: usize) {
        self.turns_mut(turns).remove(at);
    }

    pub(crate) fn insert_block(&mut self, turns: usize, turn: usize, count: usize, at: usize) {
        let block = self.next_synthetic();
        let turn_id = self.turns_mut(turns)[turn].turn;
        self.blocks_mut(turns, turn, count)
            .insert(at, SourceId { turn: turn_id, block: Some(block) });
    }

    pub(crate) fn remove_block(&mut self, turns: usize, turn: usize, count: usize, at: usize) {
        self.blocks_mut(turns, turn, count).remove(at);
    }

    /// Records a move; the tuples have turn, number of blocks and index.
    pub(crate) fn move_block(
        &mut self,
        turns: usize,
        from: (usize, usize, usize),
        to: (usize, usize, usize),
    ) {
        let (turn, count, at) = from;
        let source_id = self.blocks_mut(turns, turn, count).remove(at);
        let (turn, count, at) = to;
        self.blocks_mut(turns, turn, count).insert(at, source_id);
    }

    /// Completes every entry with the current path of its subject. Entries from `encoded` on were
    /// made while encoding and have current paths, which are mapped to the client's.
    pub fn resolve(&self, ledger: &mut Ledger, encoded: usize) {
        if ledger.is_empty() {
            return;
        }
        let positions = self.current_positions();
        // `entry_sources` is sorted by entry.
        let recorded_source = |number: usize| {
            let end = self.entry_sources.partition_point(|(entry_index, _)| *entry_index <= number);
            let (entry_index, source_id) = self.entry_sources.get(end.checked_sub(1)?)?;
            (*entry_index == number).then_some(*source_id)
        };
        let mut merged_entries = Vec::new();
        for (number, entry) in ledger.entries.iter_mut().enumerate() {
            if number >= encoded {
                entry.path_after = Some(entry.path);
                let source_id = self.source_at(entry.path);
                entry.path = self.to_client(entry.path);
                merged_entries.extend(
                    source_id
                        .into_iter()
                        .flat_map(|source_id| self.entries_for_merged(entry, source_id)),
                );
                continue;
            }
            let index = entry.path.index.filter(|_| entry.path.section == LedgerSection::Turns);
            let unmoved = index.map(|turn| SourceId { turn, block: entry.path.block });
            entry.path_after = match recorded_source(number).or(unmoved) {
                Some(source_id) if self.turns.is_some() => positions.find(source_id),
                _ => Some(entry.path),
            };
        }
        for entry in merged_entries {
            ledger.push(entry);
        }
    }

    fn current_positions(&self) -> CurrentPositions {
        let mut positions = CurrentPositions::default();
        for (at, turn_origin) in self.turns.iter().flatten().enumerate() {
            positions.turns.push((turn_origin.turn, at, turn_origin.blocks.is_none()));
            for (index, source_id) in turn_origin.blocks.iter().flatten().enumerate() {
                positions.blocks.push((*source_id, LedgerPath::block(at, index)));
            }
        }
        // Nearly sorted in most cases.
        positions.turns.sort_unstable();
        positions.blocks.sort_by_key(|(source_id, _)| *source_id);
        positions
    }
}

/// Current index of each turn, with whether its blocks have not moved, and current path of each
/// moved block. Sorted by source; of a source in several positions, the first one comes first.
#[derive(Default)]
struct CurrentPositions {
    turns: Vec<(u32, usize, bool)>,
    blocks: Vec<(SourceId, LedgerPath)>,
}

impl CurrentPositions {
    fn find(&self, source_id: SourceId) -> Option<LedgerPath> {
        let turn = || {
            let at = self.turns.binary_search_by_key(&source_id.turn, |(turn, ..)| *turn).ok()?;
            self.turns.get(at)
        };
        let Some(block) = source_id.block else {
            return turn().map(|(_, at, _)| LedgerPath::turn(*at));
        };
        let block_position = self.blocks.partition_point(|(key, _)| *key < source_id);
        let block_position = self.blocks.get(block_position).filter(|(key, _)| *key == source_id);
        block_position.map(|(_, path)| *path).or_else(|| match turn() {
            Some((_, at, true)) => Some(LedgerPath::block(*at, block as usize)),
            _ => None,
        })
    }
}

/// First number of inserted turns and blocks.
const FIRST_SYNTHETIC: u32 = 1 << 31;
