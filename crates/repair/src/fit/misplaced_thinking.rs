//! Thinking that stands where no thinking may stand is left out.
//!
//! It is the assistant's alone; it is what an answer begins with, on models that think once; it is never
//! what an answer ends with; and it is not in words that the model shall go on with while it does not
//! think.
//!
//! ## Why
//! > messages.0.content: thinking blocks may only be in `assistant` messages
//!
//! > messages.1: The final block in an assistant message cannot be `thinking`.
//!
//! > messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be
//! > `thinking` or `redacted_thinking`. Found `text`.
//!
//! > When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.
//!
//! ## Example
//! ```text
//! before   assistant: "let me see", thinking     user: "go on"
//! after    assistant: "let me see"               user: "go on"
//! ```

use std::ops::Range;

use interlingua_model::{Block, Role, Verbatim};

use super::{empty_turn, ends_with_assistant};
use crate::Work;
use crate::look::words;
use crate::profile::thinking::{Asked, asked};
use crate::thoughts::{self, is_thinking};

pub fn apply(work: &mut Work<'_>) {
    let row = &work.profile.thinking;
    // An item of reasoning among the client's would be taken for the model's next words.
    let apart = row.items && !work.is_own();
    // Instructions are texts.
    let plain = work.profile.fields.plain_system && work.is_own();
    if !(row.placed || apart || plain) || !has_thinking(work) {
        return;
    }
    let all = 0..work.turns().len();
    thoughts::leave_out(work, all, |work, turn, _| {
        let strange = match work.turns()[turn].role {
            Role::Assistant => false,
            Role::User => row.placed || apart,
            Role::System | Role::Developer => true,
        };
        strange.then(|| "left out thinking in words that are not the assistant's".to_owned())
    });
    if !row.placed {
        return;
    }
    if row.comes_first {
        for run in thoughts::runs(work).into_iter().rev() {
            if thinks_late(work, &run) {
                thoughts::leave_out(work, run, |_, _, _| {
                    Some("left out thinking that its answer does not begin with".to_owned())
                });
            }
        }
    }
    if is_off(work) {
        prefilled(work);
    }
    for run in thoughts::runs(work).into_iter().rev() {
        ends(work, run);
    }
}

fn has_thinking(work: &Work<'_>) -> bool {
    work.turns().iter().flat_map(|turn| &turn.blocks).any(|block| is_thinking(block))
}

/// The blocks of a run that are written for the target.
fn blocks<'w>(
    work: &'w Work<'_>,
    run: &Range<usize>,
) -> impl DoubleEndedIterator<Item = &'w Block> {
    let turns = work.turns()[run.clone()].iter().filter(|turn| turn.role == Role::Assistant);
    let said = |block: &&Verbatim<Block>| is_thinking(block) || work.is_said(block);
    turns.flat_map(|turn| &turn.blocks).filter(said).map(|block| &**block)
}

fn thinks_late(work: &Work<'_>, run: &Range<usize>) -> bool {
    blocks(work, run).next().is_some_and(|first| !is_thinking(first))
        && blocks(work, run).any(is_thinking)
}

fn is_off(work: &Work<'_>) -> bool {
    let settings = &work.conversation().settings;
    match asked(settings) {
        Asked::Off => true,
        Asked::Unsaid => !work.profile.thinking.unasked,
        Asked::BetweenTools | Asked::Budget | Asked::Adaptive => false,
    }
}

/// The assistant's words at the end, which the model goes on with.
fn prefilled(work: &mut Work<'_>) {
    let speaks = |at: usize| match work.turns()[at].role {
        Role::Assistant => work.is_spoken(&work.turns()[at]),
        _ => thoughts::is_users(work, at) || empty_turn::becomes_users(work, at),
    };
    let stays = |at: usize| speaks(at) && !empty_turn::vanishes(work, at);
    let last = (0..work.turns().len()).rev().find(|at| stays(*at));
    let goes_on = |at: &usize| {
        work.turns()[*at].role == Role::Assistant && ends_with_assistant::may_be_last(work, *at)
    };
    let Some(last) = last.filter(goes_on) else { return };
    // From another dialect, what the assistant says in a row is one message.
    let run = thoughts::runs(work).into_iter().find(|run| run.contains(&last));
    let words = run.filter(|_| !work.is_own()).unwrap_or(last..last + 1);
    thoughts::leave_out(work, words, |_, _, _| {
        Some("left out thinking in words to go on with: thinking is off".to_owned())
    });
}

/// The thinking that an answer ends with, such as that of one that was broken off.
fn ends(work: &mut Work<'_>, run: Range<usize>) {
    // A blank text between thinking says nothing, and goes where thinking no more follows it.
    let blank = |block: &Block| words(block).is_some_and(interlingua_wire::Text::is_blank);
    let tail = blocks(work, &run).rev().take_while(|block| is_thinking(block) || blank(block));
    let mut left = tail.filter(|block| is_thinking(block)).count();
    thoughts::leave_out(work, run, |_, _, _| {
        let gone = left > 0;
        left = left.saturating_sub(1);
        gone.then(|| "left out thinking that its answer ends with".to_owned())
    });
}
