//! Turns freeform calls into function calls where the target supports only functions.
//!
//! The text is sent as the function's only argument, and the result becomes the result of a
//! function. A freeform tool of another dialect is offered as a function.
//!
//! ## Why
//! > Cannot determine type of 'item'
//!
//! ## Example
//! ```text
//! before   call `patch` with the text "*** Begin"
//! after    call `patch` of {"input": "*** Begin"}
//! ```

use interlingua_model::{BlockContent, LedgerPath, Spelling, ToolArgs, ToolKind};
use interlingua_wire::RawJson;

use crate::engine::{Feature, Work};
use crate::query::written_calls::are_arguments_accepted;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.calls.freeform {
        return remove_extra_function(work);
    }
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            convert_block(work, turn, at);
        }
    }
    // In the same dialect, tools that the target does not check stay as they are.
    if work.is_same_dialect() {
        return;
    }
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        if matches!(tool.kind, ToolKind::Freeform { .. }) {
            let message = format!("the freeform tool `{}` is offered as a function", tool.name);
            work.record_loss(LedgerPath::tool(at), message);
            work.edit_tools()[at].edit().kind =
                ToolKind::Function { schema: Some(wrapper_schema()) };
        }
    }
}

/// Removes a function object next to a freeform call where its arguments would be rejected.
fn remove_extra_function(work: &mut Work<'_>) {
    if !work.is_same_dialect() || !work.has(Feature::FreeformCall) {
        return;
    }
    let profile = work.profile;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let BlockContent::ToolCall(call) = &block.content else { continue };
            let doc = block.text_for(profile.dialect).map(RawJson::to_doc);
            let function = doc.as_ref().and_then(|doc| doc.root().get(FUNCTION_FIELD));
            let args = function.and_then(|function| function.get("arguments"));
            let freeform = matches!(call.args, ToolArgs::Freeform(_));
            if freeform && args.is_some_and(|args| !are_arguments_accepted(profile, args)) {
                let message = format!("left out a `{FUNCTION_FIELD}` object of a freeform call");
                work.record_loss(LedgerPath::block(turn, at), message);
                work.discard_block_text(turn, at);
            }
        }
    }
}

fn convert_block(work: &mut Work<'_>, turn: usize, at: usize) {
    let dialect = work.profile.dialect;
    let block = work.block(turn, at);
    match &block.content {
        BlockContent::ToolCall(call) => {
            let ToolArgs::Freeform(text) = &call.args else { return };
            let args = RawJson::object(|object| object.json_string(TEXT_ARGUMENT, text));
            let message =
                format!("the text of the call of `{}` is sent in `{TEXT_ARGUMENT}`", call.name);
            if let BlockContent::ToolCall(call) = &mut work.edit_block(turn, at).content {
                call.args = ToolArgs::Json(args);
            }
            work.record_change(LedgerPath::block(turn, at), message);
        }
        BlockContent::ToolResult(_) => {
            if !block.extras.has(dialect, Spelling::FreeformResult) {
                return;
            }
            work.edit_block(turn, at).extras.remove_spellings(dialect, Spelling::FreeformResult);
            work.record_change(
                LedgerPath::block(turn, at),
                "the result is sent as that of a function",
            );
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::Foreign { .. } => {}
    }
}

/// A schema with one text argument.
fn wrapper_schema() -> RawJson {
    RawJson::object(|schema| {
        schema.str("type", "object");
        schema.object("properties", |o| o.object(TEXT_ARGUMENT, |o| o.str("type", "string")));
        schema.array("required", |a| {
            a.item()
                .json(&RawJson::string(&interlingua_wire::JsonString::from_static(TEXT_ARGUMENT)));
        });
    })
}

const TEXT_ARGUMENT: &str = "input";
const FUNCTION_FIELD: &str = "function";
