//! A tool of a kind that the target does not know is offered as a function, or left out.
//!
//! Providers name their own tools by type, and new ones come all the time. One that brings a name and
//! a schema is a function all the same; one that does not is left out, and the others stay.
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

use interlingua_model::{Place, Tool, ToolKind};
use interlingua_wire::{Node, Text};

use crate::Work;
use crate::tools::{forget_choice, unread};

pub fn apply(work: &mut Work<'_>) {
    if work.conversation().tools.is_empty() {
        return;
    }
    overlook(work);
    let looks = work.looks();
    let mut gone = Vec::new();
    for at in (0..looks.len()).filter(|at| looks[*at].unknown) {
        let tool = &work.conversation().tools[at];
        let kind = kind(tool);
        if let Some(function) = adopted(tool) {
            let what = format!("`{}`, {kind}, is offered as a function", function.name);
            work.change(Place::tool(at), what);
            work.tools()[at] = function.into();
        } else {
            let what = format!("left out {kind}: there is no such tool here");
            work.loss(Place::tool(at), what);
            gone.push(at);
        }
    }
    if gone.is_empty() {
        return;
    }
    let names: Vec<Text> =
        gone.iter().map(|at| work.conversation().tools[*at].name.clone()).collect();
    work.retain_tools(|at| !gone.contains(&at));
    forget_choice(work, &names);
}

/// What is no function in an older list that nobody reads is no tool, should that be written anew.
fn overlook(work: &mut Work<'_>) {
    let tools = &work.conversation().tools;
    let is_foreign = |tool: &Tool| matches!(tool.kind, ToolKind::Foreign { .. });
    let old = tools.len() - unread(work.conversation(), work.profile);
    if tools[old..].iter().any(|tool| is_foreign(tool)) {
        let foreign: Vec<bool> = tools.iter().map(|tool| is_foreign(tool)).collect();
        work.overlook_tools(|at| at < old || !foreign[at]);
    }
}

fn kind(tool: &Tool) -> String {
    match &tool.kind {
        ToolKind::Foreign { kind, .. } if !kind.is_empty() => {
            format!("a tool of the type `{kind}`")
        }
        ToolKind::Foreign { .. } | ToolKind::Function { .. } | ToolKind::Freeform { .. } => {
            "what is no tool".to_owned()
        }
    }
}

/// The function that an entry describes, in whatever dialect's form.
fn adopted(tool: &Tool) -> Option<Tool> {
    let ToolKind::Foreign { json, .. } = &tool.kind else { return None };
    let doc = json.doc();
    let root = doc.root();
    let inside = ["function", "toolSpec", "custom"].iter().find_map(|key| root.get(key));
    let described = inside.filter(|inside| inside.is_object()).unwrap_or(root);
    let name = described.get("name").and_then(Node::text).filter(|name| !name.is_empty())?;
    let schema = ["input_schema", "parameters", "parametersJsonSchema"]
        .iter()
        .find_map(|key| described.get(key))
        .or_else(|| described.get("inputSchema")?.get("json"))
        .filter(|schema| schema.is_object())?;
    let mut function = Tool::new(name, ToolKind::Function { schema: Some(schema.json()) });
    function.description = described.get("description").and_then(Node::text);
    function.strict = described.get("strict").and_then(Node::boolean);
    function.cache.clone_from(&tool.cache);
    Some(function)
}
