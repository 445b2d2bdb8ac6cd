//! Wraps call arguments that are not in the form that the target accepts.
//!
//! A string that contains an object is parsed. Missing arguments become an empty object. Anything
//! else, such as truncated JSON or a list, is sent unchanged under `_invalid_arguments`, so that
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

use interlingua_model::{BlockContent, LedgerPath, Spelling, ToolArgs};
use interlingua_providers::profile::calls::ArgumentForm;
use interlingua_wire::{JsonKind, RawJson};

use crate::engine::Work;
use crate::values::block::is_legacy;

pub(super) fn apply(work: &mut Work<'_>) {
    let form = if !work.is_same_dialect() && work.profile.calls.argument_form != ArgumentForm::Any {
        ArgumentForm::Object
    } else {
        work.profile.calls.argument_form
    };
    if form == ArgumentForm::Any {
        return;
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            // Targets that accept calls without arguments get none.
            let has_no_arguments = block.extras.has(work.profile.dialect, Spelling::NoArguments);
            let BlockContent::ToolCall(call) = &block.content else { continue };
            // Arguments of legacy calls are not checked by the target.
            if is_legacy(block) && work.is_same_dialect() {
                continue;
            }
            let Some((args, message)) =
                accepted_arguments(&call.args, form).filter(|_| !has_no_arguments)
            else {
                continue;
            };
            if let BlockContent::ToolCall(call) = &mut work.edit_block(turn, at).content {
                call.args = ToolArgs::Json(args);
            }
            work.record_change(LedgerPath::block(turn, at), message);
        }
    }
}

/// The arguments in a form that the target accepts, with the ledger message; `None` if they are
/// accepted as they are.
fn accepted_arguments(args: &ToolArgs, form: ArgumentForm) -> Option<(RawJson, Cow<'static, str>)> {
    match args {
        ToolArgs::Freeform(_) => None,
        ToolArgs::Json(json) if json.is_object() || form != ArgumentForm::Object => None,
        ToolArgs::Malformed(text) if text.is_empty() && form == ArgumentForm::JsonOrNothing => None,
        ToolArgs::Json(json) if json.kind() == JsonKind::Null => {
            Some((RawJson::EMPTY_OBJECT, NO_ARGUMENTS.into()))
        }
        ToolArgs::Malformed(text) if text.is_blank() => {
            Some((RawJson::EMPTY_OBJECT, NO_ARGUMENTS.into()))
        }
        ToolArgs::Json(json) => {
            match json.json_string().map(|text| ToolArgs::from_json_string(&text)) {
                Some(ToolArgs::Json(inner)) if inner.is_object() => Some((inner, PARSED.into())),
                Some(ToolArgs::Malformed(text)) if text.is_blank() => {
                    Some((RawJson::EMPTY_OBJECT, NO_ARGUMENTS.into()))
                }
                _ => {
                    let wrapped = RawJson::object(|object| object.json(WRAPPER_KEY, json));
                    Some((wrapped, wrapped_message(json.as_str()).into()))
                }
            }
        }
        ToolArgs::Malformed(text) => {
            let wrapped = RawJson::object(|object| object.json_string(WRAPPER_KEY, text));
            Some((wrapped, wrapped_message(&text.unescape()).into()))
        }
    }
}

fn wrapped_message(raw: &str) -> String {
    format!("the arguments are no object and are sent in `{WRAPPER_KEY}`: {raw}")
}

const WRAPPER_KEY: &str = "_invalid_arguments";
const NO_ARGUMENTS: &str = "the call has no arguments: an empty object is sent";
const PARSED: &str = "the arguments were a string: its contents are sent";
