//! Removes reasoning in positions that the target rejects.

use std::ops::Range;

use interlingua_model::{Block, Role, Verbatim};

use crate::edit::remove_reasoning;
use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::query::{conversation, empty_turn, reasoning};
use crate::values::block::{is_reasoning_block, plain_text};

pub(crate) fn remove_misplaced_reasoning(work: &mut Work<'_>) {
    let reasoning = &work.profile.reasoning;
    // A reasoning item in a user turn would be taken for the start of the model's next reply.
    let is_separate_item = reasoning.is_item && !work.is_same_dialect();
    // Instructions may only be texts.
    let text_only_system = work.profile.fields.text_only_system && work.is_same_dialect();
    if !(reasoning.checks_placement || is_separate_item || text_only_system) || !has_reasoning(work)
    {
        return;
    }
    let all = 0..work.turns().len();
    remove_reasoning::remove_reasoning(work, all, |work, turn, _| {
        let is_misplaced = match work.turns()[turn].role {
            Role::Assistant => false,
            Role::User => reasoning.checks_placement || is_separate_item,
            Role::System | Role::Developer => true,
        };
        is_misplaced
            .then(|| "left out reasoning in a message that is not the assistant's".to_owned())
    });
    if !reasoning.checks_placement {
        return;
    }
    if reasoning.must_come_first {
        for run in reasoning::assistant_runs(work).into_iter().rev() {
            if has_late_reasoning(work, &run) {
                remove_reasoning::remove_reasoning(work, run, |_, _, _| {
                    Some("left out reasoning that is not at the start of its reply".to_owned())
                });
            }
        }
    }
    if is_reasoning_off(work) {
        remove_from_prefill(work);
    }
    for run in reasoning::assistant_runs(work).into_iter().rev() {
        remove_trailing(work, run);
    }
}

fn has_reasoning(work: &Work<'_>) -> bool {
    work.turns().iter().flat_map(|turn| &turn.blocks).any(|block| is_reasoning_block(block))
}

/// The blocks of a run that are written for the target.
fn encoded_blocks<'w>(
    work: &'w Work<'_>,
    run: &Range<usize>,
) -> impl DoubleEndedIterator<Item = &'w Block> {
    let turns = work.turns()[run.clone()].iter().filter(|turn| turn.role == Role::Assistant);
    let is_kept = |block: &&Verbatim<Block>| is_reasoning_block(block) || work.is_encoded(block);
    turns.flat_map(|turn| &turn.blocks).filter(is_kept).map(|block| &**block)
}

fn has_late_reasoning(work: &Work<'_>, run: &Range<usize>) -> bool {
    encoded_blocks(work, run).next().is_some_and(|first| !is_reasoning_block(first))
        && encoded_blocks(work, run).any(is_reasoning_block)
}

fn is_reasoning_off(work: &Work<'_>) -> bool {
    let settings = &work.conversation().settings;
    match reasoning_request(settings) {
        ReasoningRequest::Off => true,
        ReasoningRequest::Unspecified => !work.profile.reasoning.reasons_by_default,
        ReasoningRequest::BetweenTools | ReasoningRequest::Budget | ReasoningRequest::Adaptive => {
            false
        }
    }
}

/// Removes reasoning from a prefill at the end of the conversation.
fn remove_from_prefill(work: &mut Work<'_>) {
    let counts = |at: usize| match work.turns()[at].role {
        Role::Assistant => work.is_turn_encoded(&work.turns()[at]),
        _ => reasoning::counts_as_user(work, at) || empty_turn::will_become_user_turn(work, at),
    };
    let remains = |at: usize| counts(at) && !empty_turn::will_be_removed(work, at);
    let last = (0..work.turns().len()).rev().find(|at| remains(*at));
    let is_prefill = |at: &usize| {
        work.turns()[*at].role == Role::Assistant && conversation::may_be_last(work, *at)
    };
    let Some(last) = last.filter(is_prefill) else { return };
    // Consecutive assistant turns of another dialect are encoded as one message.
    let run = reasoning::assistant_runs(work).into_iter().find(|run| run.contains(&last));
    let prefill = run.filter(|_| !work.is_same_dialect()).unwrap_or(last..last + 1);
    remove_reasoning::remove_reasoning(work, prefill, |_, _, _| {
        Some("left out reasoning in a prefill: reasoning is off".to_owned())
    });
}

/// Removes reasoning at the end of a run, for example of a reply that was cut off.
fn remove_trailing(work: &mut Work<'_>, run: Range<usize>) {
    // A blank text between reasoning blocks has no content and is removed when no reasoning follows.
    let is_blank =
        |block: &Block| plain_text(block).is_some_and(interlingua_wire::JsonString::is_blank);
    let tail = encoded_blocks(work, &run)
        .rev()
        .take_while(|block| is_reasoning_block(block) || is_blank(block));
    let mut to_remove = tail.filter(|block| is_reasoning_block(block)).count();
    remove_reasoning::remove_reasoning(work, run, |_, _, _| {
        let is_trailing = to_remove > 0;
        to_remove = to_remove.saturating_sub(1);
        is_trailing.then(|| "left out reasoning at the end of its reply".to_owned())
    });
}
