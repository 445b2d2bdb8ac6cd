//! Groups turns into rounds and checks whether tool calls and results are paired as the target
//! requires.

use interlingua_model::{Block, BlockContent, Role, ToolCall, ToolResult, Turn, Verbatim};
use interlingua_providers::profile::calls::{OrphanResults, ResultPlacement};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::call_ids::IdSet;
use crate::query::continued::{
    are_calls_stored_by_provider, continues_stored_conversation, has_duplicate_results,
    has_no_written_id,
};
use crate::query::earlier_calls::has_call_before;
use crate::query::rounds::{Round, blocks};
use crate::values::block::{self, BlockPos, as_call, as_result, is_legacy, plain_text};

/// Whether the calls and results of a round are paired as the target requires.
pub(crate) fn is_well_paired(work: &Work<'_>, round: &Round) -> bool {
    if is_trivially_paired(work, round) {
        return true;
    }
    let is_call_or_result =
        |(_, block): (BlockPos, &Block)| as_call(block).is_some() || as_result(block).is_some();
    if !blocks(work, round.turns()).any(is_call_or_result) {
        return true;
    }
    if !work.is_same_dialect() {
        return !has_misplaced_role(work, round)
            && is_one_to_one(work, round)
            && !has_result_after_instructions(work, round);
    }
    match work.profile.calls.result_placement {
        ResultPlacement::Anywhere => true,
        ResultPlacement::MatchingCount => has_matching_counts(work, round),
        ResultPlacement::BeforeNextAssistant => {
            !has_misplaced_role(work, round) && is_answered_before_next(work, round)
        }
        ResultPlacement::FirstAfterRun => {
            !has_misplaced_role(work, round) && is_answered_first(work, round)
        }
        ResultPlacement::FirstAfterTurn => {
            !has_misplaced_role(work, round)
                && !has_early_calls(work, round)
                && is_answered_first(work, round)
        }
        ResultPlacement::NextTurn => {
            let is_late = |((turn, _), _): (BlockPos, _)| turn > round.following_turns.start;
            !has_misplaced_role(work, round)
                && !has_early_calls(work, round)
                && is_one_to_one(work, round)
                && !round.results(work).any(is_late)
        }
    }
}

/// Fast path for the usual round, which every target accepts: the calls are in one assistant turn
/// (or in a run that counts as one), and their results follow in the same order, before anything
/// else, in the next turn or, where allowed, in the next turns.
fn is_trivially_paired(work: &Work<'_>, round: &Round) -> bool {
    let turns = work.turns();
    let assistant_turns = &turns[round.assistant_turns.clone()];
    let following_turns = &turns[round.following_turns.clone()];
    let is_call_or_result = |block: &&Verbatim<Block>| {
        matches!(block.content, BlockContent::ToolCall(_) | BlockContent::ToolResult(_))
            && !is_legacy(block)
    };
    let has_calls = assistant_turns
        .iter()
        .any(|turn| turn.blocks.iter().any(|block| is_call_or_result(&block)));
    let mut remaining_calls = has_calls
        .then(|| assistant_turns.iter().flat_map(|turn| &turn.blocks).filter(is_call_or_result));
    let crosses = !work.is_same_dialect();
    let result_placement = work.profile.calls.result_placement;
    // Where a run of assistant turns counts as one, calls may be in any of them.
    let run_counts_as_one = crosses
        || matches!(
            result_placement,
            ResultPlacement::BeforeNextAssistant | ResultPlacement::FirstAfterRun
        );
    if has_calls
        && (assistant_turns.len() > 1 && !run_counts_as_one || round.assistant_turns.start == 0)
    {
        return false;
    }
    let in_one_turn =
        matches!(result_placement, ResultPlacement::NextTurn | ResultPlacement::MatchingCount);
    let in_any_turn = !in_one_turn || crosses;
    let mut first = true;
    for (at, turn) in following_turns.iter().enumerate() {
        first &= !turn.blocks.is_empty() && (at == 0 || in_any_turn);
        for block in &turn.blocks {
            match &block.content {
                BlockContent::ToolResult(result) if !is_legacy(block) => {
                    let call = remaining_calls
                        .as_mut()
                        .and_then(Iterator::next)
                        .and_then(|remaining_calls| as_call(remaining_calls));
                    let matches_id = call.is_some_and(|call| call.id == result.call_id);
                    if !(first && matches_id && turn.role == Role::User) {
                        return false;
                    }
                }
                BlockContent::ToolCall(_) if !is_legacy(block) => return false,
                _ => first = false,
            }
        }
    }
    remaining_calls.is_none_or(|mut remaining_calls| remaining_calls.next().is_none())
}

