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

use interlingua_model::{Body, Place};

use crate::Work;
use crate::held::is_held;
use crate::pairing::{self, Round, Spot};

pub fn apply(work: &mut Work<'_>) {
    pairing::mend_rounds(work, |work, round| {
        let start = round.speech.start;
        while let Some((first, again)) = repeated(work, start) {
            join(work, first, again);
        }
    });
}

/// A result for whose call there is one already.
fn repeated(work: &Work<'_>, start: usize) -> Option<(Spot, Spot)> {
    let round = Round::at(work.turns(), start)?;
    let held = is_held(work, &round);
    let mut results = round.results(work);
    results.find_map(|(spot, result)| {
        let same = || round.results(work).filter(|(_, one)| one.call == result.call);
        let calls = round.calls(work).filter(|(_, call)| call.id == result.call).count();
        let before = same().take_while(|(other, _)| *other < spot).count();
        // Of a call that the provider holds there is one.
        let calls = if calls == 0 && held { 1 } else { calls };
        let (first, _) = same().next().filter(|_| calls > 0 && before >= calls)?;
        Some((first, spot))
    })
}

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
    work.remove_into(again, first);
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
    if work.blocks(again.0).is_empty() {
        work.remove_turn(again.0);
    }
}
