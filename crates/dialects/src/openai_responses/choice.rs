//! Decodes and encodes the tool choice.

use std::collections::{HashMap, HashSet};

use interlingua_model::{Tool, ToolChoice, ToolKind, Verbatim};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString};

use super::{ID, namespace};

/// `None` for a choice that only this dialect has, such as one of the provider's own tools.
pub(super) fn decode_tool_choice(node: JsonNode<'_>) -> Option<ToolChoice> {
    decode_tool_choice_with(node, &HashSet::new())
}

/// Like [`decode_tool_choice`]; `disambiguated` are the tool names with a disambiguated namespace.
pub(super) fn decode_tool_choice_with(
    node: JsonNode<'_>,
    disambiguated: &HashSet<String>,
) -> Option<ToolChoice> {
    let tool_name = |node: JsonNode<'_>| decode_tool_name(node, disambiguated);
    match &*node.str_or_empty() {
        "auto" => return Some(ToolChoice::Auto),
        "none" => return Some(ToolChoice::None),
        "required" => return Some(ToolChoice::Required),
        _ => {}
    }
    match &*node.get("type")?.str_or_empty() {
        "function" | "custom" => tool_name(node).map(ToolChoice::Named),
        "allowed_tools" => {
            let tools = node.get("tools")?;
            let names: Option<Vec<JsonString>> = tools.items().map(tool_name).collect();
            let required = node.get("mode").is_some_and(|mode| mode.str_or_empty() == "required");
            Some(ToolChoice::Allowed { names: names?, required })
        }
        _ => None,
    }
}

fn decode_tool_name(node: JsonNode<'_>, disambiguated: &HashSet<String>) -> Option<JsonString> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    if kind != "function" && kind != "custom" {
        return None;
    }
    // Chat Completions nests the name; some clients mix both forms.
    let name = node.get("name").or_else(|| node.get("function")?.get("name"))?.json_string()?;
    let namespace = node.get("namespace").and_then(JsonNode::json_string);
    let disambiguated_name =
        namespace.as_ref().map(|space| namespace::disambiguated_name(space, &name));
    let disambiguated_name =
        disambiguated_name.filter(|name| disambiguated.contains(&*name.unescape()));
    Some(disambiguated_name.unwrap_or_else(|| namespace::qualified_name(namespace.as_ref(), &name)))
}

pub(super) fn encode_tool_choice(
    choice: &ToolChoice,
    tools: &[Verbatim<Tool>],
    o: &mut ObjectWriter<'_>,
) {
    match choice {
        ToolChoice::Auto => o.static_str("tool_choice", "auto"),
        ToolChoice::None => o.static_str("tool_choice", "none"),
        ToolChoice::Required => o.static_str("tool_choice", "required"),
        ToolChoice::Named(name) => {
            let tool = tools.iter().find(|tool| tool.name == *name && can_choose(tool));
            o.object("tool_choice", |o| write_tool_reference(name, tool, o));
        }
        ToolChoice::Allowed { names, required } => o.object("tool_choice", |o| {
            o.static_str("type", "allowed_tools");
            o.str("mode", if *required { "required" } else { "auto" });
            let mut by_name = HashMap::new();
            for tool in tools.iter().filter(|tool| can_choose(tool)) {
                by_name.entry(tool.name.unescape()).or_insert(tool);
            }
            o.array("tools", |a| {
                for name in names {
                    let tool = by_name.get(&*name.unescape()).copied();
                    a.object(|o| write_tool_reference(name, tool, o));
                }
            });
        }),
    }
}

/// Foreign tools of other dialects are not encoded, so they cannot be chosen.
fn can_choose(tool: &Tool) -> bool {
    !matches!(tool.kind, ToolKind::Foreign { dialect, .. } if dialect != ID)
}

fn write_tool_reference(
    name: &JsonString,
    tool: Option<&Verbatim<Tool>>,
    o: &mut ObjectWriter<'_>,
) {
    // The provider's own tools are chosen by type, an MCP server's tools also by label.
    if let Some(ToolKind::Foreign { kind, json, .. }) = tool.map(|tool| &tool.kind) {
        o.json_string("type", kind);
        o.json_string_opt(
            "server_label",
            json.to_doc().root().get("server_label").and_then(JsonNode::json_string).as_ref(),
        );
        return;
    }
    let freeform = tool.is_some_and(|tool| matches!(tool.kind, ToolKind::Freeform { .. }));
    let namespace = tool.and_then(|tool| tool.namespace.as_ref());
    o.str("type", if freeform { "custom" } else { "function" });
    o.json_string("name", &namespace::local_name(namespace, name));
    o.json_string_opt("namespace", namespace);
}
