//! Tools that the history calls are declared where the request has none.
//!
//! An agent that asks for a summary of its history often sends no tools, and some providers take no
//! history of calls then. Each name that the history calls is declared, taking any object; none of
//! them may be called, since nobody would answer.
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

use interlingua_model::{Body, Choice, Place, Tool, ToolKind};
use interlingua_wire::{Json, Node, Text};

use crate::{Work, pairing};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.history_needs_tools || has_tools(work) || pairing::continues(work) {
        return;
    }
    for name in called(work) {
        let schema = Json::object(|schema| {
            schema.word("type", "object");
            schema.object("properties", |_| {});
        });
        let tool = Tool::new(name.clone(), ToolKind::Function { schema: Some(schema) });
        work.tools().push(tool.into());
        let at = work.conversation().tools.len() - 1;
        work.change(Place::tool(at), format!("declared `{name}`, which the history calls"));
    }
    if work.conversation().tools.is_empty() {
        return;
    }
    let choice = work.profile.tools.takes_no_choice.then_some(Choice::None);
    if work.conversation().settings.choice != choice {
        work.settings().choice = choice;
        work.change(Place::SETTINGS, "no tool is to be called");
    }
}

/// Whether any tool goes to the target: one that only another dialect knows does not.
fn has_tools(work: &Work<'_>) -> bool {
    let goes = |tool: &Tool| match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    };
    work.conversation().tools.iter().any(|tool| goes(tool))
}

/// The names that the history calls, each once.
fn called(work: &Work<'_>) -> Vec<Text> {
    let served = work.profile.tools.served;
    let (mut names, mut known, mut ids) = (Vec::new(), HashSet::new(), HashSet::new());
    for block in work.turns().iter().flat_map(|turn| &turn.blocks) {
        let name = match &block.body {
            Body::ToolCall(call) => {
                ids.insert(call.id.contents());
                call.name.clone()
            }
            // Nothing tells what a result is of whose call is not there.
            Body::ToolResult(result) if !ids.contains(&result.call.contents()) => {
                Text::word(UNKNOWN)
            }
            // A call of a tool that the provider ran, or what came of it.
            Body::Foreign { kind, json, .. } if served.iter().any(|one| kind == one) => {
                let doc = json.doc();
                let call = doc.root().get(&kind.contents());
                let name = call.and_then(|call| call.get("name")).and_then(Node::text);
                name.unwrap_or(Text::word(UNKNOWN))
            }
            _ => continue,
        };
        if known.insert(name.contents().into_owned()) {
            names.push(name);
        }
    }
    names
}

const UNKNOWN: &str = "unknown";
