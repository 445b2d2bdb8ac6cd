//! Removes a repeated call, and gives a different call with the same id a new id.
//!
//! Some relays write a call twice, some models number the calls of each turn from zero. A call
//! equal to an earlier one in the same run of assistant turns is removed; any other call gets a new
//! id, which depends only on the old one and on earlier calls. Its results get the new id in their
//! order.
//!
//! ## Why
//! > messages.43.content.2: `tool_use` ids must be unique
//!
//! > Duplicate tool call id 0 in assistant message
//!
//! ## Example
//! ```text
//! before   assistant: call 1 `read`   user: result 1   assistant: call 1 `bash`   user: result 1
//! after    assistant: call 1 `read`   user: result 1   assistant: call 2 `bash`   user: result 2
//! ```

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use interlingua_model::{BlockContent, LedgerPath, ToolArgs, derive_id};
use interlingua_providers::profile::calls::UniqueIds;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::rounds::Round;
use crate::query::written_calls;
use crate::values::block::{BlockPos, as_call, is_assistant};
use crate::values::fingerprint::{fingerprint, has_duplicates};

pub(super) fn apply(work: &mut Work<'_>) {
    let crosses = !work.is_same_dialect();
    let unique = if crosses { UniqueIds::Conversation } else { work.profile.calls.unique_ids };
    if unique == UniqueIds::NotRequired || !may_have_duplicates(work, unique) {
        return;
    }
    let mut seen = UsedIds::default();
    let mut last = None;
    let mut start = 0;
    let mut scanned_turns = 0;
    // Repeated calls are removed at the end, so that positions stay valid.
    let mut removed = Vec::new();
    while let Some(round) = Round::starting_at(work.turns(), start) {
        let mut round_pairs = RoundPairs::new(work, &round);
        let (mut turn, mut at) = (start, 0);
        while work.turns().get(turn).is_some_and(|turn| is_assistant(turn)) {
            let Some(block) = work.blocks(turn).get(at) else {
                (turn, at) = (turn + 1, 0);
                continue;
            };
            let Some(id) = as_call(block).map(|call| call.id.clone()) else {
                at += 1;
                continue;
            };
            let pos = (turn, at);
            if unique == UniqueIds::Turn && last != Some(turn) {
                seen = UsedIds::default();
            }
            last = Some(turn);
            let kind = is_freeform(work, pos);
            if unique == UniqueIds::Conversation {
                let stray_ids = (scanned_turns..turn)
                    .flat_map(|turn| written_calls::stray_call_ids(work, turn));
                seen.ids.extend(stray_ids.map(|id| (id.unescape().into_owned(), false)));
                scanned_turns = turn;
            }
            let is_used = match seen.ids.get(&*id.unescape()) {
                Some(used_kind) => unique != UniqueIds::PerKind || *used_kind != kind,
                None => false,
            };
            round_pairs.visit(&id);
            if !is_used {
                seen.ids.insert(id.unescape().into_owned(), kind);
                round_pairs.keep(&id, pos);
            } else if round_pairs.has_equal_call(work, &id, pos) {
                work.record_change(
                    LedgerPath::block(turn, at),
                    format!("the call {id} is repeated"),
                );
                removed.push(pos);
            } else {
                let new_id = seen.derive_unused(&id, kind);
                let results = round_pairs.take_results(&id);
                change_id(work, pos, &results, &id, new_id.clone());
                if round_pairs.contains(&new_id) {
                    round_pairs = RoundPairs::rebuild(work, start, pos, &removed);
                } else {
                    round_pairs.keep(&new_id, pos);
                }
            }
            at += 1;
        }
        start = Round::starting_at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
    work.remove_blocks_and_empty_turns(&removed);
}

/// Whether two calls that need distinct ids may have the same one. Compares hashes.
fn may_have_duplicates(work: &Work<'_>, unique: UniqueIds) -> bool {
    let mut hashes = Vec::new();
    for (at, turn) in work.turns().iter().enumerate() {
        let start = hashes.len();
        if unique == UniqueIds::Conversation {
            hashes.extend(written_calls::stray_call_ids(work, at).iter().map(fingerprint));
        }
        let calls = turn.blocks.iter().filter_map(|block| as_call(block));
        hashes.extend(calls.map(|call| fingerprint(&call.id)));
        if unique == UniqueIds::Turn && has_duplicates(&mut hashes[start..]) {
            return true;
        }
    }
    unique != UniqueIds::Turn && has_duplicates(&mut hashes)
}

fn is_freeform(work: &Work<'_>, (turn, at): BlockPos) -> bool {
    let call = as_call(work.block(turn, at));
    call.is_some_and(|call| matches!(call.args, ToolArgs::Freeform(_)))
}

/// Ids of the calls so far, and whether each is a freeform call.
#[derive(Default)]
struct UsedIds {
    ids: HashMap<String, bool>,
    /// Number of ids derived from each id.
    derived_counts: HashMap<String, usize>,
}

impl UsedIds {
    /// A derived id that no earlier call has.
    fn derive_unused(&mut self, id: &JsonString, kind: bool) -> JsonString {
        let number = self.derived_counts.entry(id.unescape().into_owned()).or_default();
        loop {
            *number += 1;
            let new_id = derive_id("call_", id, *number);
            if let Entry::Vacant(free) = self.ids.entry(new_id.unescape().into_owned()) {
                free.insert(kind);
                return new_id;
            }
        }
    }
}

/// Calls and results of a round by id, while its calls are visited in order.
#[derive(Default)]
struct RoundPairs {
    by_id: HashMap<String, IdPairs>,
}

#[derive(Default)]
struct IdPairs {
    /// Earlier calls with this id.
    visited_calls: Vec<BlockPos>,
    /// Number of calls with this id that were not visited.
    remaining_calls: usize,
    /// Results in order, and how many of them belong to visited calls.
    results: Vec<BlockPos>,
    assigned_results: usize,
}

impl RoundPairs {
    fn new(work: &Work<'_>, round: &Round) -> Self {
        let mut pairs: HashMap<String, IdPairs> = HashMap::new();
        for (_, call) in round.calls(work) {
            pairs.entry(call.id.unescape().into_owned()).or_default().remaining_calls += 1;
        }
        for (pos, result) in round.results(work) {
            pairs.entry(result.call_id.unescape().into_owned()).or_default().results.push(pos);
        }
        Self { by_id: pairs }
    }

    /// Rebuilds the state after the calls up to `last` were visited; `gone` will be removed.
    fn rebuild(work: &Work<'_>, start: usize, last: BlockPos, removed: &[BlockPos]) -> Self {
        let round = Round::starting_at(work.turns(), start);
        let mut round_pairs =
            round.as_ref().map_or_else(Self::default, |round| Self::new(work, round));
        let calls = round.iter().flat_map(|round| round.calls(work));
        for (pos, call) in calls.take_while(|(pos, _)| *pos <= last) {
            round_pairs.visit(&call.id);
            if removed.binary_search(&pos).is_err() {
                round_pairs.keep(&call.id, pos);
            }
        }
        round_pairs
    }

    fn contains(&self, id: &JsonString) -> bool {
        self.by_id.contains_key(&*id.unescape())
    }

    fn visit(&mut self, id: &JsonString) {
        if let Some(pair) = self.by_id.get_mut(&*id.unescape()) {
            pair.remaining_calls -= 1;
        }
    }

    /// Records that the visited call has this id and is not removed.
    fn keep(&mut self, id: &JsonString, pos: BlockPos) {
        let pair = self.by_id.entry(id.unescape().into_owned()).or_default();
        pair.visited_calls.push(pos);
        pair.assigned_results += 1;
    }

    /// Whether an earlier call of the same run is equal.
    fn has_equal_call(&self, work: &Work<'_>, id: &JsonString, pos: BlockPos) -> bool {
        let Some(call) = as_call(work.block(pos.0, pos.1)) else { return false };
        let visited = self.by_id.get(&*id.unescape()).map_or(&[][..], |pair| &pair.visited_calls);
        visited.iter().any(|(turn, at)| as_call(work.block(*turn, *at)) == Some(call))
    }

    /// The results of a call that gets a new id: the next one, or all of them if no later call has
    /// the old id.
    fn take_results(&mut self, id: &JsonString) -> Vec<BlockPos> {
        let Some(pair) = self.by_id.get_mut(&*id.unescape()) else { return Vec::new() };
        let rest = pair.results.get(pair.assigned_results..).unwrap_or_default();
        let count = if pair.remaining_calls == 0 { rest.len() } else { rest.len().min(1) };
        let results = rest[..count].to_vec();
        pair.assigned_results += count;
        results
    }
}

/// Changes the id of a call and of its results.
fn change_id(
    work: &mut Work<'_>,
    pos: BlockPos,
    results: &[BlockPos],
    id: &JsonString,
    new_id: JsonString,
) {
    let description = format!("changed the id {id}, which another call has, to {new_id}");
    if let BlockContent::ToolCall(call) = &mut work.edit_block(pos.0, pos.1).content {
        call.id = new_id.clone();
    }
    work.record_change(LedgerPath::block(pos.0, pos.1), description);
    for (turn, at) in results {
        if let BlockContent::ToolResult(result) = &mut work.edit_block(*turn, *at).content {
            result.call_id = new_id.clone();
        }
    }
    work.record_call_rename(new_id, id.clone());
}
