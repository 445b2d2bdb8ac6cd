//! Several results of one call become one.
//!
//! A result that is there twice is left out once; results that differ are put together in their
//! order, so that nothing is lost.
//!
//! ## Why
//! > messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result`
//! > blocks with id: toolu_1
//!
//! > Please ensure that the number of function response parts is equal to the number of function call
//! > parts of the function call turn.
//!
//! ## Example
//! ```text
//! before   user: result 1 "first", result 1 "second"
//! after    user: result 1 "first" "second"
//! ```

use std::collections::HashMap;

use interlingua_model::{Body, Place};
use interlingua_wire::Text;

use crate::Work;
use crate::apart::mend_rounds_apart;
use crate::held::is_held;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    mend_rounds_apart(work, |work, round| {
        let mut seen = Seen::of(work, round);
        let mut emptied = Vec::new();
        for turn in round.answers.clone() {
            join_in(work, turn, &mut seen);
            if work.blocks(turn).is_empty() && seen.joined {
                emptied.push(turn);
            }
        }
        work.remove_turns(&emptied);
    });
}

/// The results of a round so far.
struct Seen {
    /// How many calls have an id.
    calls: HashMap<String, usize>,
    held: bool,
    /// How many results answer an id, and the first of them.
    results: HashMap<String, (Spot, usize)>,
    /// Whether any result of the turn went into another.
    joined: bool,
}

impl Seen {
    fn of(work: &Work<'_>, round: &Round) -> Self {
        let mut calls = HashMap::new();
        for (_, call) in round.calls(work) {
            *calls.entry(call.id.contents().into_owned()).or_default() += 1;
        }
        let held = is_held(work, round);
        Self { calls, held, results: HashMap::new(), joined: false }
    }

    /// The first result for a call, if this one is more than it wants.
    fn repeats(&mut self, id: &Text, spot: Spot) -> Option<Spot> {
        let id = id.contents();
        // Of a call that the provider holds there is one.
        let calls = self.calls.get(&*id).copied().unwrap_or(usize::from(self.held));
        match self.results.get_mut(&*id) {
            Some((first, count)) if calls > 0 && *count >= calls => return Some(*first),
            Some((_, count)) => *count += 1,
            None => {
                self.results.insert(id.into_owned(), (spot, 1));
            }
        }
        None
    }
}

/// Puts each result of a turn for whose call there is one already into that one.
fn join_in(work: &mut Work<'_>, turn: usize, seen: &mut Seen) {
    let mut gone: Vec<usize> = Vec::new();
    let mut first: Vec<Text> = Vec::new();
    for at in 0..work.blocks(turn).len() {
        let Some(result) = pairing::result(work.block(turn, at)) else { continue };
        let id = result.call.clone();
        match seen.repeats(&id, (turn, at)) {
            Some(before) => {
                join(work, before, (turn, at));
                gone.push(at);
            }
            None => first.push(id),
        }
    }
    seen.joined = !gone.is_empty();
    if !seen.joined {
        return;
    }
    // Those that went into others stood there until now.
    for id in first {
        if let Some(((of, at), _)) = seen.results.get_mut(&*id.contents())
            && *of == turn
        {
            *at -= gone.partition_point(|gone| gone < at);
        }
    }
    work.remove_blocks(turn, &gone);
}

/// What one says is said by the first; it goes when its turn has been looked at.
fn join(work: &mut Work<'_>, first: Spot, again: Spot) {
    let block = work.block(again.0, again.1);
    let Body::ToolResult(later) = &block.body else { return };
    let (later, cache) = (later.clone(), block.cache.clone());
    let Body::ToolResult(kept) = &work.block(first.0, first.1).body else { return };
    let same = kept.content == later.content && kept.is_error == later.is_error;
    let what = if same {
        format!("the same result of the call {} stands there twice", later.call)
    } else {
        format!("two results of the call {} are one", later.call)
    };
    work.change(Place::block(again.0, again.1), what);
    work.joins(again, first);
    if !same || cache.is_some() {
        let kept = work.edit(first.0, first.1);
        kept.cache = kept.cache.take().or(cache);
        if let Body::ToolResult(kept) = &mut kept.body
            && !same
        {
            kept.content.extend(later.content);
            kept.is_error |= later.is_error;
        }
    }
}
