//! Declares the tools that the history calls where the request has no tools.
//!
//! An agent that requests a summary of its history often sends no tools, and some providers reject
//! calls in the history then. Each name that the history calls is declared with a schema that
//! accepts any object; none of them may be called, since the client would not answer.
//!
//! ## Why
//! > The toolConfig field must be defined when using toolUse and toolResult content blocks.
//!
//! > Requests which include `tool_use` or `tool_result` blocks must define tools.
//!
//! ## Example
//! ```text
//! before   no tools                         assistant: call 1 `bash`   user: result 1
//! after    tools: `bash`, of any object     assistant: call 1 `bash`   user: result 1
//! ```

use std::collections::HashSet;

use interlingua_model::{BlockContent, LedgerPath, Tool, ToolChoice, ToolKind};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::query::continued;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.history_needs_tools
        || has_tools(work)
        || continued::continues_stored_conversation(work)
    {
        return;
    }
    for name in called_names(work) {
        let schema = RawJson::object(|schema| {
            schema.str("type", "object");
            schema.object("properties", |_| {});
        });
        let tool = Tool::new(name.clone(), ToolKind::Function { schema: Some(schema) });
        work.edit_tools().push(tool.into());
        let at = work.conversation().tools.len() - 1;
        work.record_change(
            LedgerPath::tool(at),
            format!("declared the tool `{name}`: the history calls it"),
        );
    }
    if work.conversation().tools.is_empty() {
        return;
    }
    let choice = work.profile.tools.supports_choice_none.then_some(ToolChoice::None);
    if work.conversation().settings.tool_choice != choice {
        work.edit_settings().tool_choice = choice;
        work.record_change(
            LedgerPath::SETTINGS,
            "tool calls are turned off: the request has no tools",
        );
    }
}

/// Whether any tool is sent; tools of other dialects are not.
fn has_tools(work: &Work<'_>) -> bool {
    let is_sent = |tool: &Tool| match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    };
    work.conversation().tools.iter().any(|tool| is_sent(tool))
}

/// The names that the history calls, each once.
fn called_names(work: &Work<'_>) -> Vec<JsonString> {
    let hosted_kinds = work.profile.tools.hosted_call_kinds;
    let (mut names, mut seen, mut ids) = (Vec::new(), HashSet::new(), HashSet::new());
    for block in work.turns().iter().flat_map(|turn| &turn.blocks) {
        let name = match &block.content {
            BlockContent::ToolCall(call) => {
                ids.insert(call.id.unescape());
                call.name.clone()
            }
            // A result without its call has no known tool.
            BlockContent::ToolResult(result) if !ids.contains(&result.call_id.unescape()) => {
                JsonString::from_static(UNKNOWN_TOOL)
            }
            // A call of a hosted tool, or its result.
            BlockContent::Foreign { kind, json, .. }
                if hosted_kinds.iter().any(|hosted| kind == hosted) =>
            {
                let doc = json.to_doc();
                let call = doc.root().get(&kind.unescape());
                let name = call.and_then(|call| call.get("name")).and_then(JsonNode::json_string);
                name.unwrap_or(JsonString::from_static(UNKNOWN_TOOL))
            }
            _ => continue,
        };
        if seen.insert(name.unescape().into_owned()) {
            names.push(name);
        }
    }
    names
}

const UNKNOWN_TOOL: &str = "unknown";
