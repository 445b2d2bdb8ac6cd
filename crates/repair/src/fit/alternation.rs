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
//! > Conversation roles must alternate user/assistant/user/assistant/...
//!
//! ## Example
//! ```text
//! before   user: "first"   user: "second"   assistant: "ok"   assistant: "and more"
//! after    user: "first", "second"          assistant: "ok", "and more"
//! ```

use interlingua_model::{Block, Body, Lesson, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use super::ends_with_assistant::CONTINUE;
use super::missing_role::UNKNOWN;
use super::string_content::BLANK_LINE;
use super::{blank_between_reasoning, misplaced_thinking};
use crate::look::{is_assistants, is_call, is_result};
use crate::pairing::Spot;
use crate::profile::roles::Joined;
use crate::profile::texts::Strings;
use crate::work::many::Moved;
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    // Where dialects are crossed, writing joins what belongs together.
    let joined = joined(work);
    if joined == Joined::None || joined != Joined::Words && !work.is_own() {
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

/// Which neighbours are joined here, also by what was learned.
fn joined(work: &Work<'_>) -> Joined {
    match work.profile.roles.joined {
        Joined::None | Joined::AtTheEnd | Joined::BeforeCalls
            if work.profile.lessons.iter().any(|lesson| *lesson == Lesson::Alternation) =>
        {
            Joined::Words
        }
        joined => joined,
    }
}

/// Whether any turns were joined or kept apart.
fn alternate(work: &mut Work<'_>, joined: Joined) -> bool {
    let end = if joined == Joined::AtTheEnd { end(work) } else { 0 };
    let together = |work: &Work<'_>, turn: usize| {
        let [this, next] = &work.turns()[turn..turn + 2] else { return false };
        match joined {
            Joined::None => false,
            Joined::All => this.role == next.role,
            Joined::BeforeCalls => is_assistants(this) && is_assistants(next) && has_call(next),
            Joined::AtTheEnd => turn >= end,
            Joined::Words => this.role == next.role && ![this, next].iter().any(|one| tells(one)),
        }
    };
    let mut pairs = 0..work.turns().len().saturating_sub(1);
    let Some(mut turn) = pairs.find(|turn| together(work, *turn)) else { return false };
    // What comes later is put aside, and what is joined lands at once: so each moves only once.
    let mut aside = work.put_aside(turn + 2);
    let mut joining = Joining::default();
    while turn + 1 < work.turns().len() {
        let [this, next] = &work.turns()[turn..turn + 2] else { break };
        if !together(work, turn) {
            joining.land(work, turn);
            turn += 1;
        } else if joined == Joined::All && is_assistants(this) && next.is_sealed() {
            joining.land(work, turn);
            part(work, turn + 1);
            turn += 2;
        } else {
            join(work, turn, &mut joining);
        }
        work.bring_next(&mut aside, turn);
    }
    joining.land(work, turn);
    true
}

/// Where the turns begin after which there are only the assistant's, and none of somebody unknown.
fn end(work: &Work<'_>) -> usize {
    let ends = |turn: &&Verbatim<Turn>| is_assistants(turn) && !is_stranger(turn);
    work.turns().len() - work.turns().iter().rev().take_while(ends).count()
}

/// Blocks on their way into the turn that they are joined with.
#[derive(Default)]
struct Joining {
    results: Vec<Moved>,
    others: Vec<Moved>,
}

impl Joining {
    /// Results come behind those that the turn begins with, all else at its end.
    fn land(&mut self, work: &mut Work<'_>, turn: usize) {
        if self.results.is_empty() && self.others.is_empty() {
            return;
        }
        let blocks = work.blocks(turn);
        let (end, first) =
            (blocks.len(), blocks.iter().take_while(|block| is_result(block)).count());
        let results = self.results.drain(..).map(|block| (first, block));
        let all = results.chain(self.others.drain(..).map(|block| (end, block))).collect();
        work.land(turn, all);
    }
}

/// Whether the turn says that it is of somebody unknown, which the target takes.
fn is_stranger(turn: &Turn) -> bool {
    turn.extras.all().is_some_and(|(dialect, _)| turn.extras.find(dialect, UNKNOWN).is_some())
}

/// Whether the texts of a turn run on from those before: as pieces of one, or in a list that not every
/// template parts.
fn runs_on(work: &Work<'_>, turn: usize) -> bool {
    match joined(work) {
        Joined::None | Joined::All | Joined::BeforeCalls => false,
        Joined::AtTheEnd => true,
        Joined::Words if is_assistants(&work.turns()[turn]) => work.is_own(),
        Joined::Words => work.profile.texts.strings != Strings::Everybodys,
    }
}

/// Whether the turn tells what a tool returned.
fn tells(turn: &Turn) -> bool {
    turn.blocks.iter().any(|block| is_result(block))
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

fn join(work: &mut Work<'_>, turn: usize, joining: &mut Joining) {
    let before = match work.turns()[turn].role {
        Role::Assistant => "assistant's turn",
        Role::User => "user's turn",
        Role::System | Role::Developer => "instructions",
    };
    let what = format!("joined with the {before} before: roles alternate here");
    work.change(Place::turn(turn + 1), what);
    if runs_on(work, turn)
        && let Some(Body::Text { text, .. }) = work.blocks(turn + 1).first().map(|one| &one.body)
    {
        // Their texts become pieces of one.
        let parted = Text::concat([&Text::new(BLANK_LINE), text]);
        work.edit(turn + 1, 0).body = Body::Text { text: parted, citations: Vec::new() };
    }
    let spots: Vec<Spot> = (0..work.blocks(turn + 1).len()).map(|at| (turn + 1, at)).collect();
    for moved in work.lift(&spots) {
        let list = if is_result(&moved.block) { &mut joining.results } else { &mut joining.others };
        list.push(moved);
    }
    work.remove_turn(turn + 1);
}
