//! What tools a request offers, and how its own words choose among them.

use interlingua_model::{Body, ToolKind};
use interlingua_wire::{Doc, Json, Node, Text};

use crate::Work;
use crate::tools::OLD_LIST;

/// A tool as a choice names it: its kind, and its name or label.
type Offered = (String, String);

/// Whether there are any tools, here or where the provider goes on from.
pub(crate) fn has_any(work: &Work<'_>) -> bool {
    let functions_only = work.profile.params.choice.functions_only;
    let counts = |kind: &ToolKind| match kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        // A provider's own tool does not cross to another.
        ToolKind::Foreign { dialect, .. } => !functions_only && *dialect == work.profile.dialect,
    };
    work.conversation().tools.iter().any(|tool| counts(&tool.kind))
        || is_elsewhere(work)
        || brought(work).any(|json| {
            let doc = json.doc();
            let mut tools = doc.root().get("tools").into_iter().flat_map(Node::items);
            tools.any(|tool| crate::tools::fits(tool, work.profile))
        })
}

/// Whether any tool is written for the target.
pub(crate) fn is_listed(work: &Work<'_>) -> bool {
    work.conversation().tools.iter().any(|tool| match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    })
}

/// Whether the provider goes on from what it keeps: tools may be there.
pub(crate) fn is_elsewhere(work: &Work<'_>) -> bool {
    let state = work.profile.params.state;
    let fields = &work.conversation().fields;
    let says = |field: &interlingua_model::TopField| {
        state.contains(&&*field.key.contents()) && field.value != Json::NULL
    };
    work.is_own() && !state.is_empty() && fields.iter().any(says)
}

/// Whether the body refers to something that may bring tools which are not there.
pub(crate) fn is_brought(work: &Work<'_>) -> bool {
    let brought_by = work.profile.params.choice.brought_by;
    let fields = &work.conversation().fields;
    work.is_own() && fields.iter().any(|field| brought_by.contains(&&*field.key.contents()))
}

/// Whether a tool of this name is there.
pub(crate) fn has(work: &Work<'_>, name: &Text) -> bool {
    let tools = &work.conversation().tools;
    // A provider's own tool does not cross to another.
    let crosses = |kind: &ToolKind| match kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    };
    tools.iter().any(|tool| tool.name == *name && crosses(&tool.kind))
        || !name.is_empty() && offered(work).iter().any(|(_, one)| *one == *name.contents())
}

/// The items that bring tools along.
fn brought<'w>(work: &'w Work<'_>) -> impl Iterator<Item = &'w Json> {
    let own = work.is_own();
    let blocks = work.turns().iter().filter(move |_| own).flat_map(|turn| &turn.blocks);
    blocks.filter_map(|block| match &block.body {
        Body::Foreign { kind, json, .. } if kind == BRINGS => Some(json),
        _ => None,
    })
}

fn offered(work: &Work<'_>) -> Vec<Offered> {
    let mut all = Vec::new();
    for tool in work.conversation().tools.iter() {
        match &tool.kind {
            ToolKind::Function { .. } => all.push(("function".to_owned(), short(tool))),
            ToolKind::Freeform { .. } => all.push(("custom".to_owned(), short(tool))),
            ToolKind::Foreign { dialect, json, .. } if *dialect == work.profile.dialect => {
                gather(json.doc().root(), &mut all);
            }
            ToolKind::Foreign { .. } => {}
        }
    }
    for json in brought(work) {
        let doc = json.doc();
        let tools = doc.root().get("tools").into_iter().flat_map(Node::items);
        let fits = |tool: &Node<'_>| crate::tools::fits(*tool, work.profile);
        tools.filter(fits).for_each(|tool| gather(tool, &mut all));
    }
    all
}

/// The name within its group.
fn short(tool: &interlingua_model::Tool) -> String {
    let name = tool.name.contents();
    let space = tool.namespace.as_ref().map(Text::contents).unwrap_or_default();
    let bare = name.strip_prefix(&*space).filter(|_| !space.is_empty());
    bare.map_or(&*name, |bare| bare.trim_start_matches(['.', '_', ':'])).to_owned()
}

fn gather(tool: Node<'_>, all: &mut Vec<Offered>) {
    let word = |key: &str| tool.get(key).map(Node::word).unwrap_or_default().into_owned();
    let kind = word("type");
    let label = if kind == "mcp" { "server_label" } else { "name" };
    all.push((kind, word(label)));
    tool.get("tools").into_iter().flat_map(Node::items).for_each(|inner| gather(inner, all));
}

