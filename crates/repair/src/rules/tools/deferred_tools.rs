//! Makes sure that at least one tool is not deferred.
//!
//! Tools may be deferred until the model searches for them, but not all of them: the search tool is
//! loaded immediately, and without a search tool no tool is deferred. A deferred tool has no cache
//! breakpoint.
//!
//! ## Why
//! > At least one tool must have defer_loading=false. All tools cannot be deferred.
//!
//! > tools.1: cache_control cannot be set on a tool with defer_loading=true
//!
//! ## Example
//! ```text
//! before   tools: `read` (deferred), `write` (deferred)
//! after    tools: `read`, `write`
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind};
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.deferred_loading
        || !work.conversation().tools.iter().any(|tool| is_deferred(tool))
    {
        return;
    }
    let tools = &work.conversation().tools;
    if tools.iter().all(|tool| is_deferred(tool)) {
        let is_search_tool = |tool: &Tool| matches!(&tool.kind, ToolKind::Foreign { kind, .. } if kind.raw().starts_with(SEARCH_TYPE_PREFIX));
        let search_tools: Vec<usize> =
            (0..tools.len()).filter(|at| is_search_tool(&tools[*at])).collect();
        let all = (0..tools.len()).collect();
        for at in if search_tools.is_empty() { all } else { search_tools } {
            let name = work.conversation().tools[at].name.clone();
            let dialect = work.profile.dialect;
            let tool = work.edit_tools()[at].edit();
            tool.extras.retain(dialect, |key, _| key != DEFER_FIELD);
            remove_field(tool, DEFER_FIELD);
            work.record_change(
                LedgerPath::tool(at),
                format!("`{name}` is not deferred: at least one tool must be loaded"),
            );
        }
    }
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        if is_deferred(tool) && tool.cache_breakpoint.is_some() {
            let message =
                format!("left out the cache breakpoint of `{}`: it is deferred", tool.name);
            work.record_loss(LedgerPath::tool(at), message);
            let dialect = work.profile.dialect;
            let tool = work.edit_tools()[at].edit();
            tool.cache_breakpoint = None;
            tool.extras.retain(dialect, |key, _| key != "cache_control");
            remove_field(tool, "cache_control");
        }
    }
}

fn is_deferred(tool: &Tool) -> bool {
    let is_true = |value: &RawJson| value.as_bool() == Some(true);
    match &tool.kind {
        ToolKind::Foreign { json, .. } => {
            json.as_str().contains(DEFER_FIELD)
                && json.to_doc().root().get(DEFER_FIELD).and_then(JsonNode::as_bool) == Some(true)
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => {
            let extras = tool.extras.as_parts().map_or(&[][..], |(_, extras)| extras);
            extras.iter().any(|(key, value)| key == DEFER_FIELD && is_true(value))
        }
    }
}

/// Removes a field from the JSON of a hosted tool.
fn remove_field(tool: &mut Tool, name: &str) {
    if let ToolKind::Foreign { json, .. } = &mut tool.kind {
        let doc = json.to_doc();
        *json = RawJson::object(|object| {
            for field in doc.root().fields().filter(|field| !field.key_is(name)) {
                object.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        });
    }
}

const DEFER_FIELD: &str = "defer_loading";
const SEARCH_TYPE_PREFIX: &str = "tool_search_tool";