/// Whether a user turn has a call or an assistant turn has a result.
fn has_misplaced_role(work: &Work<'_>, round: &Round) -> bool {
    if work.is_same_dialect() && !work.profile.calls.checks_roles {
        return false;
    }
    blocks(work, round.assistant_turns.clone()).any(|(_, block)| as_result(block).is_some())
        || blocks(work, round.following_turns.clone()).any(|(_, block)| as_call(block).is_some())
}

/// Whether a call is in another turn than the last of its run.
fn has_early_calls(work: &Work<'_>, round: &Round) -> bool {
    round.calls(work).any(|((turn, _), _)| turn + 1 < round.assistant_turns.end)
}

/// Whether each call has one result, and each result a call.
fn is_one_to_one(work: &Work<'_>, round: &Round) -> bool {
    let (calls, results) = (round.calls(work).count(), round.results(work).count());
    // One result may answer several calls with the same id.
    let may_share = !work.profile.calls.one_result_per_call && work.is_same_dialect();
    if !(calls == results || may_share && results < calls) {
        return false;
    }
    let (call_ids, result_ids) = (round.call_ids(work), round.result_ids(work));
    round.calls(work).all(|(_, call)| result_ids.contains(&call.id))
        && round.results(work).all(|(_, result)| call_ids.contains(&result.call_id))
}

/// Whether a result is in or behind a turn of instructions.
fn has_result_after_instructions(work: &Work<'_>, round: &Round) -> bool {
    let is_instruction = |turn: usize| work.turns()[turn].role != Role::User;
    let first = round.following_turns.clone().find(|turn| is_instruction(*turn));
    first.is_some_and(|first| round.results(work).any(|((turn, _), _)| turn >= first))
}

/// Number of results before any other content of the following turns.
fn count_leading_results(work: &Work<'_>, round: &Round) -> usize {
    let mut count = 0;
    // Where a run counts as one turn, empty turns do not end it.
    let skips_empty = work.accepts_empty_user_turn()
        && work.profile.calls.result_placement == ResultPlacement::FirstAfterRun;
    for turn in &work.turns()[round.following_turns.clone()] {
        if turn.role != Role::User && !work.is_skipped_before_results(turn) {
            break;
        }
        if turn.role != Role::User || turn.blocks.is_empty() && skips_empty {
            continue;
        }
        let results = turn.blocks.iter().take_while(|block| as_result(block).is_some()).count();
        count += results;
        if turn.blocks.is_empty() || results < turn.blocks.len() {
            break;
        }
    }
    count
}

fn is_answered_first(work: &Work<'_>, round: &Round) -> bool {
    let calls = &work.profile.calls;
    let leading = count_leading_results(work, round);
    let first = || round.results(work).take(leading);
    let leading_ids = IdSet::from_ids(first().map(|(_, result)| &result.call_id));
    let is_answered = |(pos, call): (BlockPos, &ToolCall)| {
        leading_ids.contains(&call.id)
            || has_no_written_id(work, pos) && leading_ids.contains(&JsonString::EMPTY)
    };
    if !round.calls(work).all(is_answered) {
        return false;
    }
    if calls.one_result_per_call && round.calls(work).count() != leading {
        return false;
    }
    let call_ids = round.call_ids(work);
    let has_call = |(_, result): (BlockPos, &ToolResult)| call_ids.contains(&result.call_id);
    let is_stored =
        are_calls_stored_by_provider(work, round) && !has_duplicate_results(work, round);
    match calls.orphan_results {
        OrphanResults::Accepted => true,
        _ if round.results(work).count() > leading => false,
        OrphanResults::AmongResults => {
            leading == 0 || round.calls(work).next().is_some() || is_stored
        }
        OrphanResults::Rejected | OrphanResults::AfterEarlierCall => {
            first().all(has_call) || is_stored
        }
    }
}

