//! Two tools of one name become one if they are alike, and the later gets another name if not.
//!
//! An agent that loads the tools of a server twice sends them twice. Alike they are one tool; unlike,
//! the later is called something else on the way, and its calls come back under the client's name.
//!
//! ## Why
//! > tools: Tool names must be unique.
//!
//! > Duplicate function declaration found: read_file
//!
//! ## Example
//! ```text
//! before   tools: `read`, `read` (the same), `read` (of other arguments)
//! after    tools: `read`, `read_1c8b3a90`
//! ```

use interlingua_model::{Choice, Place, Tool, ToolKind};
use interlingua_wire::Text;

use crate::Work;
use crate::profile::tools::Tools;
use crate::tools::nameless;
use crate::tools::names::{among, free_alias, told};

pub fn apply(work: &mut Work<'_>) {
    let rules = work.profile.tools;
    if !rules.unique {
        return;
    }
    let mut at = 1;
    while at < work.conversation().tools.len() {
        if at + nameless(work) >= work.conversation().tools.len() {
            return;
        }
        let tools = &work.conversation().tools;
        let tool = &tools[at];
        // A tool that only another dialect knows is not written, and takes no name away.
        let dialect = work.profile.dialect;
        let said = |tool: &Tool| match &tool.kind {
            ToolKind::Foreign { dialect: of, .. } => *of == dialect,
            ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        };
        let clash = |other: &Tool| said(tool) && said(other) && same_name(other, tool, rules);
        let Some(first) = tools[..at].iter().position(|other| clash(other)) else {
            at += 1;
            continue;
        };
        let name = tool.name.clone();
        if alike(&tools[first], tool) || both_typed(&tools[first], tool) {
            let what = format!("left out `{name}`, which stands there twice");
            work.change(Place::tool(at), what);
            work.retain_tools(|tool| tool != at);
            continue;
        }
        // The name of a typed tool is given.
        let which = if is_typed(tool) { first } else { at };
        let taken = |alias: &Text| tools.iter().any(|tool| tool.name == *alias);
        let alias = free_alias(&told(&tools[which], rules), &rules.names, taken);
        let sent = match &tools[which].namespace {
            Some(group) if rules.groups => among(group, &alias),
            _ => alias,
        };
        work.tools()[which].edit().name = sent.clone();
        let what = format!("another `{name}` is called `{sent}`");
        work.change(Place::tool(which), what);
        allow(work, &name, &sent);
        work.renamed_tool(sent, name);
        at += 1;
    }
}

/// Who may call a tool by its name may call the other of that name, too.
fn allow(work: &mut Work<'_>, name: &Text, sent: &Text) {
    let choice = &work.conversation().settings.choice;
    let Some(Choice::Allowed { names, required }) = choice else { return };
    if names.contains(name) {
        let (names, required) = (names.iter().chain([sent]).cloned().collect(), *required);
        work.settings().choice = Some(Choice::Allowed { names, required });
    }
}

/// Tools known by their type have names of their own in some dialects only.
fn same_name(one: &Tool, other: &Tool, rules: &Tools) -> bool {
    let typed = is_typed(one) || is_typed(other);
    let apart = typed && (one.name.is_empty() || !rules.named_types);
    one.name == other.name && !apart && (!rules.groups || one.namespace == other.namespace)
}

fn is_typed(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Foreign { .. })
}

fn both_typed(one: &Tool, other: &Tool) -> bool {
    is_typed(one) && is_typed(other)
}

/// The same definition; how it is cached does not count.
fn alike(one: &Tool, other: &Tool) -> bool {
    one.kind == other.kind && one.description == other.description && one.strict == other.strict
}
