//! A turn that says nothing is left out, or says that it is empty.
//!
//! The assistant's and instructions are left out. The user's is left out after another of the user's,
//! and says `(empty message)` otherwise: its place between two answers counts. The words are never
//! blank, because blanks are refused as well.
//!
//! ## Why
//! > messages.2: all messages must have non-empty content except for the optional final assistant
//! > message
//!
//! > The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the
//! > content field and try again.
//!
//! > Unable to submit request because it must include at least one parts field, which describes the
//! > prompt input.
//!
//! > Invalid request: the message at position 79 with role 'assistant' must not be empty
//!
//! ## Example
//! ```text
//! before   user: ""                  assistant: "hi"   user: "a"   assistant: (nothing)   user: "b"
//! after    user: "(empty message)"   assistant: "hi"   user: "a"   user: "b"
//! ```

use interlingua_model::{Block, Place, Role, Verbatim};
use interlingua_wire::{Json, Text};

use super::empty_text::{leave_out, note};
use crate::Work;
use crate::look::{instructs, is_call, is_result, words};
use crate::profile::calls::Answers;
use crate::profile::roles::{Instructions, Joined, Last};
use crate::profile::texts::NoContent;
use crate::thoughts::is_thinking;
use crate::work::many::Going;

pub fn apply(work: &mut Work<'_>) {
    if work.takes_empty() && work.takes_silence() {
        return;
    }
    let says_nothing = |work: &Work<'_>, turn| is_empty(work, turn) && !is_taken(work, turn);
    let mut turns = 0..work.turns().len();
    let Some(mut turn) = turns.find(|turn| says_nothing(work, *turn)) else { return };
    let mut before = Before::default();
    // What comes later is put aside: a turn less moves nothing then.
    let mut aside = work.put_aside(turn + 2);
    while turn < work.turns().len() {
        if !says_nothing(work, turn) || fill_or_leave_out(work, turn, &mut before) {
            turn += 1;
        }
        work.bring_next(&mut aside, turn);
    }
}

/// What was said before a turn, as far as somebody has looked.
#[derive(Default)]
struct Before {
    looked: usize,
    /// Who had the word last.
    speaker: Option<Role>,
    /// There is more than instructions.
    opened: bool,
}

impl Before {
    fn look(&mut self, work: &Work<'_>, until: usize) {
        for turn in &work.turns()[self.looked..until] {
            if work.is_spoken(turn) {
                self.speaker = Some(turn.role);
            }
            self.opened |= !instructs(turn);
        }
        self.looked = until;
    }
}

/// Whether a turn of the assistant's will be left out for having nothing in it.
pub(super) fn vanishes(work: &Work<'_>, turn: usize) -> bool {
    !(work.takes_empty() && work.takes_silence())
        && work.turns()[turn].role == Role::Assistant
        && is_empty(work, turn)
        && !is_taken(work, turn)
}

/// Whether a turn of the user's that has nothing in it will say so.
pub(crate) fn speaks(work: &Work<'_>, turn: usize) -> bool {
    !work.takes_empty() && is_empty(work, turn) && !follows(work, turn, Role::User)
}

/// Whether instructions that say nothing will be the user's, and say so.
pub(super) fn becomes_users(work: &Work<'_>, turn: usize) -> bool {
    !(work.takes_empty() && work.takes_silence())
        && parts_speech(work, turn)
        && is_empty(work, turn)
        && !is_taken(work, turn)
}

/// Whether nothing but these instructions keeps apart what the model said before and after them.
fn parts_speech(work: &Work<'_>, turn: usize) -> bool {
    may_part(work, turn) && follows(work, turn, Role::Assistant)
}

/// Whether these are instructions, and what the model said before and after them would be joined.
fn may_part(work: &Work<'_>, turn: usize) -> bool {
    let profile = work.profile;
    let counted = profile.calls.answers == Answers::Counted;
    let joins = !work.is_own() || profile.roles.joined == Joined::All || counted;
    instructs(&work.turns()[turn]) && joins
}

/// Who had the word before this turn.
fn follows(work: &Work<'_>, turn: usize, role: Role) -> bool {
    let before = work.turns()[..turn].iter().rev().find(|turn| work.is_spoken(turn));
    before.is_some_and(|before| before.role == role)
}

/// Has no block that says something.
fn is_empty(work: &Work<'_>, turn: usize) -> bool {
    let assistants = work.turns()[turn].role == Role::Assistant;
    let as_a_whole = work.profile.texts.as_a_whole;
    let users = work.turns()[turn].role == Role::User;
    let out_of_place =
        |block: &Verbatim<Block>| is_call(block) && !assistants || is_result(block) && !users;
    let nothing = |block: &Verbatim<Block>| {
        work.is_refused(block)
            || assistants && is_filler(work, block)
            || as_a_whole && out_of_place(block)
            || !work.is_said(block)
    };
    match work.blocks(turn) {
        [] => true,
        [one, ..] => nothing(one) && work.blocks(turn).iter().all(nothing),
    }
}

