//! Finds and removes reasoning blocks.

use std::ops::Range;

use interlingua_model::{Block, BlockContent, Role, Verbatim};

use crate::engine::Work;

/// The runs of assistant turns. Instructions in between do not end a run in the target's own
/// dialect; from another dialect they become user text and end it.
pub(crate) fn assistant_runs(work: &Work<'_>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for (at, turn) in work.turns().iter().enumerate() {
        match turn.role {
            Role::Assistant if is_open => {
                if let Some(run) = runs.last_mut() {
                    run.end = at + 1;
                }
            }
            Role::Assistant => {
                runs.push(at..at + 1);
                is_open = true;
            }
            Role::User => is_open = false,
            Role::System | Role::Developer => {
                is_open &= work.is_same_dialect() && !work.becomes_user_text(at);
            }
        }
    }
    runs
}

/// Start of the open tool loop: behind the last user turn with more than results.
pub(crate) fn open_tool_loop_start(work: &Work<'_>) -> usize {
    let turns = work.turns();
    let is_input = |block: &Verbatim<Block>| {
        work.is_encoded(block) && !matches!(block.content, BlockContent::ToolResult(_))
    };
    let has_input = |at: usize| counts_as_user(work, at) && turns[at].blocks.iter().any(is_input);
    (0..turns.len()).rev().find(|at| has_input(*at)).map_or(0, |at| at + 1)
}

/// Whether the turn is sent as user text: user turns, instructions from another dialect, and
/// instructions sent as reminders.
pub(crate) fn counts_as_user(work: &Work<'_>, at: usize) -> bool {
    let turn = &work.turns()[at];
    match turn.role {
        Role::User => true,
        Role::Assistant => false,
        Role::System | Role::Developer => {
            work.is_turn_encoded(turn) && (!work.is_same_dialect() || work.becomes_user_text(at))
        }
    }
}
