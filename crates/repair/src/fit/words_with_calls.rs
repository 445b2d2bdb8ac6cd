//! Words and calls are two turns where the target takes one or the other.
//!
//! ## Why
//! > Assistant message must have either content or tool_calls, but not both.
//!
//! ## Example
//! ```text
//! before   assistant: "I look.", call 1
//! after    assistant: "I look."   user: "Continue."   assistant: call 1
//! ```

use interlingua_model::{Block, Place, Role, Turn};
use interlingua_wire::Text;

use super::ends_with_assistant::CONTINUE;
use crate::Work;
use crate::look::{is_assistants, is_call, words};
use crate::pairing::Spot;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.roles.words_with_calls {
        return;
    }
    let mut turn = 0;
    while turn < work.turns().len() {
        while is_followed(work, turn) {
            work.join_next(turn);
        }
        let this = &work.turns()[turn];
        let calls = this.blocks.iter().filter(|block| is_call(block)).count();
        let speaks = this
            .blocks
            .iter()
            .any(|block| !is_call(block) && !is_empty(block) && work.is_said(block));
        if is_assistants(this) && calls > 0 && !speaks {
            quiet(work, turn);
        }
        let this = &work.turns()[turn];
        if is_assistants(this) && calls > 0 && speaks {
            part(work, turn);
        } else if is_assistants(this) && calls == 0 && is_joined(work, turn) {
            work.insert_turn(turn + 1, between());
            work.change(Place::turn(turn + 1), "words and calls are two turns here");
        }
        turn += 1;
    }
}

/// Leaves out parts without a word, which are content all the same.
fn quiet(work: &mut Work<'_>, turn: usize) {
    let dialect = work.profile.dialect;
    // Several texts are written as a list, which is content even if each is empty.
    let is_anew = work.turns()[turn].text_for(dialect).is_none();
    let is_list =
        is_anew && work.blocks(turn).iter().filter(|block| is_empty(block)).nth(1).is_some();
    work.sift(turn, |work, at| {
        let block = work.block(turn, at);
        let is_part = !is_call(block) && block.text_for(dialect).is_some();
        let is_text = is_empty(block) && (is_list || !work.is_own());
        if is_part {
            work.loss(Place::block(turn, at), "left out a part without a word beside calls");
        } else if is_text {
            work.change(Place::block(turn, at), "left out an empty text beside calls");
        }
        is_part || is_text
    });
}

fn is_empty(block: &Block) -> bool {
    words(block).is_some_and(Text::is_empty)
}

/// Whether the assistant speaks on in the turn after calls, which is written together with them.
fn is_followed(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let next = work.turns().get(turn + 1).filter(|next| is_assistants(next) && !work.is_own());
    next.is_some() && is_assistants(this) && this.blocks.iter().any(|block| is_call(block))
}

/// Whether the assistant's next turn, with calls, is written together with this one.
fn is_joined(work: &Work<'_>, turn: usize) -> bool {
    let next = work.turns().get(turn + 1).filter(|next| is_assistants(next) && !work.is_own());
    next.is_some_and(|next| next.blocks.iter().any(|block| is_call(block)))
}

fn between() -> Turn {
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(Text::word(CONTINUE)).into());
    turn
}

fn part(work: &mut Work<'_>, turn: usize) {
    work.insert_turn(turn + 1, between());
    work.insert_turn(turn + 2, Turn::new(Role::Assistant));
    let all = 0..work.blocks(turn).len();
    let calls: Vec<Spot> =
        all.filter(|at| is_call(work.block(turn, *at))).map(|at| (turn, at)).collect();
    work.carry_spots(&calls, turn + 2);
    work.change(Place::turn(turn), "words and calls are two turns here");
}
