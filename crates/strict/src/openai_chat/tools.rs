//! Rules about tool definitions and `tool_choice`.

use std::collections::HashSet;

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::profile::{ModelFlag, Profile};
use super::provider::{Trait, provider_of};
use super::view::{bracket_path, call_name, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};

/// Whether the characters of tool names are checked.
pub(super) fn checks_name_pattern(request: &Request<'_>) -> bool {
    provider_of(request).has_rule("tool-name-pattern")
}

/// All tool names with their paths: first of tools, then of calls.
pub(super) fn tool_names<'v>(request: &Request<'v>) -> Vec<(String, &'v str)> {
    let mut names = Vec::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = if tool.field("custom").is_some() { "custom" } else { "function" };
        let name = tool.get(kind).map_or("", |tool| str_field(tool, "name"));
        names.push((format!("tools.{at}.{kind}.name"), name));
    }
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let kind = if call.field("custom").is_some() { "custom" } else { "function" };
            names.push((
                message.field_path(&format!("tool_calls.{at}.{kind}.name")),
                call_name(call),
            ));
        }
    }
    names
}

pub(super) fn tool_type(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = tool.field("type").and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| !["function", "custom"].contains(kind)) {
            let path = format!("tools.{at}.type");
            let param = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("type", kind)],
                param: Some(&param),
                code: Some("invalid_value"),
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn tool_name_pattern(request: &Request<'_>, cx: &mut CheckContext) {
    let template = standard_message(request, cx);
    let mut dotted = provider_of(request).dotted_tool_names.iter();
    let allows_dots = dotted.any(|prefix| request.model.starts_with(prefix));
    let template = if allows_dots { cx.case("dotted") } else { template };
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || allows_dots && c == '.';
    for (path, name) in tool_names(request) {
        if name.is_empty() && is_name_missing(request, &path)
            || !name.is_empty() && name.chars().all(is_allowed)
        {
            continue;
        }
        let upstream_path = path.replace(".function.", ".custom.");
        let at = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("at", &at), ("sent", &upstream_path)],
            param: Some(&at),
            code: Some("invalid_value"),
        };
        reject_as(template, request, cx, &details);
    }
}

/// A missing name violates another rule.
fn is_name_missing(request: &Request<'_>, path: &str) -> bool {
    let pointer = format!("/{}", path.replace('.', "/"));
    request.body.pointer(&pointer).and_then(Value::as_str).is_none()
}

pub(super) fn tool_name_length(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, name) in tool_names(request) {
        let count = name.chars().count();
        if count > 64 {
            let (at, count) = (bracket_path(&path), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn tool_description_length(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(limit) = Profile::for_request(request).max_description_length else { return };
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let description = tool.field("function").map_or("", |tool| str_field(tool, "description"));
        let count = description.chars().count();
        if count > limit {
            let path = format!("tools.{at}.function.description");
            let (at, limit, count) = (bracket_path(&path), limit.to_string(), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn tool_duplicate(request: &Request<'_>, cx: &mut CheckContext) {
    let name = |tool: &Value| {
        let inner = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(&Value::Null);
        str_field(inner, "name").to_owned()
    };
    let mut seen = HashSet::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let name = name(tool);
        if !name.is_empty() && !seen.insert(name) {
            reject_at(request, cx, format!("tools.{at}"));
        }
    }
}

pub(super) fn cerebras_mixed_strict(request: &Request<'_>, cx: &mut CheckContext) {
    let functions =
        array_field(request.body, "tools").iter().filter_map(|tool| tool.field("function"));
    let strict: Vec<bool> =
        functions.map(|tool| tool.field("strict") == Some(&Value::Bool(true))).collect();
    if strict.contains(&true) && strict.contains(&false) {
        reject_at(request, cx, "tools");
    }
}

pub(super) fn named_choice(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("tool_choice").is_some_and(Value::is_object) {
        reject_at(request, cx, "tool_choice");
    }
}

pub(super) fn unknown_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(choice) = request.body.field("tool_choice") else { return };
    // Some clients write the name next to the type.
    let is_bare = choice.field("custom").is_none() && str_field(choice, "type") != "allowed_tools";
    let bare_choice = Some(choice).filter(|_| is_bare);
    let Some(chosen) = choice.field("function").or(bare_choice) else { return };
    let name = str_field(chosen, "name");
    let tools = array_field(request.body, "tools");
    let is_named = |tool: &Value| {
        ["function", "custom"]
            .iter()
            .any(|kind| tool.field(kind).is_some_and(|inner| str_field(inner, "name") == name))
    };
    if !name.is_empty() && !tools.is_empty() && !tools.iter().any(is_named) {
        let details = ViolationDetails {
            path: "tool_choice".into(),
            placeholders: &[("name", name)],
            param: Some("tool_choice"),
            code: None,
        };
        reject(request, cx, &details);
    }
}

pub(super) fn choice_shape(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(choice) = request.body.field("tool_choice").filter(|value| value.is_object()) else {
        return;
    };
    let is_first_party = provider_of(request).has(Trait::FirstParty);
    if is_first_party && ["allowed_tools", "custom"].contains(&str_field(choice, "type")) {
        return;
    }
    let function = choice.field("function").filter(|function| function.is_object());
    let at = match function {
        None => "tool_choice.function",
        Some(function) if function.field("name").is_none() => "tool_choice.function.name",
        Some(_) => return,
    };
    let details = ViolationDetails {
        path: at.into(),
        placeholders: &[("at", at)],
        param: Some(at),
        code: Some("missing_required_parameter"),
    };
    reject(request, cx, &details);
}

pub(super) fn moonshot_required_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let required = str_field(request.body, "tool_choice") == "required";
    if required && Profile::for_request(request).has(ModelFlag::NoRequiredToolChoice) {
        reject_at(request, cx, "tool_choice");
    }
}
