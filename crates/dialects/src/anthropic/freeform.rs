//! Unwraps calls of free-text tools, which are offered to the provider as a function with one
//! string parameter `input`.

use interlingua_model::{BlockContent, ReplyContext, ToolArgs, Turn, Verbatim};
use interlingua_wire::{JsonString, RawJson};

use crate::common::freeform;
use crate::common::name_set::NameSet;

pub(super) fn unwrap_freeform_calls(turn: &mut Turn, cx: &ReplyContext) {
    let freeform_tools = NameSet::new(&cx.freeform_tools);
    if freeform_tools.is_empty() {
        return;
    }
    for block in &mut turn.blocks {
        if let BlockContent::ToolCall(call) = &block.content
            && freeform_tools.contains(&call.name)
        {
            let text = match &call.args {
                ToolArgs::Json(json) => unwrap_freeform_args(json.as_str()),
                ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => text.clone(),
            };
            set_freeform_args(block, text);
        }
    }
}

fn set_freeform_args(block: &mut Verbatim<interlingua_model::Block>, text: JsonString) {
    if let BlockContent::ToolCall(call) = &mut block.edit().content {
        call.args = ToolArgs::Freeform(text);
    }
}

/// Extracts the free text from `{"input": "…"}`. Arguments of any other form are returned
/// unchanged.
pub(super) fn unwrap_freeform_args(args: &str) -> JsonString {
    let inner =
        RawJson::parse(args.to_owned()).ok().and_then(|args| freeform::unwrap_freeform(&args));
    inner.unwrap_or_else(|| JsonString::new(args))
}
