//! Words come before calls where words after them are reported to be refused.
//!
//! A turn that holds reasoning with a signature is not reordered. A request that came in the target's own
//! dialect is left as it is: whoever wrote it knows the target.
//!
//! ## Why
//! Converse is reported to refuse a turn of the assistant's whose calls come before its words. It is not
//! documented.
//!
//! ## Example
//! ```text
//! before   assistant: call 1, "calling"
//! after    assistant: "calling", call 1
//! ```

use interlingua_model::Place;

use crate::Work;
use crate::look::{is_assistants, is_call, words};
use crate::pairing::Spot;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.roles.words_before_calls || work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        if !is_assistants(this) || this.is_sealed() {
            continue;
        }
        let Some(first) = this.blocks.iter().position(|block| is_call(block)) else { continue };
        put_before(work, turn, first);
    }
}

fn put_before(work: &mut Work<'_>, turn: usize, call: usize) {
    let after = call + 1..work.blocks(turn).len();
    let said = after.filter(|block| words(work.block(turn, *block)).is_some());
    let said: Vec<Spot> = said.map(|block| (turn, block)).collect();
    for (turn, block) in &said {
        work.change(Place::block(*turn, *block), "words come before calls");
    }
    work.carry_before(&said, (turn, call));
}
