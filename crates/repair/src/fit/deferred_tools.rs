//! Some tool is there from the start.
//!
//! Tools may be deferred until the model looks for them, but not all of them: the one to look with is
//! not, and if there is none, no tool is. A deferred tool has no cache mark.
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

use interlingua_model::{Place, Tool, ToolKind};
use interlingua_wire::{Json, Node};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.deferral
        || !work.conversation().tools.iter().any(|tool| is_deferred(tool))
    {
        return;
    }
    let tools = &work.conversation().tools;
    if tools.iter().all(|tool| is_deferred(tool)) {
        let search = |tool: &Tool| matches!(&tool.kind, ToolKind::Foreign { kind, .. } if kind.raw().starts_with(SEARCH));
        let found: Vec<usize> = (0..tools.len()).filter(|at| search(&tools[*at])).collect();
        let all = (0..tools.len()).collect();
        for at in if found.is_empty() { all } else { found } {
            let name = work.conversation().tools[at].name.clone();
            let dialect = work.profile.dialect;
            let tool = work.tools()[at].edit();
            tool.extras.retain(dialect, |key, _| key != KEY);
            without(tool, KEY);
            work.change(Place::tool(at), format!("`{name}` is not deferred: all tools are"));
        }
    }
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        if is_deferred(tool) && tool.cache.is_some() {
            let what = format!("left out the cache mark of `{}`, which is deferred", tool.name);
            work.loss(Place::tool(at), what);
            let dialect = work.profile.dialect;
            let tool = work.tools()[at].edit();
            tool.cache = None;
            tool.extras.retain(dialect, |key, _| key != "cache_control");
            without(tool, "cache_control");
        }
    }
}

fn is_deferred(tool: &Tool) -> bool {
    let says = |value: &Json| value.boolean_value() == Some(true);
    match &tool.kind {
        ToolKind::Foreign { json, .. } => {
            json.as_str().contains(KEY)
                && json.doc().root().get(KEY).and_then(Node::boolean) == Some(true)
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => {
            let extras = tool.extras.all().map_or(&[][..], |(_, extras)| extras);
            extras.iter().any(|(key, value)| key == KEY && says(value))
        }
    }
}

/// The definition of a typed tool without this field.
fn without(tool: &mut Tool, name: &str) {
    if let ToolKind::Foreign { json, .. } = &mut tool.kind {
        let doc = json.doc();
        *json = Json::object(|object| {
            for field in doc.root().fields().filter(|field| !field.is(name)) {
                object.key_text(&field.key()).json(&field.value.json());
            }
        });
    }
}

const KEY: &str = "defer_loading";
const SEARCH: &str = "tool_search_tool";
