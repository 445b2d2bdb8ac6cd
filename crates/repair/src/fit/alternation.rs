//! Neighbours of one role are one turn where the target wants the roles to alternate.
//!
//! Results come first in a turn of the user's. Two answers are kept apart by a short turn of the user's
//! if the second holds reasoning with a signature: joined, that would stand in another place.
//!
//! ## Why
//! > A conversation must alternate between user and assistant roles. Make sure the conversation
//! > alternates between user and assistant roles and try again.
//!
//! > Cannot have 2 or more assistant messages at the end of the list.
//!
//! > Please ensure that function call turn comes immediately after a user turn or after a function
//! > response turn.
//!
//! ## Example
//! ```text
//! before   user: "first"   user: "second"   assistant: "ok"   assistant: "and more"
//! after    user: "first", "second"          assistant: "ok", "and more"
//! ```

use interlingua_model::{Block, Body, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use super::ends_with_assistant::CONTINUE;
use super::missing_role::UNKNOWN;
use super::string_content::BLANK_LINE;
use super::{blank_between_reasoning, misplaced_thinking};
use crate::look::{is_assistants, is_call, is_result};
use crate::profile::roles::Joined;
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    // Where dialects are crossed, writing joins what belongs together.
    let joined = work.profile.roles.joined;
    if joined == Joined::None || !work.is_own() {
        return;
    }
    // Thinking may stand elsewhere among what is joined, and words may end elsewhere.
    while alternate(work, joined) && work.holds(About::OddThinking) {
        work.begin("misplaced-thinking");
        misplaced_thinking::apply(work);
        work.begin("blank-between-reasoning");
        blank_between_reasoning::apply(work);
        work.begin("alternation");
    }
}

/// Whether any turns were joined or kept apart.
fn alternate(work: &mut Work<'_>, joined: Joined) -> bool {
    let mut any = false;
    let mut turn = 0;
    while turn + 1 < work.turns().len() {
        let [this, next] = &work.turns()[turn..turn + 2] else { return any };
        let together = match joined {
            Joined::None => false,
            Joined::All => this.role == next.role,
            Joined::BeforeCalls => is_assistants(this) && is_assistants(next) && has_call(next),
            Joined::AtTheEnd => {
                is_assistants(this)
                    && !work.turns()[turn..].iter().any(|turn| is_stranger(turn))
                    && work.turns()[turn + 1..].iter().all(|turn| is_assistants(turn))
            }
        };
        any |= together;
        if !together {
            turn += 1;
        } else if joined == Joined::All && is_assistants(this) && next.is_sealed() {
            part(work, turn + 1);
            turn += 2;
        } else {
            join(work, turn);
        }
    }
    any
}

/// Whether the turn says that it is of somebody unknown, which the target takes.
fn is_stranger(turn: &Turn) -> bool {
    turn.extras.all().is_some_and(|(dialect, _)| turn.extras.find(dialect, UNKNOWN).is_some())
}

fn has_call(turn: &Verbatim<Turn>) -> bool {
    turn.blocks.iter().any(|block| is_call(block))
}

fn part(work: &mut Work<'_>, at: usize) {
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(Text::word(CONTINUE)).into());
    work.insert_turn(at, turn);
    work.change(
        Place::turn(at),
        "two answers with signatures are kept apart by a turn of the user's",
    );
}

fn join(work: &mut Work<'_>, turn: usize) {
    let whose = if is_assistants(&work.turns()[turn]) { "assistant's" } else { "user's" };
    let what = format!("joined with the {whose} turn before: roles alternate here");
    work.change(Place::turn(turn + 1), what);
    if work.profile.roles.joined == Joined::AtTheEnd
        && let Some(Body::Text { text, .. }) = work.blocks(turn + 1).first().map(|one| &one.body)
    {
        // Their texts become pieces of one.
        let parted = Text::concat([&Text::new(BLANK_LINE), text]);
        work.edit(turn + 1, 0).body = Body::Text { text: parted, citations: Vec::new() };
    }
    while let Some(block) = work.blocks(turn + 1).first() {
        let results = work.blocks(turn).iter().take_while(|block| is_result(block)).count();
        let at = if is_result(block) { results } else { work.blocks(turn).len() };
        work.carry((turn + 1, 0), (turn, at));
    }
    work.remove_turn(turn + 1);
}
