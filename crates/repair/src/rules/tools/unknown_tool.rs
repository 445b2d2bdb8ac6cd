//! Offers a tool of an unknown type as a function, or removes it.
//!
//! Providers define hosted tools by type, and new types appear frequently. A tool with a name and a
//! schema can be offered as a function; a tool without them is removed, and the others stay.
//!
//! ## Why
//! > tools.0: Input tag 'from_the_future' found using 'type' does not match any of the expected tags
//!
//! > Invalid value: 'from_the_future'. Supported values are: 'function', 'custom', …
//!
//! ## Example
//! ```text
//! before   tools: `search` (type from_the_future, with a schema), type future_20990101
//! after    tools: `search` (a function)
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind};
use interlingua_wire::{JsonNode, JsonString};

use crate::edit::tool_choice::drop_choice_of_removed;
use crate::engine::Work;
use crate::tools::count_unread_legacy_tools;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    skip_unread(work);
    let issues = work.tool_issues();
    let mut removed = Vec::new();
    for at in (0..issues.len()).filter(|at| issues[*at].unknown_kind) {
        let tool = &work.conversation().tools[at];
        let kind = describe_kind(tool);
        if let Some(function) = as_function(tool) {
            let message = format!("`{}`, {kind}, is offered as a function", function.name);
            work.record_change(LedgerPath::tool(at), message);
            work.edit_tools()[at] = function.into();
        } else {
            let message = format!("left out {kind}: the target has no such tool");
            work.record_loss(LedgerPath::tool(at), message);
            removed.push(at);
        }
    }
    if removed.is_empty() {
        return;
    }
    let names: Vec<JsonString> =
        removed.iter().map(|at| work.conversation().tools[*at].name.clone()).collect();
    work.retain_tools(|at| !removed.contains(&at));
    drop_choice_of_removed(work, &names);
}

/// Skips entries of a legacy list that are no functions where the target ignores the list, so that
/// they are not encoded as tools.
fn skip_unread(work: &mut Work<'_>) {
    let tools = &work.conversation().tools;
    let is_foreign = |tool: &Tool| matches!(tool.kind, ToolKind::Foreign { .. });
    let legacy_start = tools.len() - count_unread_legacy_tools(work.conversation(), work.profile);
    if tools[legacy_start..].iter().any(|tool| is_foreign(tool)) {
        let foreign: Vec<bool> = tools.iter().map(|tool| is_foreign(tool)).collect();
        work.skip_tools(|at| at < legacy_start || !foreign[at]);
    }
}

fn describe_kind(tool: &Tool) -> String {
    match &tool.kind {
        ToolKind::Foreign { kind, .. } if !kind.is_empty() => {
            format!("a tool of the type `{kind}`")
        }
        ToolKind::Foreign { .. } | ToolKind::Function { .. } | ToolKind::Freeform { .. } => {
            "an entry that is no tool".to_owned()
        }
    }
}

/// The function that a tool describes, in the form of any dialect.
fn as_function(tool: &Tool) -> Option<Tool> {
    let ToolKind::Foreign { json, .. } = &tool.kind else { return None };
    let doc = json.to_doc();
    let root = doc.root();
    let nested = ["function", "toolSpec", "custom"].iter().find_map(|key| root.get(key));
    let definition = nested.filter(|nested| nested.is_object()).unwrap_or(root);
    let name =
        definition.get("name").and_then(JsonNode::json_string).filter(|name| !name.is_empty())?;
    let schema = ["input_schema", "parameters", "parametersJsonSchema"]
        .iter()
        .find_map(|key| definition.get(key))
        .or_else(|| definition.get("inputSchema")?.get("json"))
        .filter(|schema| schema.is_object())?;
    let mut function = Tool::new(name, ToolKind::Function { schema: Some(schema.json()) });
    function.description = definition.get("description").and_then(JsonNode::json_string);
    function.strict = definition.get("strict").and_then(JsonNode::as_bool);
    function.cache_breakpoint.clone_from(&tool.cache_breakpoint);
    Some(function)
}
