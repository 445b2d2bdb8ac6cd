//! Rounds one after the other, with what comes later put aside: a turn more or less moves nothing then.

use interlingua_model::Role;

use crate::Work;
use crate::pairing::{Round, is_fine};
use crate::work::many::Aside;

/// As [`mend_rounds`](crate::pairing::mend_rounds), for who looks at no turn behind what the model
/// says after the round. What comes later is put aside once there is something to mend.
pub(crate) fn mend_rounds_apart(work: &mut Work<'_>, mut mend: impl FnMut(&mut Work<'_>, &Round)) {
    let mut start = work.paired();
    while let Some(round) = Round::at(work.turns(), start).filter(|round| is_fine(work, round)) {
        if work.paired() == start {
            work.pairs_settled(round.end());
        }
        start = round.end();
    }
    let Some(round) = Round::at(work.turns(), start) else { return };
    let mut aside = work.put_aside(round.end() + 1);
    bring_round(work, &mut aside, start);
    while let Some(round) = Round::at(work.turns(), start) {
        if !is_fine(work, &round) {
            mend(work, &round);
        }
        // Where nothing parts them any more, the next round is one with this.
        bring_round(work, &mut aside, start);
        start = Round::at(work.turns(), start).map_or(start + 1, |round| round.end());
        bring_round(work, &mut aside, start);
    }
    while work.bring_back(&mut aside) {}
}

/// Brings back the turns of the round that begins with `start`, what the model says after them, and one
/// more.
fn bring_round(work: &mut Work<'_>, aside: &mut Aside, start: usize) {
    let mut at = start;
    for speaks in [true, false, true] {
        while (at < work.turns().len() || work.bring_back(aside))
            && (work.turns()[at].role == Role::Assistant) == speaks
        {
            at += 1;
        }
    }
}
