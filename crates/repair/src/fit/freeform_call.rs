//! A call with free text is one of a function where the target knows no other calls.
//!
//! The text travels in the one argument of the function; what the call came to is that of a function,
//! too. A tool that comes from another dialect is offered as one.
//!
//! ## Why
//! > Cannot determine type of 'item'
//!
//! ## Example
//! ```text
//! before   call `patch` with the text "*** Begin"
//! after    call `patch` of {"input": "*** Begin"}
//! ```

use interlingua_model::{Args, Body, Place, ToolKind};
use interlingua_wire::Json;

use super::strange_calls::are_taken;
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    if work.profile.calls.freeform {
        return beside(work);
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            one(work, turn, at);
        }
    }
    // Whoever speaks the target's own dialect is left to offer what is not looked at.
    if work.is_own() {
        return;
    }
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        if matches!(tool.kind, ToolKind::Freeform { .. }) {
            let what = format!("`{}`, which takes free text, is offered as a function", tool.name);
            work.loss(Place::tool(at), what);
            work.tools()[at].edit().kind = ToolKind::Function { schema: Some(schema()) };
        }
    }
}

/// What such a call says of a function besides is left out where its arguments are read.
fn beside(work: &mut Work<'_>) {
    if !work.is_own() || !work.holds(About::Freeform) {
        return;
    }
    let profile = work.profile;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let Body::ToolCall(call) = &block.body else { continue };
            let text = block.text_for(profile.dialect).map(Json::doc);
            let function = text.as_ref().and_then(|text| text.root().get(FUNCTION));
            let args = function.and_then(|function| function.get("arguments"));
            let freeform = matches!(call.args, Args::Freeform(_));
            if freeform && args.is_some_and(|args| !are_taken(profile, args)) {
                let what = format!("left out a `{FUNCTION}` beside the text of a call");
                work.loss(Place::block(turn, at), what);
                work.edit(turn, at);
            }
        }
    }
}

fn one(work: &mut Work<'_>, turn: usize, at: usize) {
    let dialect = work.profile.dialect;
    let mark = work.profile.calls.freeform_mark;
    let block = work.block(turn, at);
    match &block.body {
        Body::ToolCall(call) => {
            let Args::Freeform(text) = &call.args else { return };
            let args = Json::object(|object| object.text(KEY, text));
            let what = format!("the text for `{}` travels in `{KEY}`", call.name);
            if let Body::ToolCall(call) = &mut work.edit(turn, at).body {
                call.args = Args::Json(args);
            }
            work.change(Place::block(turn, at), what);
        }
        Body::ToolResult(_) => {
            let Some(mark) = mark.filter(|mark| block.extras.find(dialect, mark).is_some()) else {
                return;
            };
            work.edit(turn, at).extras.retain(dialect, |key, _| *key != mark);
            work.change(Place::block(turn, at), "the result is that of a function");
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::Foreign { .. } => {}
    }
}

/// One text, and nothing else.
fn schema() -> Json {
    Json::object(|schema| {
        schema.word("type", "object");
        schema.object("properties", |o| o.object(KEY, |o| o.word("type", "string")));
        schema.array("required", |a| {
            a.item().json(&Json::string(&interlingua_wire::Text::word(KEY)));
        });
    })
}

const KEY: &str = "input";
const FUNCTION: &str = "function";
