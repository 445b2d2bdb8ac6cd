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

use interlingua_model::{Block, Place, Role, Verbatim};

use crate::apart::mend_rounds_apart;
use crate::held::is_held;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Answers;
use crate::{Work, landing};

pub fn apply(work: &mut Work<'_>) {
    mend_rounds_apart(work, |work, round| {
        let start = round.speech.start;
        loop {
            let mut spots = scattered(work, start);
            // A turn with nothing in it parts nothing any more once the first stands there.
            if landing::fills(work, start) {
                spots.truncate(1);
            }
            if spots.is_empty() {
                return;
            }
            bring(work, start, &spots);
        }
    });
}

/// The results that do not stand where they must, up to where it depends on those that they are gone.
fn scattered(work: &Work<'_>, start: usize) -> Vec<Spot> {
    let mut found = Vec::new();
    let Some(round) = Round::at(work.turns(), start) else { return found };
    let answers = work.profile.calls.answers;
    let turns = &work.turns()[round.answers.clone()];
    let crosses = pairing::crosses(work);
    let in_order = !crosses
        && matches!(answers, Answers::FirstAfterRun | Answers::FirstAfterTurn | Answers::Anywhere);
    let one_turn = !crosses && matches!(answers, Answers::NextTurn | Answers::Counted);
    if !crosses && answers == Answers::BeforeNext {
        return found;
    }
    let called = round.called(work);
    let held = is_held(work, &round);
    let mut passed = false;
    let mut leaves = false;
    for (turn, said) in (round.answers.start..).zip(turns) {
        let instructs = said.role != Role::User;
        let moves = |block: &Verbatim<Block>| {
            pairing::result(block).is_some_and(|result| held || called.has(&result.call))
        };
        // A turn of instructions that are all results goes with them, and parts nothing then.
        let went = leaves;
        leaves = instructs && !said.blocks.is_empty() && said.blocks.iter().all(moves);
        if went && !leaves {
            return found;
        }
        passed |= instructs && (crosses || !work.is_passed_over(said))
            || one_turn && turn > round.answers.start;
        for (at, block) in said.blocks.iter().enumerate() {
            let result = pairing::result(block);
            // Of a call that the provider holds, it must only be the user's.
            let strange = held && instructs;
            match result.filter(|result| strange || called.has(&result.call)) {
                Some(_) if passed || instructs => found.push((turn, at)),
                Some(_) => {}
                None => passed |= in_order && !instructs,
            }
        }
        passed |= in_order && said.blocks.is_empty() && !instructs;
    }
    found
}

fn bring(work: &mut Work<'_>, start: usize, spots: &[Spot]) {
    let count = work.turns().len();
    let lifted = work.lift(spots);
    for (turn, at) in landing::land(work, start, lifted) {
        work.change(Place::block(turn, at), "a result stands right after its call");
    }
    let made = work.turns().len() - count;
    let mut gone: Vec<usize> = spots.iter().map(|(turn, _)| turn + made).collect();
    gone.dedup();
    gone.retain(|turn| work.blocks(*turn).is_empty());
    work.remove_turns(&gone);
}
