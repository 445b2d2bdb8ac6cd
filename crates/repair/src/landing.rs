//! Results come to where the target looks for them, all of a round at once.

use std::collections::HashMap;

use interlingua_model::{Block, Role};

use crate::Work;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Answers;
use crate::work::many::Moved;

/// Puts results where they belong in the round that begins with `start`, one behind the other; says where
/// each is then.
pub(crate) fn land(work: &mut Work<'_>, start: usize, results: Vec<Moved>) -> Vec<Spot> {
    land_in_order(work, start, results, false)
}

/// As [`land`], if they come in the order of their calls; where that counts, also among results that
/// stand there already.
pub(crate) fn land_in_order(
    work: &mut Work<'_>,
    start: usize,
    results: Vec<Moved>,
    by_call: bool,
) -> Vec<Spot> {
    let mut places = Vec::with_capacity(results.len());
    let mut rest = results.into_iter();
    while rest.len() > 0 {
        let Some(round) = Round::at(work.turns(), start) else { break };
        let count = work.turns().len();
        let (turn, at) = pairing::place_for_result(work, &round);
        let made = work.turns().len() > count;
        let said = work.blocks(turn).iter().any(|block| pairing::result(block).is_none());
        if is_together(work) || said {
            let all: Vec<Moved> = rest.collect();
            let order =
                if by_call { ranked(work, &round, (turn, at), &all) } else { unranked(at, &all) };
            let mut spots = vec![(turn, at); all.len()];
            for (more, (before, one)) in order.iter().enumerate() {
                spots[*one].1 = before + more;
            }
            places.extend(spots);
            let mut all: Vec<Option<Moved>> = all.into_iter().map(Some).collect();
            let sorted = order.into_iter().filter_map(|(at, one)| Some((at, all[one].take()?)));
            work.land(turn, sorted.collect());
            break;
        }
        // A turn that has nothing but results keeps its form: the next stand behind it.
        work.land(turn, rest.next().map(|one| (at, one)).into_iter().collect());
        places.push((turn, at));
        if made {
            places.extend((turn + 1..).take(rest.len()).map(|turn| (turn, 0)));
            work.land_apart(turn + 1, rest.collect());
            break;
        }
    }
    places
}

/// Whether the first result that comes fills a turn with nothing in it.
pub(crate) fn fills(work: &Work<'_>, start: usize) -> bool {
    let first = Round::at(work.turns(), start).map(|round| round.answers.start);
    let first = first.and_then(|first| work.turns().get(first));
    !is_together(work)
        && first.is_some_and(|first| first.role == Role::User && first.blocks.is_empty())
}

fn is_together(work: &Work<'_>) -> bool {
    matches!(work.profile.calls.answers, Answers::NextTurn | Answers::Counted)
}

/// Each behind the one before it: its place, and its number.
fn unranked(at: usize, new: &[Moved]) -> Vec<(usize, usize)> {
    (0..new.len()).map(|one| (at, one)).collect()
}

/// Each behind the last result that answers no later call: before which of those that stand there already,
/// and its number. In the order in which they stand then.
fn ranked(work: &Work<'_>, round: &Round, (turn, end): Spot, new: &[Moved]) -> Vec<(usize, usize)> {
    let mut ranks = HashMap::new();
    for (rank, (_, call)) in round.calls(work).enumerate() {
        ranks.entry(call.id.contents()).or_insert(rank);
    }
    let rank = |block: &Block| {
        let result = pairing::result(block)?;
        ranks.get(&result.call.contents()).copied()
    };
    let mut least: Vec<Option<usize>> =
        work.blocks(turn)[..end].iter().map(|block| rank(block)).collect();
    for at in (1..least.len()).rev() {
        least[at - 1] = least[at - 1].min(least[at]);
    }
    let mut order: Vec<_> =
        new.iter().enumerate().map(|(one, moved)| (rank(&moved.block), one)).collect();
    order.sort_unstable();
    let before = |own| least.partition_point(|least| *least <= own);
    order.into_iter().map(|(own, one)| (before(own), one)).collect()
}
