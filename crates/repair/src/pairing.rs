//! Groups turns into rounds and checks whether tool calls and results are paired as the target
//! requires.

use std::ops::Range;

use interlingua_model::{Block, BlockContent, Role, ToolCall, ToolResult, Turn, Verbatim};
use interlingua_wire::JsonString;

pub use crate::held::continues_stored_conversation;
use crate::held::{are_calls_stored_by_provider, has_duplicate_results, has_no_written_id};
pub use crate::ids::{
    IdSet, LEGACY_FORM, WRITTEN_ID, has_rejected_spelling, match_id_spelling, written_id,
};
use crate::profile::calls::{OrphanResults, ResultPlacement};
use crate::{Work, look};

/// A run of assistant turns and the turns that follow until the next assistant turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    pub assistant_turns: Range<usize>,
    pub following_turns: Range<usize>,
}

/// Position of a block: turn and index.
pub type BlockPos = (usize, usize);

impl Round {
    /// The round that begins with this turn. Turns before the first assistant turn are a round
    /// without assistant turns.
    pub fn starting_at(turns: &[Verbatim<Turn>], start: usize) -> Option<Self> {
        let is_assistant = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
        let rest = turns.get(start..).filter(|rest| !rest.is_empty())?;
        let middle = start + rest.iter().take_while(is_assistant).count();
        let following = turns[middle..].iter().take_while(|turn| !is_assistant(turn)).count();
        Some(Self { assistant_turns: start..middle, following_turns: middle..middle + following })
    }

    pub fn end(&self) -> usize {
        self.following_turns.end
    }

    fn turns(&self) -> Range<usize> {
        self.assistant_turns.start..self.following_turns.end
    }

    /// The calls of the assistant turns.
    pub fn calls<'w>(&self, work: &'w Work<'_>) -> impl Iterator<Item = (BlockPos, &'w ToolCall)> {
        blocks(work, self.assistant_turns.clone())
            .filter_map(|(pos, block)| Some((pos, as_call(block)?)))
    }

    /// The results of the following turns.
    pub fn results<'w>(
        &self,
        work: &'w Work<'_>,
    ) -> impl Iterator<Item = (BlockPos, &'w ToolResult)> {
        blocks(work, self.following_turns.clone())
            .filter_map(|(pos, block)| Some((pos, as_result(block)?)))
    }

    /// The ids of the calls.
    pub fn call_ids<'w>(&self, work: &'w Work<'_>) -> IdSet<'w> {
        IdSet::from_ids(self.calls(work).map(|(_, call)| &call.id))
    }

    /// The ids that have a result in this round.
    pub fn result_ids<'w>(&self, work: &'w Work<'_>) -> IdSet<'w> {
        IdSet::from_ids(self.results(work).map(|(_, result)| &result.call_id))
    }
}

/// Runs `mend` on each round that is not well paired. `mend` may change the round, but nothing
/// before it.
pub fn for_each_unpaired_round(work: &mut Work<'_>, mut mend: impl FnMut(&mut Work<'_>, &Round)) {
    // Rounds that an earlier rule found well paired are skipped.
    let mut start = work.paired_until();
    while let Some(round) = Round::starting_at(work.turns(), start) {
        if is_well_paired(work, &round) {
            if work.paired_until() == start {
                work.set_paired_until(round.end());
            }
            start = round.end();
            continue;
        }
        mend(work, &round);
        start = Round::starting_at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
}

/// Whether the request leaves in another dialect than it came in.
pub fn is_cross_dialect(work: &Work<'_>) -> bool {
    !work.is_same_dialect()
}

/// Every block of these turns.
pub fn blocks<'w>(
    work: &'w Work<'_>,
    turns: Range<usize>,
) -> impl Iterator<Item = (BlockPos, &'w Block)> {
    let listed = turns.clone().zip(&work.turns()[turns]);
    listed.flat_map(|(at, turn)| {
        turn.blocks.iter().enumerate().map(move |(index, block)| ((at, index), &**block))
    })
}

/// A call that needs a result. A legacy call has no id and needs none.
pub fn as_call(block: &Block) -> Option<&ToolCall> {
    match &block.content {
        BlockContent::ToolCall(call) if !is_legacy(block) => Some(call),
        _ => None,
    }
}

/// A result that refers to a call by id.
pub fn as_result(block: &Block) -> Option<&ToolResult> {
    match &block.content {
        BlockContent::ToolResult(result) if !is_legacy(block) => Some(result),
        _ => None,
    }
}

/// Whether a call or a result is in the legacy form. The rule `old-call` decides where that is
/// accepted.
pub fn is_legacy(block: &Block) -> bool {
    let fields = block.extras.as_parts().map_or(&[][..], |(_, fields)| fields);
    fields.iter().any(|(key, _)| key == LEGACY_FORM)
}

