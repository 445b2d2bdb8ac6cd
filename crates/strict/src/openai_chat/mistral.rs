//! Rules of Mistral's request validator.

use std::collections::HashSet;

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as};
use super::pairing::{answerable_ids, call_ids};
use super::profile::{ModelFlag, Profile};
use super::tools;
use super::view::{messages, tool_results_after};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field};

/// Error codes of the API: order of messages, and tool calls.
const MESSAGE_ORDER_CODE: Option<&str> = Some("3230");
const TOOL_CALL_CODE: Option<&str> = Some("3280");

fn reject_coded(
    request: &Request<'_>,
    cx: &mut CheckContext,
    path: String,
    code: Option<&str>,
    placeholders: &[(&str, &str)],
) {
    reject(request, cx, &ViolationDetails { path, placeholders, param: None, code });
}

pub(super) fn mistral_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let is_empty = request.body.field("messages") == Some(&Value::Array(Vec::new()));
    if is_empty {
        reject_coded(request, cx, "messages".into(), MESSAGE_ORDER_CODE, &[]);
    }
}

pub(super) fn mistral_first_role(request: &Request<'_>, cx: &mut CheckContext) {
    let first = messages(request).into_iter().next();
    let is_allowed = |role: &str| {
        matches!(role, "user" | "system") || role == "assistant" && !is_older_model(request)
    };
    if let Some(first) = first.filter(|first| !is_allowed(first.role)) {
        reject_coded(request, cx, first.path(), MESSAGE_ORDER_CODE, &[]);
    }
}

/// Models whose requests the first validator checks.
fn is_older_model(request: &Request<'_>) -> bool {
    Profile::for_request(request).has(ModelFlag::OlderValidator)
}

pub(super) fn mistral_role_order(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    let is_older = is_older_model(request);
    for pair in messages.windows(2) {
        let [previous, current] = pair else { continue };
        let row = ALLOWED_NEXT_ROLES.iter().find(|(role, _)| *role == previous.role);
        let is_new_order = !is_older && previous.role == "tool" && current.role == "user";
        if row.is_some_and(|(_, next)| !next.contains(&current.role)) && !is_new_order {
            let roles = [("role", current.role), ("previous", previous.role)];
            reject_coded(request, cx, current.path(), MESSAGE_ORDER_CODE, &roles);
        }
    }
}

pub(super) fn mistral_last_role(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(last) = messages(request).pop() else { return };
    let has_prefix = last.value.field("prefix") == Some(&Value::Bool(true));
    let is_allowed =
        matches!(last.role, "user" | "tool") || last.has_role("assistant") && has_prefix;
    if !is_allowed {
        reject_coded(request, cx, last.path(), MESSAGE_ORDER_CODE, &[("role", last.role)]);
    }
}

pub(super) fn mistral_content_or_calls(request: &Request<'_>, cx: &mut CheckContext) {
    let rejects_both = Profile::for_request(request).has(ModelFlag::TextOrCalls);
    for message in messages(request).iter().filter(|message| message.has_role("assistant")) {
        let (has_content, has_calls) = (!message.has_no_content(), message.has_tool_calls());
        if has_content == has_calls && (!has_content || rejects_both) {
            reject_coded(request, cx, message.path(), MESSAGE_ORDER_CODE, &[]);
        }
    }
}

pub(super) fn mistral_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for (path, name) in tools::tool_names(request) {
        if !(1..=64).contains(&name.len()) || !name.chars().all(is_allowed) {
            reject_coded(request, cx, path, TOOL_CALL_CODE, &[("name", name)]);
        }
    }
}

pub(super) fn mistral_tool_schema(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let parameters = tool.field("function").and_then(|function| function.field("parameters"));
        if let Some(error) = parameters.and_then(schema_error) {
            reject_coded(
                request,
                cx,
                format!("tools.{at}.function.parameters"),
                TOOL_CALL_CODE,
                &[("why", &error)],
            );
        }
    }
}

