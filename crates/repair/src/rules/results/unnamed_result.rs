//! Assigns a result without a call id to the first unanswered call.
//!
//! Some clients lose the id. Among the unanswered calls right before the result, the first call of
//! the same tool is taken, otherwise the first call.
//!
//! ## Why
//! > messages.2.content.0.tool_result.tool_use_id: Field required
//!
//! > missing field `tool_call_id`
//!
//! ## Example
//! ```text
//! before   assistant: call 1, call 2        user: result of ?, result 2
//! after    assistant: call 1, call 2        user: result 1, result 2
//! ```

use std::collections::{HashMap, VecDeque};

use interlingua_model::{Block, BlockContent, LedgerPath, Spelling, SpellingSet, Turn, Verbatim};
use interlingua_providers::profile::calls::ResultPlacement;
use interlingua_wire::JsonString;

use crate::edit::insert_results;
use crate::engine::Work;
use crate::query::continued::has_no_written_id;
use crate::query::rounds::Round;
use crate::query::{call_ids, pairing};
use crate::values::block::{BlockPos, as_call};

pub(super) fn apply(work: &mut Work<'_>) {
    let mut start = 0;
    while let Some(round) = Round::starting_at(work.turns(), start) {
        assign_all(work, &round);
        while let Some((pos, call)) = next_assignment(work, &round) {
            assign(work, pos, call);
        }
        start = round.end();
    }
}

/// Assigns results while it is certain that the target accepts none of them as it is.
fn assign_all(work: &mut Work<'_>, round: &Round) {
    let unnamed = round.results(work).filter(|(_, result)| result.call_id.is_empty());
    let unnamed: Vec<(BlockPos, Option<JsonString>)> =
        unnamed.map(|(pos, result)| (pos, result.name.clone())).collect();
    if unnamed.is_empty() {
        return;
    }
    let mut open = OpenCalls::new(work, round);
    let by_count = work.profile.calls.result_placement == ResultPlacement::MatchingCount;
    let none_accepted =
        !work.is_same_dialect() || by_count && !pairing::is_well_paired(work, round);
    // Where each call needs a result with its id, no result is accepted while one is missing.
    let by_id = !by_count && work.profile.calls.result_placement != ResultPlacement::Anywhere;
    for (pos, tool) in unnamed {
        if !(none_accepted || by_id && open.needing_id > 0) {
            return;
        }
        let Some(call) = open.take(tool.as_ref()) else { return };
        assign(work, pos, call);
    }
}

/// Calls of a round without a result.
struct OpenCalls {
    calls: Vec<OpenCall>,
    by_id: HashMap<String, Vec<usize>>,
    by_tool: HashMap<String, VecDeque<usize>>,
    all: VecDeque<usize>,
    /// Number of calls that only a result with their id answers.
    needing_id: usize,
}

struct OpenCall {
    spot: BlockPos,
    id: String,
    by_id: bool,
    open: bool,
}

impl OpenCalls {
    fn new(work: &Work<'_>, round: &Round) -> Self {
        let result_ids = round.result_ids(work);
        let mut open_calls = Self {
            calls: Vec::new(),
            by_id: HashMap::new(),
            by_tool: HashMap::new(),
            all: VecDeque::new(),
            needing_id: 0,
        };
        for (pos, call) in round.calls(work).filter(|(_, call)| !result_ids.contains(&call.id)) {
            let (at, id) = (open_calls.calls.len(), call.id.unescape().into_owned());
            open_calls.by_id.entry(id.clone()).or_default().push(at);
            open_calls.by_tool.entry(call.name.unescape().into_owned()).or_default().push_back(at);
            open_calls.all.push_back(at);
            let by_id = !has_no_written_id(work, pos);
            open_calls.needing_id += usize::from(by_id);
            open_calls.calls.push(OpenCall { spot: pos, id, by_id, open: true });
        }
        open_calls
    }

    /// The first open call of this tool, or the first open call. Closes all calls with its id.
    fn take(&mut self, tool: Option<&JsonString>) -> Option<BlockPos> {
        let calls = &self.calls;
        let first = |queue: &mut VecDeque<usize>| {
            while queue.front().is_some_and(|at| !calls[*at].open) {
                queue.pop_front();
            }
            queue.front().copied()
        };
        let same_tool = tool.and_then(|tool| self.by_tool.get_mut(&*tool.unescape()));
        let at = same_tool.and_then(first).or_else(|| first(&mut self.all))?;
        let pos = self.calls[at].spot;
        for at in self.by_id.remove(&self.calls[at].id).unwrap_or_default() {
            self.calls[at].open = false;
            self.needing_id -= usize::from(self.calls[at].by_id);
        }
        Some(pos)
    }
}

/// Whether the target accepts a result without an id.
fn is_accepted(work: &Work<'_>, round: &Round, is_paired: bool, (turn, at): BlockPos) -> bool {
    let (dialect, extras) = (work.profile.dialect, &work.block(turn, at).extras);
    // A call that is encoded again has an id, so its result needs one.
    let by_id = extras.spellings(dialect).intersects(MISSING_CALL_IDS);
    let is_written = |turn: &Verbatim<Turn>| turn.text_for(dialect).is_some();
    is_paired
        && !call_ids::has_rejected_spelling(work, extras)
        && (!by_id || work.turns()[round.assistant_turns.clone()].iter().all(is_written))
}

/// The first unaccepted result without an id, and its call.
fn next_assignment(work: &Work<'_>, round: &Round) -> Option<(BlockPos, BlockPos)> {
    let mut results =
        round.results(work).filter(|(_, result)| result.call_id.is_empty()).peekable();
    results.peek()?;
    let is_paired = pairing::is_well_paired(work, round);
    let (pos, result) = results.find(|(pos, _)| !is_accepted(work, round, is_paired, *pos))?;
    let result_ids = round.result_ids(work);
    let unanswered = || round.calls(work).filter(|(_, call)| !result_ids.contains(&call.id));
    let same_tool = unanswered().find(|(_, call)| result.name.as_ref() == Some(&call.name));
    let (call, _) = same_tool.or_else(|| unanswered().next())?;
    Some((pos, call))
}

fn assign(work: &mut Work<'_>, (turn, at): BlockPos, call: BlockPos) {
    let Some(id) = as_call(work.block(call.0, call.1)).map(|call| call.id.clone()) else {
        return;
    };
    let mut result_block = Block::clone(work.block(turn, at));
    insert_results::match_id_spelling(work, call, &mut result_block);
    let description = format!("assigned a result without an id to the unanswered call {id}");
    if let BlockContent::ToolResult(result) = &mut result_block.content {
        result.call_id = id;
    }
    *work.edit_block(turn, at) = result_block;
    work.record_change(LedgerPath::block(turn, at), description);
}

/// A result whose id field refers to no call.
const MISSING_CALL_IDS: SpellingSet = SpellingSet::new(&[Spelling::NoCallId, Spelling::NullCallId]);
