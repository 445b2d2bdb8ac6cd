//! Inserts tool results at the position where the target expects them, all results of a round
//! together.

use std::collections::HashMap;

use interlingua_model::{Block, Role, Turn, Verbatim, WrittenForm};
use interlingua_providers::profile::calls::ResultPlacement;

use crate::engine::{DetachedBlock, Work};
use crate::query::call_ids::MISSING_IDS;
use crate::query::rounds::Round;
use crate::values::block::{BlockPos, as_result};

/// Inserts results at their position in the round that begins with `start`, in the given order;
/// returns the position of each.
pub(crate) fn insert_results(
    work: &mut Work<'_>,
    start: usize,
    results: Vec<DetachedBlock>,
) -> Vec<BlockPos> {
    insert_results_ordered(work, start, results, false)
}

/// As [`insert_results`]; with `by_call` in the order of their calls, also among results that are
/// already there.
pub(crate) fn insert_results_ordered(
    work: &mut Work<'_>,
    start: usize,
    results: Vec<DetachedBlock>,
    by_call: bool,
) -> Vec<BlockPos> {
    let mut positions = Vec::with_capacity(results.len());
    let mut rest = results.into_iter();
    while rest.len() > 0 {
        let Some(round) = Round::starting_at(work.turns(), start) else { break };
        let count = work.turns().len();
        let (turn, at) = make_result_pos(work, &round);
        let is_new_turn = work.turns().len() > count;
        let has_other_blocks = work.blocks(turn).iter().any(|block| as_result(block).is_none());
        if is_in_one_turn(work) || has_other_blocks {
            let all: Vec<DetachedBlock> = rest.collect();
            let order = if by_call {
                call_order(work, &round, (turn, at), &all)
            } else {
                appended_order(at, &all)
            };
            let mut inserted = vec![(turn, at); all.len()];
            for (offset, (base, index)) in order.iter().enumerate() {
                inserted[*index].1 = base + offset;
            }
            positions.extend(inserted);
            let mut all: Vec<Option<DetachedBlock>> = all.into_iter().map(Some).collect();
            let sorted = order.into_iter().filter_map(|(at, index)| Some((at, all[index].take()?)));
            work.insert_blocks(turn, sorted.collect());
            break;
        }
        // A turn that has nothing but results keeps its form: the next results go into turns behind
        // it.
        work.insert_blocks(turn, rest.next().map(|index| (at, index)).into_iter().collect());
        positions.push((turn, at));
        if is_new_turn {
            positions.extend((turn + 1..).take(rest.len()).map(|turn| (turn, 0)));
            work.insert_user_turns(turn + 1, rest.collect());
            break;
        }
    }
    positions
}

/// Whether the first inserted result goes into an empty turn.
pub(crate) fn fills_empty_turn(work: &Work<'_>, start: usize) -> bool {
    let first = Round::starting_at(work.turns(), start).map(|round| round.following_turns.start);
    let first = first.and_then(|first| work.turns().get(first));
    !is_in_one_turn(work)
        && first.is_some_and(|first| first.role == Role::User && first.blocks.is_empty())
}

fn is_in_one_turn(work: &Work<'_>) -> bool {
    matches!(
        work.profile.calls.result_placement,
        ResultPlacement::NextTurn | ResultPlacement::MatchingCount
    )
}

/// Insert position and index of each result, one behind the other.
fn appended_order(at: usize, new: &[DetachedBlock]) -> Vec<(usize, usize)> {
    (0..new.len()).map(|index| (at, index)).collect()
}

/// Insert position and index of each result: behind the last present result of the same or an
/// earlier call. Sorted by the final order.
fn call_order(
    work: &Work<'_>,
    round: &Round,
    (turn, end): BlockPos,
    new: &[DetachedBlock],
) -> Vec<(usize, usize)> {
    let mut ranks = HashMap::new();
    for (rank, (_, call)) in round.calls(work).enumerate() {
        ranks.entry(call.id.unescape()).or_insert(rank);
    }
    let rank = |block: &Block| {
        let result = as_result(block)?;
        ranks.get(&result.call_id.unescape()).copied()
    };
    let mut min_ranks: Vec<Option<usize>> =
        work.blocks(turn)[..end].iter().map(|block| rank(block)).collect();
    for at in (1..min_ranks.len()).rev() {
        min_ranks[at - 1] = min_ranks[at - 1].min(min_ranks[at]);
    }
    let mut order: Vec<_> = new
        .iter()
        .enumerate()
        .map(|(index, new_result)| (rank(&new_result.block), index))
        .collect();
    order.sort_unstable();
    let insert_at = |result_rank| min_ranks.partition_point(|min_ranks| *min_ranks <= result_rank);
    order.into_iter().map(|(result_rank, index)| (insert_at(result_rank), index)).collect()
}

/// Position of the next result of a round: behind the results at the start of the following turns,
/// before anything else. Inserts a turn if needed.
fn make_result_pos(work: &mut Work<'_>, round: &Round) -> BlockPos {
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
    let in_own_turn = work.is_same_dialect()
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

/// Writes the id of a call that was written without one, or removes the id from its result, so that
/// both have an id or neither has.
pub(crate) fn match_id_spelling(work: &mut Work<'_>, (turn, at): BlockPos, result: &mut Block) {
    let dialect = work.profile.dialect;
    let extras = &work.block(turn, at).extras;
    let is_unwritten = match extras.written(dialect) {
        Some(WrittenForm::NoId) => true,
        Some(WrittenForm::Id(id)) => id.is_empty(),
        _ => false,
    };
    if is_unwritten {
        result.extras.set_written(dialect, WrittenForm::NoId);
    }
    if extras.spellings(dialect).intersects(MISSING_IDS) {
        work.edit_block(turn, at).extras.remove_spellings(dialect, MISSING_IDS);
    }
}
