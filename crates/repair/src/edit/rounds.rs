//! Iterates over unpaired rounds with later turns split off, so that inserting or removing a turn
//! moves no others.

use interlingua_model::Role;

use crate::engine::{DetachedTurns, Work};
use crate::query::pairing::is_well_paired;
use crate::query::rounds::Round;

/// As [`for_each_unpaired_round`], for rules that read no turn behind the assistant turns that
/// follow a round. Later turns are split off once a round needs mending.
pub(crate) fn for_each_unpaired_round_detached(
    work: &mut Work<'_>,
    mut mend: impl FnMut(&mut Work<'_>, &Round),
) {
    let mut start = work.paired_until();
    while let Some(round) =
        Round::starting_at(work.turns(), start).filter(|round| is_well_paired(work, round))
    {
        if work.paired_until() == start {
            work.set_paired_until(round.end());
        }
        start = round.end();
    }
    let Some(round) = Round::starting_at(work.turns(), start) else { return };
    let mut detached_turns = work.split_off(round.end() + 1);
    reattach_round(work, &mut detached_turns, start);
    while let Some(round) = Round::starting_at(work.turns(), start) {
        if !is_well_paired(work, &round) {
            mend(work, &round);
        }
        // Without turns between them, the next round has merged into this one.
        reattach_round(work, &mut detached_turns, start);
        start = Round::starting_at(work.turns(), start).map_or(start + 1, |round| round.end());
        reattach_round(work, &mut detached_turns, start);
    }
    while work.reattach_turn(&mut detached_turns) {}
}

/// Reattaches the turns of the round that begins with `start`, the assistant turns after them, and
/// one more turn.
fn reattach_round(work: &mut Work<'_>, detached_turns: &mut DetachedTurns, start: usize) {
    let mut at = start;
    for is_assistant in [true, false, true] {
        while (at < work.turns().len() || work.reattach_turn(detached_turns))
            && (work.turns()[at].role == Role::Assistant) == is_assistant
        {
            at += 1;
        }
    }
}

/// Runs `mend` on each round that is not well paired. `mend` may change the round, but nothing
/// before it.
pub(crate) fn for_each_unpaired_round(
    work: &mut Work<'_>,
    mut mend: impl FnMut(&mut Work<'_>, &Round),
) {
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
