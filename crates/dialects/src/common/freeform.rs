//! Extracts the text from calls of free-text tools, which are offered as a function with one string
//! parameter.

use interlingua_wire::{JsonNode, JsonString, RawJson};

/// The free text inside the arguments of such a call. Models trained on the tool use its original
/// parameter name; that name is accepted if it is the only field.
pub(crate) fn unwrap_freeform(args: &RawJson) -> Option<JsonString> {
    let doc = args.to_doc();
    let args = doc.root();
    let by_original_name =
        || ALTERNATIVE_KEYS.iter().find_map(|key| args.get(key)).filter(|_| args.len() == 1);
    args.get("input").or_else(by_original_name).and_then(JsonNode::json_string)
}

const ALTERNATIVE_KEYS: &[&str] = &["patch", "command"];
