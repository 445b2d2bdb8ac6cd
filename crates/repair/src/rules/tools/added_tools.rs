//! Removes rejected tools from blocks that add tools in the middle of a conversation.
//!
//! Some dialects add tools with an item of the conversation. A tool that the target would reject in
//! the list of tools is removed there as well.
//!
//! ## Why
//! > Invalid 'input\[0\].tools\[0\].name': string does not match pattern. Expected a string that matches
//! > the pattern '^[a-zA-Z0-9_-]+$'.
//!
//! ## Example
//! ```text
//! before   additional tools: `a:b`, `c`
//! after    additional tools: `c`
//! ```

use std::collections::HashSet;

use interlingua_model::{BlockContent, LedgerPath};
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;
use crate::tools;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(added) = work.profile.tools.tool_adding_kind else { return };
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            if let Some(json) = without_rejected_tools(work, turn, at, added) {
                let message = "left out added tools that the target does not accept";
                work.record_loss(LedgerPath::block(turn, at), message);
                if let BlockContent::Foreign { json: written, .. } =
                    &mut work.edit_block(turn, at).content
                {
                    *written = json;
                }
            }
        }
    }
}

/// The block's JSON without rejected tools; `None` if all are accepted.
fn without_rejected_tools(
    work: &Work<'_>,
    turn: usize,
    at: usize,
    adding_kind: &str,
) -> Option<RawJson> {
    let BlockContent::Foreign { kind, json, .. } = &work.block(turn, at).content else {
        return None;
    };
    let doc = json.to_doc();
    let list = doc.root().get("tools").filter(|list| kind == adding_kind && list.is_array())?;
    let mut names = HashSet::new();
    let mut is_accepted = |tool: JsonNode<'_>| {
        let name = tool.get("name").map(JsonNode::str_or_empty).unwrap_or_default();
        let kind = tool.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let is_known = !names.insert(name.into_owned());
        let is_duplicate =
            work.profile.tools.unique_names && matches!(&*kind, "function" | "custom") && is_known;
        !is_duplicate && tools::accepts_tool(tool, work.profile)
    };
    let remaining: Vec<JsonNode<'_>> = list.items().filter(|tool| is_accepted(*tool)).collect();
    if remaining.len() == list.len() {
        return None;
    }
    let remaining =
        RawJson::array(|out| remaining.iter().for_each(|tool| out.item().json(&tool.json())));
    Some(RawJson::object(|object| {
        for field in doc.root().fields() {
            let written = field.value.json();
            object.key_json_string(&field.key_json_string()).json(if field.key_is("tools") {
                &remaining
            } else {
                &written
            });
        }
    }))
}
