//! Arguments that are not what the target takes travel inside an object that is.
//!
//! A string that holds an object is read. Nothing at all is no arguments. Anything else, be it cut
//! JSON or a list, is kept word for word under `_invalid_arguments`, so that the history stays true:
//! the model sees what it wrote.
//!
//! ## Why
//! > messages.61.content.0.tool_use.input: Input should be a valid dictionary
//!
//! > The "function.arguments" parameter of the code model must be in JSON format.
//!
//! ## Example
//! ```text
//! before   call 1 `read` of `{"path": "a.tx`
//! after    call 1 `read` of `{"_invalid_arguments": "{\"path\": \"a.tx"}`
//! ```

use std::borrow::Cow;

use interlingua_model::{Args, Body, Place};
use interlingua_wire::{Json, Kind};

use crate::Work;
use crate::pairing;
use crate::profile::calls::Arguments;

pub fn apply(work: &mut Work<'_>) {
    let wanted = if pairing::crosses(work) && work.profile.calls.arguments != Arguments::Any {
        Arguments::Object
    } else {
        work.profile.calls.arguments
    };
    if wanted == Arguments::Any {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            // Who takes calls without arguments sees none.
            let unsaid = block.extras.find(work.profile.dialect, "no arguments").is_some();
            let Body::ToolCall(call) = &block.body else { continue };
            // What is called in the old way is not looked into.
            if pairing::is_old(block) && !pairing::crosses(work) {
                continue;
            }
            let Some((args, what)) = mended(&call.args, wanted).filter(|_| !unsaid) else {
                continue;
            };
            if let Body::ToolCall(call) = &mut work.edit(turn, at).body {
                call.args = Args::Json(args);
            }
            work.change(Place::block(turn, at), what);
        }
    }
}

/// The arguments as the target takes them, where that is not how they are.
fn mended(args: &Args, wanted: Arguments) -> Option<(Json, Cow<'static, str>)> {
    match args {
        Args::Freeform(_) => None,
        Args::Json(json) if json.is_object() || wanted != Arguments::Object => None,
        Args::Malformed(text) if text.is_empty() && wanted == Arguments::JsonOrNothing => None,
        Args::Json(json) if json.kind() == Kind::Null => Some((Json::EMPTY_OBJECT, NONE.into())),
        Args::Malformed(text) if text.is_blank() => Some((Json::EMPTY_OBJECT, NONE.into())),
        Args::Json(json) => match json.text().map(|text| Args::from_text(&text)) {
            Some(Args::Json(inner)) if inner.is_object() => Some((inner, READ.into())),
            Some(Args::Malformed(text)) if text.is_blank() => {
                Some((Json::EMPTY_OBJECT, NONE.into()))
            }
            _ => {
                let kept = Json::object(|object| object.json(KEY, json));
                Some((kept, said(json.as_str()).into()))
            }
        },
        Args::Malformed(text) => {
            let kept = Json::object(|object| object.text(KEY, text));
            Some((kept, said(&text.contents()).into()))
        }
    }
}

fn said(raw: &str) -> String {
    format!("the arguments are no object and travel in `{KEY}`: {raw}")
}

const KEY: &str = "_invalid_arguments";
const NONE: &str = "a call came without arguments: none are sent";
const READ: &str = "the arguments were a string: what it holds is sent";