/// What is written as a string for content, with nothing in it.
fn is_filler(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    block.text_for(work.profile.dialect).is_none()
        && !work.is_sealed(block)
        && words(block).is_some_and(Text::is_empty)
}

fn is_taken(work: &Work<'_>, turn: usize) -> bool {
    let roles = work.profile.roles;
    let this = &work.turns()[turn];
    match this.role {
        Role::Assistant => {
            work.takes_silence()
                || is_thought(work, turn)
                || work.is_own()
                    && roles.silent_last
                    && turn + 1 == work.turns().len()
                    && is_as_written(work, turn)
                    && !(roles.last == Last::PrefillUnlessThinking && work.thinks())
        }
        Role::User => work.takes_empty(),
        // What has fields beside its content says something by them, where it may stand.
        Role::System | Role::Developer => {
            let stands = work.is_own()
                && roles.instructions != Instructions::Apart
                && work.profile.texts.no_content == NoContent::Taken;
            work.takes_empty() || stands && this.blocks.is_empty() && !this.extras.is_empty()
        }
    }
}

/// Whether the content is a thought, if one without words, as the client wrote it.
fn is_thought(work: &Work<'_>, turn: usize) -> bool {
    let dialect = work.profile.dialect;
    let part = |block: &Verbatim<Block>| {
        is_thinking(block)
            && block.extras.of(dialect).iter().any(|(key, _)| key.raw().starts_with(PART))
    };
    work.profile.texts.reasoning_in_content
        && work.turns()[turn].text_for(dialect).is_some()
        && work.blocks(turn).iter().any(part)
}

/// Whether the content is an empty list or string, as the client wrote it.
fn is_as_written(work: &Work<'_>, turn: usize) -> bool {
    let empty = |block: &Verbatim<Block>| {
        block.written().is_none() && words(block).is_some_and(Text::is_empty)
    };
    work.turns()[turn].written().is_some() && work.blocks(turn).iter().all(empty)
}

/// Whether the turn is still there.
fn fill_or_leave_out(work: &mut Work<'_>, turn: usize, before: &mut Before) -> bool {
    before.look(work, turn);
    let role = work.turns()[turn].role;
    if role == Role::User && before.speaker != Some(Role::User) {
        fill(work, turn);
        return true;
    }
    // Instructions after it are said in the midst of the conversation, and stay there.
    if !before.opened && work.is_threshold(turn) {
        work.turn(turn).role = Role::User;
        fill(work, turn);
        return true;
    }
    if may_part(work, turn) && before.speaker == Some(Role::Assistant) {
        work.turn(turn).role = Role::User;
        fill(work, turn);
        return true;
    }
    // Where reasoning is content, there is nothing to write of a turn that holds an empty one.
    let written = work.is_own() && work.profile.texts.reasoning_in_content;
    if written && work.blocks(turn).iter().any(|block| !work.is_said(block)) {
        work.loss(Place::turn(turn), "left out a turn of which nothing can be said here");
        work.remove_turn(turn);
        return false;
    }
    // What cannot be said here is noted by who leaves it out.
    if work.blocks(turn).iter().any(|block| !work.is_said(block)) {
        let mut gone = Going::default();
        for block in (0..work.blocks(turn).len()).rev() {
            if work.is_said(work.block(turn, block)) {
                note(work, turn, block);
                gone.push(block);
            }
        }
        leave_out(work, turn, gone);
        return true;
    }
    let whose = match role {
        Role::User => "the user's turn",
        Role::Assistant => "the assistant's turn",
        Role::System | Role::Developer => "the instructions",
    };
    let place = Place::turn(turn);
    let what = format!("left out {whose}: there is nothing in it");
    let fields = work.turns()[turn].extras.of(work.profile.dialect);
    if work.blocks(turn).iter().any(|block| is_call(block) || is_result(block)) {
        work.loss(place, what + ", but for a call or a result that cannot stand there");
    } else if fields.iter().any(|(_, value)| *value != Json::NULL) {
        work.loss(place, what + ", but for fields beside it");
    } else {
        work.change(place, what);
    }
    let marked = work.blocks(turn).iter().rposition(|block| block.cache.is_some());
    if marked.is_some_and(|block| work.hand_on(turn, block)) {
        work.loss(place, "left out the cache mark of an empty turn: nothing stands before it");
    }
    work.remove_turn(turn);
    false
}

fn fill(work: &mut Work<'_>, turn: usize) {
    let cache = work.blocks(turn).iter().find_map(|block| block.cache.clone());
    work.sift(turn, |work, at| {
        let block = work.block(turn, at);
        work.is_said(block) && !is_call(block)
    });
    let mut block = Block::text(Text::word(EMPTY_MESSAGE));
    block.cache = cache;
    work.insert(turn, 0, block);
    work.change(Place::turn(turn), "the user's turn is empty, and says so");
}

/// How the mark of a part begins that not every server knows.
const PART: &str = "part ";
/// What stands in place of nothing.
pub const EMPTY_MESSAGE: &str = "(empty message)";
