//! Unwraps calls of free-text tools, which are offered to the provider as a function with one
//! string parameter.

use interlingua_model::{Block, BlockContent, ToolArgs, Turn};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::name_set::NameSet;

/// Unwraps the calls of these tools in a reply.
pub(crate) fn unwrap_calls(turn: &mut Turn, tools: &NameSet) {
    if tools.is_empty() {
        return;
    }
    for block in &mut turn.blocks {
        if is_call_of(block, tools) {
            unwrap_call(block.edit());
        }
    }
}

pub(crate) fn is_call_of(block: &Block, tools: &NameSet) -> bool {
    matches!(&block.content, BlockContent::ToolCall(call) if tools.contains(&call.name))
}

pub(crate) fn unwrap_call(block: &mut Block) {
    if let BlockContent::ToolCall(call) = &mut block.content {
        call.args = ToolArgs::Freeform(unwrap_args(&call.args));
    }
}

/// The free text inside the arguments. Arguments of any other form become the text unchanged.
pub(crate) fn unwrap_args(args: &ToolArgs) -> JsonString {
    match args {
        ToolArgs::Json(json) => {
            find_wrapped_text(json).unwrap_or_else(|| JsonString::new(json.as_str()))
        }
        ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => text.clone(),
    }
}

/// The free text inside streamed arguments. Any other text is returned unchanged.
pub(crate) fn unwrap_text(text: &JsonString) -> JsonString {
    let args = text.parse_json().ok();
    args.and_then(|args| find_wrapped_text(&args)).unwrap_or_else(|| text.clone())
}

/// Models trained on the tool use its original parameter name; that name is accepted if it is the
/// only field.
fn find_wrapped_text(args: &RawJson) -> Option<JsonString> {
    let doc = args.to_doc();
    let args = doc.root();
    let by_original_name =
        || ALTERNATIVE_KEYS.iter().find_map(|key| args.get(key)).filter(|_| args.len() == 1);
    args.get("input").or_else(by_original_name).and_then(JsonNode::json_string)
}

const ALTERNATIVE_KEYS: &[&str] = &["patch", "command"];
