//! Thinking in a conversation: where it stands, and how it is left out.

use std::ops::Range;

use interlingua_model::{Block, Body, Place, Role, Turn, Verbatim};

use crate::Work;

pub(crate) fn is_thinking(block: &Block) -> bool {
    matches!(block.body, Body::Thinking(_))
}

/// Whether somebody vouches for the block.
pub(crate) fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| !seal.data.is_empty())
}

/// Leaves out every block of thinking that `gone` names, in words for the ledger. A turn that holds
/// nothing else goes with it.
pub(crate) fn leave_out(
    work: &mut Work<'_>,
    turns: Range<usize>,
    mut gone: impl FnMut(&Work<'_>, usize, usize) -> Option<String>,
) {
    for turn in turns.rev() {
        let mut any = false;
        for at in (0..work.blocks(turn).len()).rev() {
            if !is_thinking(work.block(turn, at)) {
                continue;
            }
            if let Some(what) = gone(work, turn, at) {
                work.loss(Place::block(turn, at), what);
                work.remove(turn, at);
                any = true;
            }
        }
        if any && work.blocks(turn).is_empty() {
            work.remove_turn(turn);
        }
    }
}

/// The runs of the assistant's turns. In the target's own dialect instructions between them belong to
/// none; from another they are said by the user.
pub(crate) fn runs(work: &Work<'_>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, turn) in work.turns().iter().enumerate() {
        match turn.role {
            Role::Assistant if open => {
                if let Some(run) = runs.last_mut() {
                    run.end = at + 1;
                }
            }
            Role::Assistant => {
                runs.push(at..at + 1);
                open = true;
            }
            Role::User => open = false,
            Role::System | Role::Developer => open &= work.is_own(),
        }
    }
    runs
}

/// Where the open tool loop begins: after the user last said more than results.
pub(crate) fn open_loop(work: &Work<'_>) -> usize {
    let turns = work.turns();
    let more =
        |block: &Verbatim<Block>| work.is_said(block) && !matches!(block.body, Body::ToolResult(_));
    let says = |at: usize| is_users(work, &turns[at]) && turns[at].blocks.iter().any(more);
    (0..turns.len()).rev().find(|at| says(*at)).map_or(0, |at| at + 1)
}

/// Whether the user says the turn: instructions from another dialect are the user's words.
pub(crate) fn is_users(work: &Work<'_>, turn: &Turn) -> bool {
    match turn.role {
        Role::User => true,
        Role::Assistant => false,
        Role::System | Role::Developer => !work.is_own() && work.is_spoken(turn),
    }
}