/// Position of the next result of a round: behind the results at the start of the following turns,
/// before anything else. Inserts a turn if needed.
pub fn make_result_pos(work: &mut Work<'_>, round: &Round) -> BlockPos {
    let head = round.following_turns.start;
    let has_only_results = |turn: &Verbatim<Turn>| {
        turn.role == Role::User
            && !turn.blocks.is_empty()
            && turn.blocks.iter().all(|block| as_result(block).is_some())
    };
    let result_placement = work.profile.calls.result_placement;
    let in_one_turn =
        matches!(result_placement, ResultPlacement::NextTurn | ResultPlacement::MatchingCount);
    let turns = &work.turns()[round.following_turns.clone()];
    // Turns of results only keep their form; the next result goes behind them.
    let result_turns = if in_one_turn {
        0
    } else {
        turns.iter().take_while(|turn| has_only_results(turn)).count()
    };
    let target = head + result_turns;
    let is_user = turns.get(result_turns).is_some_and(|turn| turn.role == Role::User);
    // Where results are messages of their own, other user content stays unchanged.
    let in_own_turn = !is_cross_dialect(work)
        && matches!(
            result_placement,
            ResultPlacement::FirstAfterTurn | ResultPlacement::BeforeNextAssistant
        );
    if result_turns > 0 || !is_user || in_own_turn {
        work.insert_turn(target, Turn::new(Role::User));
        return (target, 0);
    }
    let leading = work.blocks(target).iter().take_while(|block| as_result(block).is_some());
    (target, leading.count())
}

/// Whether the calls and results of a round are paired as the target requires.
pub fn is_well_paired(work: &Work<'_>, round: &Round) -> bool {
    if is_trivially_paired(work, round) {
        return true;
    }
    let is_call_or_result =
        |(_, block): (BlockPos, &Block)| as_call(block).is_some() || as_result(block).is_some();
    if !blocks(work, round.turns()).any(is_call_or_result) {
        return true;
    }
    if is_cross_dialect(work) {
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
    let crosses = is_cross_dialect(work);
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
pub fn has_misplaced_role(work: &Work<'_>, round: &Round) -> bool {
    if !is_cross_dialect(work) && !work.profile.calls.checks_roles {
        return false;
    }
    blocks(work, round.assistant_turns.clone()).any(|(_, block)| as_result(block).is_some())
        || blocks(work, round.following_turns.clone()).any(|(_, block)| as_call(block).is_some())
}

/// Whether a call is in another turn than the last of its run.
pub fn has_early_calls(work: &Work<'_>, round: &Round) -> bool {
    round.calls(work).any(|((turn, _), _)| turn + 1 < round.assistant_turns.end)
}

/// Whether each call has one result, and each result a call.
fn is_one_to_one(work: &Work<'_>, round: &Round) -> bool {
    let (calls, results) = (round.calls(work).count(), round.results(work).count());
    // One result may answer several calls with the same id.
    let may_share = !work.profile.calls.one_result_per_call && !is_cross_dialect(work);
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
pub struct ResultMatcher<'w> {
    call_ids: IdSet<'w>,
    is_cross_dialect: bool,
    continues_stored: bool,
    calls_held: bool,
}

impl<'w> ResultMatcher<'w> {
    /// For a round with these call ids.
    pub fn new(work: &Work<'_>, round: &Round, call_ids: IdSet<'w>) -> Self {
        let (is_cross_dialect, continues_stored) =
            (is_cross_dialect(work), continues_stored_conversation(work));
        Self {
            call_ids,
            is_cross_dialect,
            continues_stored,
            calls_held: are_calls_stored_by_provider(work, round),
        }
    }

    pub fn matches(&self, work: &Work<'_>, pos: BlockPos, result: &ToolResult) -> bool {
        if self.call_ids.contains(&result.call_id) {
            return true;
        }
        if self.is_cross_dialect {
            return false;
        }
        match work.profile.calls.orphan_results {
            OrphanResults::AfterEarlierCall => {
                self.continues_stored || work.has_call_before(pos.0, &result.call_id)
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
            |block: &Verbatim<Block>| look::plain_text(block).is_some_and(JsonString::is_blank);
        let is_silent =
            |turn: &Verbatim<Turn>| look::is_instruction(turn) && turn.blocks.iter().all(is_blank);
        let last_audible = || turns[..at].iter().rfind(|turn| !is_silent(turn));
        // Instructions at the head go into a separate field, and those before the results go behind
        // them.
        let has_earlier_turn = || turns[..at].iter().rev().any(|turn| !look::is_instruction(turn));
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
