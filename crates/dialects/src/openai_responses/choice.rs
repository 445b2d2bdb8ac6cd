//! Which tool the model shall call.

use std::collections::HashSet;

use interlingua_model::{Choice, Tool, ToolKind, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Node, Text};

use super::{ID, names};

/// `None` for a choice only this dialect knows, such as one of the provider's own tools.
pub(super) fn decode(node: Node<'_>) -> Option<Choice> {
    decode_among(node, &HashSet::new())
}

/// As [`decode`], where these are names of tools that were set apart.
pub(super) fn decode_among(node: Node<'_>, apart: &HashSet<String>) -> Option<Choice> {
    let called = |node: Node<'_>| named(node, apart);
    match &*node.word() {
        "auto" => return Some(Choice::Auto),
        "none" => return Some(Choice::None),
        "required" => return Some(Choice::Required),
        _ => {}
    }
    match &*node.get("type")?.word() {
        "function" | "custom" => called(node).map(Choice::Named),
        "allowed_tools" => {
            let tools = node.get("tools")?;
            let names: Option<Vec<Text>> = tools.items().map(called).collect();
            let required = node.get("mode").is_some_and(|mode| mode.word() == "required");
            Some(Choice::Allowed { names: names?, required })
        }
        _ => None,
    }
}

fn named(node: Node<'_>, apart: &HashSet<String>) -> Option<Text> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    if kind != "function" && kind != "custom" {
        return None;
    }
    // Chat's form nests the name; some clients mix the two up.
    let name = node.get("name").or_else(|| node.get("function")?.get("name"))?.text()?;
    let namespace = node.get("namespace").and_then(Node::text);
    let set_apart = namespace.as_ref().map(|space| names::apart(space, &name));
    let set_apart = set_apart.filter(|name| apart.contains(&*name.contents()));
    Some(set_apart.unwrap_or_else(|| names::full(namespace.as_ref(), &name)))
}

pub(super) fn encode(choice: &Choice, tools: &[Verbatim<Tool>], o: &mut Object<'_>) {
    match choice {
        Choice::Auto => o.known("tool_choice", "auto"),
        Choice::None => o.known("tool_choice", "none"),
        Choice::Required => o.known("tool_choice", "required"),
        Choice::Named(name) => o.object("tool_choice", |o| write_name(name, tools, o)),
        Choice::Allowed { names, required } => o.object("tool_choice", |o| {
            o.known("type", "allowed_tools");
            o.word("mode", if *required { "required" } else { "auto" });
            o.array("tools", |a| {
                for name in names {
                    a.object(|o| write_name(name, tools, o));
                }
            });
        }),
    }
}

fn write_name(name: &Text, tools: &[Verbatim<Tool>], o: &mut Object<'_>) {
    // What only another dialect knows is not written.
    let strange =
        |tool: &Tool| matches!(tool.kind, ToolKind::Foreign { dialect, .. } if dialect != ID);
    let tool = tools.iter().find(|tool| tool.name == *name && !strange(tool));
    // One of the provider's own is chosen by its type; a server's tools by its label, too.
    if let Some(ToolKind::Foreign { kind, json, .. }) = tool.map(|tool| &tool.kind) {
        o.text("type", kind);
        o.text_if(
            "server_label",
            json.doc().root().get("server_label").and_then(Node::text).as_ref(),
        );
        return;
    }
    let freeform = tool.is_some_and(|tool| matches!(tool.kind, ToolKind::Freeform { .. }));
    let namespace = tool.and_then(|tool| tool.namespace.as_ref());
    o.word("type", if freeform { "custom" } else { "function" });
    o.text("name", &names::short(namespace, name));
    o.text_if("namespace", namespace);
}