/// The first violation of draft 7.
fn schema_error(schema: &Value) -> Option<String> {
    let node = match schema {
        Value::Bool(_) => return None,
        Value::Object(node) => node,
        other => return Some(format!("{other} is not of type 'object', 'boolean'")),
    };
    for (key, value) in node {
        let wrong_type = |kind: &str| Some(format!("{value} is not of type '{kind}'"));
        match key.as_str() {
            "type" => {
                let types = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let is_known =
                    |name: &Value| name.as_str().is_some_and(|name| SCHEMA_TYPES.contains(&name));
                if let Some(unknown) = types.iter().find(|name| !is_known(name)) {
                    return Some(format!("{unknown} is not valid under any of the given schemas"));
                }
            }
            "required" | "enum" if !value.is_array() => return wrong_type("array"),
            "properties" | "definitions" | "$defs" | "patternProperties" => {
                let Some(map) = value.as_object() else { return wrong_type("object") };
                if let Some(error) = map.values().find_map(schema_error) {
                    return Some(error);
                }
            }
            "items" | "anyOf" | "oneOf" | "allOf" if value.is_array() => {
                if let Some(error) = value.as_array().into_iter().flatten().find_map(schema_error) {
                    return Some(error);
                }
            }
            "anyOf" | "oneOf" | "allOf" => return wrong_type("array"),
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" => {
                if let Some(error) = schema_error(value) {
                    return Some(error);
                }
            }
            _ => {}
        }
    }
    None
}

/// All ids of calls and results, with their paths.
fn all_call_ids<'v>(request: &Request<'v>) -> Vec<(String, &'v str)> {
    let mut ids = Vec::new();
    for message in messages(request) {
        for (at, id) in call_ids(&message).into_iter().enumerate() {
            ids.push((message.field_path(&format!("tool_calls.{at}.id")), id));
        }
        if message.has_role("tool") {
            ids.push((message.field_path("tool_call_id"), message.str_field("tool_call_id")));
        }
    }
    ids
}

pub(super) fn mistral_call_id_missing(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, id) in all_call_ids(request) {
        if id.is_empty() || id == "null" {
            reject_coded(request, cx, path, TOOL_CALL_CODE, &[]);
        }
    }
}

pub(super) fn mistral_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if !Profile::for_request(request).has(ModelFlag::NineCharacterIds) {
        return;
    }
    for (path, id) in all_call_ids(request).into_iter().filter(|(_, id)| !id.is_empty()) {
        if id.len() != 9 || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            reject_coded(request, cx, path, TOOL_CALL_CODE, &[("id", id)]);
        }
    }
}

pub(super) fn mistral_duplicate_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        let calls: Vec<_> = call_ids(message);
        let results = tool_results_after(&messages, message.index);
        let results: Vec<_> =
            results.iter().map(|result| result.str_field("tool_call_id")).collect();
        if let Some((at, id)) = first_duplicate(&calls) {
            let path = message.field_path(&format!("tool_calls.{at}.id"));
            reject_coded(request, cx, path, TOOL_CALL_CODE, &[("id", id)]);
        }
        if let Some((at, id)) = first_duplicate(&results) {
            let details = ViolationDetails {
                path: format!("messages.{}.tool_call_id", message.index + 1 + at),
                placeholders: &[("id", id)],
                param: None,
                code: TOOL_CALL_CODE,
            };
            reject_as(cx.case("results"), request, cx, &details);
        }
    }
}

fn first_duplicate<'v>(ids: &[&'v str]) -> Option<(usize, &'v str)> {
    let mut seen = HashSet::new();
    ids.iter().copied().enumerate().find(|(_, id)| !seen.insert(*id))
}

pub(super) fn mistral_unexpected_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    for (message, ids) in answerable_ids(&messages) {
        let id = message.str_field("tool_call_id");
        let has_call = ids.is_some_and(|ids| ids.contains(id));
        if message.has_role("tool") && !has_call {
            reject_coded(
                request,
                cx,
                message.field_path("tool_call_id"),
                TOOL_CALL_CODE,
                &[("id", id)],
            );
        }
    }
}

pub(super) fn mistral_counts(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = messages(request);
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        if message.tool_calls().len() != tool_results_after(&messages, message.index).len() {
            reject_coded(request, cx, message.field_path("tool_calls"), MESSAGE_ORDER_CODE, &[]);
        }
    }
}

const ALLOWED_NEXT_ROLES: &[(&str, &[&str])] = &[
    ("system", &["user", "assistant", "system"]),
    ("user", &["assistant", "system", "user"]),
    ("assistant", &["assistant", "user", "tool"]),
    ("tool", &["assistant", "tool"]),
];
const SCHEMA_TYPES: &[&str] =
    &["array", "boolean", "integer", "null", "number", "object", "string"];
