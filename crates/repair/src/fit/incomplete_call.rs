//! A call that lacks what the target asks for is written whole, and so is a result.
//!
//! Some servers replay calls without an id or a type, or with arguments that are an object where a
//! string should be; others refuse that. A result that does not say which call it answers gets an id, and
//! one in the old form the name of its tool.
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

use interlingua_model::{Body, Place, derive_id};
use interlingua_wire::Text;

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
                extras = crate::extras::without(&extras, dialect, mark);
                missed.push(*mark);
            }
            work.edit(turn, at).extras = extras;
            let what = format!("the call had {}: it is written whole", missed.join(", "));
            work.change(Place::block(turn, at), what);
        }
    }
    results(work);
}

/// Writes results whole that no call was found for, where such are taken.
fn results(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let Body::ToolResult(result) = &block.body else { continue };
            // What is written anew in the new way is whole, if it is known which call it answers.
            let anew = work.turns()[turn].text_for(dialect).is_none();
            let named = anew && !pairing::is_old(block) && !result.call.is_empty();
            if named || !pairing::is_incomplete(work, &block.extras) {
                continue;
            }
            let mut whole = result.clone();
            if pairing::is_old(block) {
                let call = work.conversation().call_of(turn, &result.call);
                let name = call.map(|call| call.name.clone()).filter(|name| !name.is_empty());
                whole.name = result.name.clone().or(name).or(Some(Text::word(NAMELESS)));
            } else if result.call.is_empty() {
                whole.call = derive_id("call_", result.name.as_ref().unwrap_or(&Text::EMPTY), turn);
            }
            let mut extras = block.extras.clone();
            for mark in RESULT_MARKS {
                extras = crate::extras::without(&extras, dialect, mark);
            }
            let edited = work.edit(turn, at);
            (edited.extras, edited.body) = (extras, Body::ToolResult(whole));
            work.change(
                Place::block(turn, at),
                "a result does not say of what: it is written whole",
            );
        }
    }
}

/// What a call that was written otherwise has among its extras.
pub const MARKS: &[&str] = &[
    "no id",
    "no type",
    "no tool",
    "no arguments",
    "null arguments",
    "object arguments",
    "other arguments",
];
const RESULT_MARKS: &[&str] = &["no call", "empty call", "null call", "no name"];
/// What a tool is called that nobody names.
const NAMELESS: &str = "unknown";
