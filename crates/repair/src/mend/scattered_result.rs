//! Results come right after the calls they answer.
//!
//! Words of the user, or instructions, stand between a call and its result; or results of calls made
//! together come in several turns. They are brought together, before anything else that was said
//! until the model spoke again.
//!
//! ## Why
//! > An assistant message with 'tool_calls' must be followed by tool messages responding to each
//! > 'tool_call_id'.
//!
//! > Expected toolResult blocks at messages.2.content for the following Ids: tooluse_2
//!
//! > Please ensure that function response turn comes immediately after a function call turn.
//!
//! ## Example
//! ```text
//! before   assistant: call 1        user: "hurry"        user: result 1
//! after    assistant: call 1        user: result 1, "hurry"
//! ```

use interlingua_model::{Place, Role, Turn, Verbatim};

use crate::Work;
use crate::held::is_held;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Answers;

pub fn apply(work: &mut Work<'_>) {
    pairing::mend_rounds(work, |work, round| {
        let start = round.speech.start;
        while let Some(spot) = scattered(work, start) {
            bring(work, start, spot);
        }
    });
}

/// The first result that does not stand where it must.
fn scattered(work: &Work<'_>, start: usize) -> Option<Spot> {
    let round = Round::at(work.turns(), start)?;
    let answers = work.profile.calls.answers;
    let turns = &work.turns()[round.answers.clone()];
    let crosses = pairing::crosses(work);
    let in_order = !crosses
        && matches!(answers, Answers::FirstAfterRun | Answers::FirstAfterTurn | Answers::Anywhere);
    let one_turn = !crosses && matches!(answers, Answers::NextTurn | Answers::Counted);
    if !crosses && answers == Answers::BeforeNext {
        return None;
    }
    let held = is_held(work, &round);
    let mut passed = false;
    for (turn, said) in (round.answers.start..).zip(turns) {
        let instructs = said.role != Role::User;
        passed |= instructs && (crosses || !work.is_passed_over(said))
            || one_turn && turn > round.answers.start;
        for (at, block) in said.blocks.iter().enumerate() {
            let result = pairing::result(block);
            // Of a call that the provider holds, it must only be the user's.
            let strange = held && instructs;
            match result.filter(|result| strange || round.has_call(work, &result.call)) {
                Some(_) if passed || instructs => return Some((turn, at)),
                Some(_) => {}
                None => passed |= in_order && !instructs,
            }
        }
        passed |= in_order && said.blocks.is_empty() && !instructs;
    }
    None
}

fn bring(work: &mut Work<'_>, start: usize, (turn, at): Spot) {
    let Some(round) = Round::at(work.turns(), start) else { return };
    let count = work.turns().len();
    let place = pairing::place_for_result(work, &round);
    let from = (turn + (work.turns().len() - count), at);
    work.carry(from, place);
    work.change(Place::block(place.0, place.1), "a result stands right after its call");
    if is_empty(&work.turns()[from.0]) {
        work.remove_turn(from.0);
    }
}

fn is_empty(turn: &Verbatim<Turn>) -> bool {
    turn.blocks.is_empty()
}