/// Whether the choice, in the words of the body, names tools that are there and as what they are; or
/// any tools, where they may be elsewhere.
pub(crate) fn is_written_well(work: &Work<'_>, elsewhere: bool) -> bool {
    let fields = &work.conversation().fields;
    let field = fields.iter().find(|field| field.key == CHOICE).filter(|_| work.is_own());
    let Some(field) = field.filter(|field| field.value.is_object()) else { return true };
    let offered = offered(work);
    let doc = field.value.doc();
    let root = doc.root();
    let word =
        |node: Node<'_>, key: &str| node.get(key).map(Node::word).unwrap_or_default().into_owned();
    let is_there = |one: Node<'_>| {
        let kind = word(one, "type");
        let by_name = matches!(&*kind, "function" | "custom" | "namespace" | "mcp");
        let name = word(one, if kind == "mcp" { "server_label" } else { "name" });
        elsewhere || offered.iter().any(|(a, b)| *a == kind && (!by_name || *b == name))
    };
    if word(root, "type") == "allowed_tools" {
        return root.get("mode").is_some()
            && root.get("tools").is_some_and(|tools| tools.items().all(is_there));
    }
    let needed = match &*word(root, "type") {
        "function" | "custom" => "name",
        "mcp" => "server_label",
        _ => "type",
    };
    root.get(needed).is_some() && is_there(root)
}

/// Whether the body has a choice, be it one that nobody can read.
pub(crate) fn is_said(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().fields.iter();
    work.is_own() && fields.any(|field| field.key == CHOICE && field.value != Json::NULL)
}

/// Whether the body offers functions in the older list only, of which nothing is chosen by name.
pub(crate) fn is_old(work: &Work<'_>) -> bool {
    let conversation = work.conversation();
    let written = conversation.tools.text_for(work.profile.dialect).is_some();
    written && !conversation.tools.is_empty() && lists_old_only(work)
}

/// Whether the body has the older list of tools only.
pub(crate) fn lists_old_only(work: &Work<'_>) -> bool {
    let has = |key: &str| work.conversation().fields.iter().any(|field| field.key == key);
    has(OLD_LIST) && !says(work, "tools")
}

/// The word in which the body makes its choice, if it is one.
pub(crate) fn word(work: &Work<'_>) -> Option<String> {
    let field = work.conversation().fields.iter().find(|field| field.key == CHOICE)?;
    field.value.text().map(|text| text.contents().into_owned())
}

/// Whether the body spells its choice as an object.
pub(crate) fn is_object(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().fields.iter();
    fields.any(|field| field.key == CHOICE && field.value.is_object())
}

/// Whether the body spells its choice as an object that names no function within it, and is none of these
/// types.
pub(crate) fn is_flat(work: &Work<'_>, types: &[&str]) -> bool {
    let mut fields = work.conversation().fields.iter();
    let Some(field) = fields.find(|field| field.key == CHOICE && field.value.is_object()) else {
        return false;
    };
    let doc = field.value.doc();
    let kind = doc.root().get("type").map(Node::word).unwrap_or_default();
    let function = doc.root().get("function").and_then(|function| function.get("name"));
    work.is_own() && !types.contains(&&*kind) && function.is_none()
}

/// Whether the client's own choice names a function as the dialect does.
pub(crate) fn names_function(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().fields.iter();
    let choice = fields.find(|field| field.key == CHOICE).map(|field| field.value.doc());
    let Some(choice) = choice.as_ref().map(Doc::root) else { return !work.is_own() };
    let inner = choice.get("function").or(Some(choice).filter(|_| choice.get("custom").is_none()));
    inner.and_then(|inner| inner.get("name")).is_some_and(|name| !name.word().is_empty())
}

/// Whether the body makes its choice in the old way.
pub(crate) fn chooses_old(work: &Work<'_>) -> bool {
    work.is_own() && says(work, OLD_CHOICE) && !says(work, CHOICE)
}

fn says(work: &Work<'_>, key: &str) -> bool {
    let mut fields = work.conversation().fields.iter();
    fields.any(|field| field.key == key && field.value != Json::NULL)
}

/// Whether the body has a choice in the old way, be it beside another.
pub(crate) fn has_old_choice(work: &Work<'_>) -> bool {
    work.is_own() && says(work, OLD_CHOICE)
}

/// Takes away the choice in the old way, of which the settings hold nothing.
pub(crate) fn forget_old_choice(work: &mut Work<'_>) {
    work.fields().retain(|field| field.key != OLD_CHOICE);
}

/// Whether the body has tools in the old way.
pub(crate) fn has_old(work: &Work<'_>) -> bool {
    let fields = &work.conversation().fields;
    let old = fields.iter().find(|field| field.key == OLD_LIST);
    old.is_some_and(|field| field.value.doc().root().items().next().is_some())
}

/// Forgets how the body spells its choice: what the settings hold of it is said anew.
pub(crate) fn forget_choice(work: &mut Work<'_>) -> bool {
    let Some(at) = work.conversation().fields.iter().position(|field| field.key == CHOICE) else {
        return false;
    };
    work.fields().remove(at);
    work.settings();
    true
}

const CHOICE: &str = "tool_choice";
const OLD_CHOICE: &str = "function_call";
const BRINGS: &str = "additional_tools";
