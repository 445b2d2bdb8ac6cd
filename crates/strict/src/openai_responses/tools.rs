//! Rules about tools and `tool_choice`.

use serde_json::Value;

use super::view;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

pub(super) fn tool_count(request: &Request<'_>, cx: &mut CheckContext) {
    let count = array_field(request.body, "tools").len();
    if count > 128 {
        let message = format!(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {count} instead."
        );
        cx.reject_with("tools", message, Some("tools"), Some("array_above_max_length"));
    }
}

/// Tools in a namespace may have the names of tools outside it.
pub(super) fn tool_duplicate(request: &Request<'_>, cx: &mut CheckContext) {
    let has_name = |tool: &Value| ["function", "custom"].contains(&str_field(tool, "type"));
    let tools = view::all_tools(request.body);
    let namespace_of =
        |path: &str| path.rsplit_once('[').map(|(namespace_of, _)| namespace_of.to_owned());
    for (at, (path, tool)) in tools.iter().enumerate().filter(|(_, (_, tool))| has_name(tool)) {
        let name = str_field(tool, "name");
        let mut earlier = tools[..at].iter().filter(|(_, tool)| has_name(tool));
        if earlier.any(|(other, tool)| {
            str_field(tool, "name") == name && namespace_of(other) == namespace_of(path)
        }) {
            let path = format!("{path}.name");
            let message = format!(
                "Invalid '{path}': duplicate tool name '{name}'. Tool names must be unique."
            );
            cx.reject_with(view::dotted_path(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

pub(super) fn tool_choice_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let required = str_field(request.body, "tool_choice") == "required";
    if required && !view::has_server_state(request.body) && view::all_tools(request.body).is_empty()
    {
        let message = "Tool choice 'required' must be specified with 'tools' parameter.";
        cx.reject_with("tool_choice", message, Some("tool_choice"), None);
    }
}

pub(super) fn tool_choice_unknown(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(choice) = request.body.field("tool_choice").filter(|choice| choice.is_object()) else {
        return;
    };
    if request.body.field("prompt").is_some() {
        return;
    }
    let tools = view::all_tools(request.body);
    let chosen = match str_field(choice, "type") {
        "allowed_tools" => array_field(choice, "tools"),
        _ => std::slice::from_ref(choice),
    };
    for chosen_tool in chosen {
        let kind = str_field(chosen_tool, "type");
        let by_name = ["function", "custom", "namespace"].contains(&kind);
        let key = if kind == "mcp" { "server_label" } else { "name" };
        let is_known = tools.iter().any(|(_, tool)| {
            let has_same_name = str_field(tool, key) == str_field(chosen_tool, key);
            str_field(tool, "type") == kind && (has_same_name || !by_name && kind != "mcp")
        });
        if !is_known {
            let name = if by_name { str_field(chosen_tool, "name") } else { kind };
            let message = format!("Tool choice '{name}' not found in 'tools' parameter.");
            cx.reject_with("tool_choice", message, Some("tool_choice"), None);
        }
    }
}
