//! Thinking in a conversation: where it stands, and how it is left out.

use std::ops::Range;

use interlingua_model::{Block, Body, DialectId, Extras, Place, Role, Verbatim};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::work::many::Going;

pub(crate) fn is_thinking(block: &Block) -> bool {
    matches!(block.body, Body::Thinking(_))
}

/// Whether somebody vouches for the block.
pub(crate) fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| !seal.data.is_empty())
}

/// The id of an item that is one block, or of the message that begins with it.
pub(crate) fn item_id(block: &Block, dialect: DialectId) -> Option<Text> {
    let sealed = block.seal.as_deref().and_then(|seal| seal.id.clone());
    let written = || match &block.body {
        Body::Foreign { json, .. } => json.doc().root().get("id").and_then(Node::text),
        _ => block.extras.find(dialect, ID).and_then(Json::text).or_else(|| {
            let message = block.extras.find(dialect, MESSAGE)?.doc();
            message.root().get(ID).and_then(Node::text)
        }),
    };
    sealed.or_else(written).filter(|id| !id.is_empty())
}

/// Ids of what the model said after reasoning tell the provider to look for it: where the reasoning is
/// gone from before this turn, they go, too. Up to where.
pub(crate) fn unname_followers(work: &mut Work<'_>, from: usize) -> usize {
    unname_within(work, from..work.turns().len())
}

fn unname_within(work: &mut Work<'_>, turns: Range<usize>) -> usize {
    let end = turns.end;
    if work.profile.calls.item_ids.is_none() || !work.is_own() {
        return end;
    }
    let dialect = work.profile.dialect;
    let mut parted = false;
    for turn in turns {
        let here = &work.turns()[turn];
        if here.blocks.iter().any(|block| is_thinking(block)) {
            return turn;
        }
        // What goes with it may stand behind what somebody else says.
        let named = !parted && here.extras.find(dialect, ID).is_some();
        if here.role != Role::Assistant && !named {
            let results = |block: &Verbatim<Block>| matches!(block.body, Body::ToolResult(_));
            parted |= here.blocks.is_empty() || !here.blocks.iter().all(results);
            continue;
        }
        if here.extras.find(dialect, ID).is_some() {
            work.turn(turn).extras.retain(dialect, |key, _| *key != ID);
            work.change(Place::turn(turn), UNNAMED);
        }
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            if item_id(block, dialect).is_none() || matches!(block.body, Body::Foreign { .. }) {
                continue;
            }
            unname(&mut work.edit(turn, at).extras, dialect);
            work.change(Place::block(turn, at), UNNAMED);
        }
    }
    end
}

/// Leaves out the id of an item, and of the message that begins here.
fn unname(extras: &mut Extras, dialect: DialectId) {
    extras.retain(dialect, |key, value| {
        if *key == MESSAGE {
            let message = value.doc();
            let rest = message.root().fields().filter(|field| !field.is(ID));
            *value = Json::object(|o| {
                rest.for_each(|field| o.key_text(&field.key()).json(&field.value.json()));
            });
        }
        *key != ID
    });
}

const ID: &str = "id";
/// Where the first block of a message in a reply carries what the message says of itself.
const MESSAGE: &str = "its message";
const UNNAMED: &str = "left out the id: the reasoning that it goes with is gone";

/// Leaves out every block of thinking that `gone` names, in words for the ledger. A turn that holds
/// nothing else goes with it, unless instructions after it would be taken for the first ones, or it is
/// the user's: so it stays between what the model says before and after.
pub(crate) fn leave_out(
    work: &mut Work<'_>,
    turns: Range<usize>,
    mut gone: impl FnMut(&Work<'_>, usize, usize) -> Option<String>,
) {
    // From here on, turns have lost their ids already.
    let mut unnamed = work.turns().len();
    let mut emptied = Going::default();
    for turn in turns.rev() {
        if !work.blocks(turn).iter().any(|block| is_thinking(block)) {
            continue;
        }
        let any = work.sift(turn, |work, at| {
            let thinking = is_thinking(work.block(turn, at));
            let Some(what) = thinking.then(|| gone(work, turn, at)).flatten() else { return false };
            work.loss(Place::block(turn, at), what);
            true
        });
        if !any {
            continue;
        }
        unname_within(work, turn + 1..unnamed);
        unnamed = turn + 1;
        let users = work.turns()[turn].role == Role::User;
        let empty = work.blocks(turn).is_empty();
        if !users && empty && !work.is_threshold_to(turn, emptied.behind(turn)) {
            emptied.push(turn);
            unnamed = turn;
        }
    }
    work.remove_turns(&emptied.into_places());
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
            Role::System | Role::Developer => open &= work.is_own() && !work.is_reminder(at),
        }
    }
    runs
}

/// Where the open tool loop begins: after the user last said more than results.
pub(crate) fn open_loop(work: &Work<'_>) -> usize {
    let turns = work.turns();
    let more =
        |block: &Verbatim<Block>| work.is_said(block) && !matches!(block.body, Body::ToolResult(_));
    let says = |at: usize| is_users(work, at) && turns[at].blocks.iter().any(more);
    (0..turns.len()).rev().find(|at| says(*at)).map_or(0, |at| at + 1)
}

/// Whether the user says the turn: instructions from another dialect, and those that are said as
/// reminders, are the user's words.
pub(crate) fn is_users(work: &Work<'_>, at: usize) -> bool {
    let turn = &work.turns()[at];
    match turn.role {
        Role::User => true,
        Role::Assistant => false,
        Role::System | Role::Developer => {
            work.is_spoken(turn) && (!work.is_own() || work.is_reminder(at))
        }
    }
}
