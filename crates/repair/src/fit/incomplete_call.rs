//! A call that lacks what the target asks for is written whole.
//!
//! Some servers replay calls without an id or a type, or with arguments that are an object where a
//! string should be; others refuse that.
//!
//! ## Why
//! > Missing required parameter: 'messages\[1\].tool_calls\[0\].id'.
//!
//! > Invalid type for 'messages\[1\].tool_calls\[0\].function.arguments': expected a string, but got an
//! > object instead.
//!
//! > Missing tool call type: {"id":"a"}
//!
//! ## Example
//! ```text
//! before   {"function": {"name": "read", "arguments": {"path": "a"}}}
//! after    {"id": "call_4f0c…", "type": "function", "function": {"name": "read", "arguments": "{…}"}}
//! ```

use interlingua_model::Place;

use crate::{Work, pairing};

pub fn apply(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let is_call = pairing::call(block).is_some();
            if !is_call || !pairing::is_incomplete(work, &block.extras) {
                continue;
            }
            let mut extras = block.extras.clone();
            let mut missed = Vec::new();
            for mark in MARKS.iter().filter(|mark| block.extras.find(dialect, mark).is_some()) {
                extras = pairing::without(&extras, dialect, mark);
                missed.push(*mark);
            }
            work.edit(turn, at).extras = extras;
            let what = format!("the call had {}: it is written whole", missed.join(", "));
            work.change(Place::block(turn, at), what);
        }
    }
}

/// What a call that was written otherwise has among its extras.
pub const MARKS: &[&str] =
    &["no id", "no type", "no arguments", "null arguments", "object arguments", "other arguments"];