fn is_answered_before_next(work: &Work<'_>, round: &Round) -> bool {
    let (answered, result_matcher) =
        (round.result_ids(work), ResultMatcher::new(work, round, round.call_ids(work)));
    round.calls(work).all(|(_, call)| answered.contains(&call.id))
        && round.results(work).all(|(pos, result)| result_matcher.matches(work, pos, result))
}

/// Decides which results of a round answer an earlier call; where the target accepts it, the call
/// may be in an earlier round.
#[derive(Debug)]
pub(crate) struct ResultMatcher<'w> {
    call_ids: IdSet<'w>,
    is_cross_dialect: bool,
    continues_stored: bool,
    calls_held: bool,
}

impl<'w> ResultMatcher<'w> {
    /// For a round with these call ids.
    pub(crate) fn new(work: &Work<'_>, round: &Round, call_ids: IdSet<'w>) -> Self {
        Self {
            call_ids,
            is_cross_dialect: !work.is_same_dialect(),
            continues_stored: continues_stored_conversation(work),
            calls_held: are_calls_stored_by_provider(work, round),
        }
    }

    pub(crate) fn matches(&self, work: &Work<'_>, pos: BlockPos, result: &ToolResult) -> bool {
        if self.call_ids.contains(&result.call_id) {
            return true;
        }
        if self.is_cross_dialect {
            return false;
        }
        match work.profile.calls.orphan_results {
            OrphanResults::AfterEarlierCall => {
                self.continues_stored || has_call_before(work, pos.0, &result.call_id)
            }
            OrphanResults::Rejected | OrphanResults::AmongResults | OrphanResults::Accepted => {
                self.calls_held
            }
        }
    }
}

/// Whether every turn with calls follows a user turn and precedes a turn with the same number of
/// results.
fn has_matching_counts(work: &Work<'_>, round: &Round) -> bool {
    let turns = work.turns();
    let count_calls =
        |turn: &Turn| turn.blocks.iter().filter(|candidate| as_call(candidate).is_some()).count();
    let count_results =
        |turn: &Turn| turn.blocks.iter().filter(|candidate| as_result(candidate).is_some()).count();
    round.turns().all(|at| {
        let previous = at.checked_sub(1).map(|previous| &turns[previous]);
        let expected_results = previous.map_or(0, |turn| count_calls(turn));
        // Instructions become user text, or disappear if they are blank.
        let is_blank =
            |block: &Verbatim<Block>| plain_text(block).is_some_and(JsonString::is_blank);
        let is_silent =
            |turn: &Verbatim<Turn>| block::is_instruction(turn) && turn.blocks.iter().all(is_blank);
        let last_audible = || turns[..at].iter().rfind(|turn| !is_silent(turn));
        // Instructions at the head go into a separate field, and those before the results go behind
        // them.
        let has_earlier_turn = || turns[..at].iter().rev().any(|turn| !block::is_instruction(turn));
        let is_assistant = turns[at].role == Role::Assistant;
        let after_user = || {
            let previous = last_audible().is_some_and(|turn| {
                turn.role == Role::User || is_assistant && turn.role != Role::Assistant
            });
            previous && has_earlier_turn()
        };
        let call_count = count_calls(&turns[at]);
        // Other roles can have neither calls nor results.
        if !matches!(turns[at].role, Role::User | Role::Assistant)
            && call_count + count_results(&turns[at]) > 0
        {
            return false;
        }
        let is_answered = match turns.get(at + 1) {
            Some(next) => count_results(next) == call_count,
            None => turns[at].role != Role::Assistant,
        };
        count_results(&turns[at]) == expected_results
            && (call_count == 0 || is_answered && after_user())
    })
}
