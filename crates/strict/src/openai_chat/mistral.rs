//! Rules of Mistral's request validator.

use std::collections::HashSet;

use serde_json::Value;

use super::pairing::{answerable_ids, call_ids};
use super::profile::{ModelFlag, Profile};
use super::tools;
use super::view::{Message, messages, tool_results_after};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field};
use crate::{Evidence, Request, Rule};

pub(super) const MISTRAL_EMPTY: Rule = Rule {
    name: "mistral-empty",
    status: 400,
    condition: "There are no messages.",
    error_message: "Conversation must have at least one message",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_empty,
};

pub(super) const MISTRAL_FIRST_ROLE: Rule = Rule {
    name: "mistral-first-role",
    status: 400,
    condition: "The conversation begins with neither a user nor a system message.",
    error_message: "Conversation must start with a user message or system message",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_first_role,
};

pub(super) const MISTRAL_ROLE_ORDER: Rule = Rule {
    name: "mistral-role-order",
    status: 400,
    condition: "The order of roles is not allowed, such as user after tool.",
    error_message: "Unexpected role '{role}' after role '{previous}'",
    evidence: Evidence::Observed,
    source: "mistral-common, onyx#6458, litellm#17761",
    check: mistral_role_order,
};

pub(super) const MISTRAL_LAST_ROLE: Rule = Rule {
    name: "mistral-last-role",
    status: 400,
    condition: "The last message is neither the user's nor a tool's, nor an assistant's with prefix.",
    error_message: "Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
    evidence: Evidence::Observed,
    source: "mistral-common, new-api#2858, AiNiee#641",
    check: mistral_last_role,
};

pub(super) const MISTRAL_CONTENT_OR_CALLS: Rule = Rule {
    name: "mistral-content-or-calls",
    status: 400,
    condition: "An assistant message has neither content nor tool calls; on the oldest models, both.",
    error_message: "Assistant message must have either content or tool_calls, but not both.",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_content_or_calls,
};

pub(super) const MISTRAL_TOOL_NAME: Rule = Rule {
    name: "mistral-tool-name",
    status: 400,
    condition: "The name of a tool or of a called tool is too long or has invalid characters.",
    error_message: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_tool_name,
};

pub(super) const MISTRAL_TOOL_SCHEMA: Rule = Rule {
    name: "mistral-tool-schema",
    status: 400,
    condition: "The parameters of a tool are not a valid JSON schema (draft 7).",
    error_message: "Invalid tool schema: {why}",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_tool_schema,
};

pub(super) const MISTRAL_CALL_ID_MISSING: Rule = Rule {
    name: "mistral-call-id-missing",
    status: 400,
    condition: "A call or a result has no id.",
    error_message: "Tool call id has to be defined.",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_call_id_missing,
};

pub(super) const MISTRAL_CALL_ID: Rule = Rule {
    name: "mistral-call-id",
    status: 400,
    condition: "The id of a call or result is not nine letters and digits (models before the newest tokenizers).",
    error_message: "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
    evidence: Evidence::Observed,
    source: "mistral-common, magentic#276",
    check: mistral_call_id,
};

pub(super) const MISTRAL_DUPLICATE_ID: Rule = Rule {
    name: "mistral-duplicate-id",
    status: 400,
    condition: "Two calls of a message, or two consecutive results, have the same id.",
    error_message: "Duplicate tool call id {id} in assistant message\nDuplicate tool call id {id} in tool results",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_duplicate_id,
};

pub(super) const MISTRAL_UNEXPECTED_ID: Rule = Rule {
    name: "mistral-unexpected-id",
    status: 400,
    condition: "A result belongs to no call of the message directly before.",
    error_message: "Unexpected tool call id {id} in tool results",
    evidence: Evidence::Documented,
    source: SOURCE,
    check: mistral_unexpected_id,
};

pub(super) const MISTRAL_COUNTS: Rule = Rule {
    name: "mistral-counts",
    status: 400,
    condition: "The number of results after a message differs from its number of calls.",
    error_message: "Not the same number of function calls and responses",
    evidence: Evidence::Documented,
    source: "mistral-common, Venice",
    check: mistral_counts,
};

const SOURCE: &str = "mistral-common 1.13.0";
/// Error codes of the API: order of messages, and tool calls.
const MESSAGE_ORDER_CODE: Option<&str> = Some("3230");
const TOOL_CALL_CODE: Option<&str> = Some("3280");

/// The messages, if the flavor is Mistral.
fn mistral_messages<'v>(request: &Request<'v>) -> Vec<Message<'v>> {
    if request.flavor == "mistral" { messages(request) } else { Vec::new() }
}

fn mistral_empty(request: &Request<'_>, cx: &mut CheckContext) {
    let is_empty = request.body.field("messages") == Some(&Value::Array(Vec::new()));
    if request.flavor == "mistral" && is_empty {
        cx.reject_with("messages", MISTRAL_EMPTY.error_message, None, MESSAGE_ORDER_CODE);
    }
}

fn mistral_first_role(request: &Request<'_>, cx: &mut CheckContext) {
    let first = mistral_messages(request).into_iter().next();
    if let Some(first) = first.filter(|first| !first.has_role("user") && !first.has_role("system"))
    {
        cx.reject_with(first.path(), MISTRAL_FIRST_ROLE.error_message, None, MESSAGE_ORDER_CODE);
    }
}

fn mistral_role_order(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = mistral_messages(request);
    for pair in messages.windows(2) {
        let [previous, current] = pair else { continue };
        let row = ALLOWED_NEXT_ROLES.iter().find(|(role, _)| *role == previous.role);
        if row.is_some_and(|(_, next)| !next.contains(&current.role)) {
            let message =
                format!("Unexpected role '{}' after role '{}'", current.role, previous.role);
            cx.reject_with(current.path(), message, None, MESSAGE_ORDER_CODE);
        }
    }
}

fn mistral_last_role(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(last) = mistral_messages(request).pop() else { return };
    let has_prefix = last.value.field("prefix") == Some(&Value::Bool(true));
    let is_allowed =
        matches!(last.role, "user" | "tool") || last.has_role("assistant") && has_prefix;
    if !is_allowed {
        let message = MISTRAL_LAST_ROLE.error_message.replace("{role}", last.role);
        cx.reject_with(last.path(), message, None, MESSAGE_ORDER_CODE);
    }
}

fn mistral_content_or_calls(request: &Request<'_>, cx: &mut CheckContext) {
    let rejects_both = Profile::for_request(request).has(ModelFlag::TextOrCalls);
    for message in mistral_messages(request).iter().filter(|message| message.has_role("assistant"))
    {
        let (has_content, has_calls) = (!message.has_no_content(), message.has_tool_calls());
        if has_content == has_calls && (!has_content || rejects_both) {
            cx.reject_with(
                message.path(),
                MISTRAL_CONTENT_OR_CALLS.error_message,
                None,
                MESSAGE_ORDER_CODE,
            );
        }
    }
}

fn mistral_tool_name(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != "mistral" {
        return;
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for (path, name) in tools::tool_names(request) {
        if !(1..=64).contains(&name.len()) || !name.chars().all(is_allowed) {
            let message = MISTRAL_TOOL_NAME.error_message.replace("{name}", name);
            cx.reject_with(path, message, None, TOOL_CALL_CODE);
        }
    }
}

fn mistral_tool_schema(request: &Request<'_>, cx: &mut CheckContext) {
    if request.flavor != "mistral" {
        return;
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let parameters = tool.field("function").and_then(|function| function.field("parameters"));
        if let Some(error) = parameters.and_then(schema_error) {
            let message = MISTRAL_TOOL_SCHEMA.error_message.replace("{why}", &error);
            cx.reject_with(
                format!("tools.{at}.function.parameters"),
                message,
                None,
                TOOL_CALL_CODE,
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
    for message in mistral_messages(request) {
        for (at, id) in call_ids(&message).into_iter().enumerate() {
            ids.push((message.field_path(&format!("tool_calls.{at}.id")), id));
        }
        if message.has_role("tool") {
            ids.push((message.field_path("tool_call_id"), message.str_field("tool_call_id")));
        }
    }
    ids
}

fn mistral_call_id_missing(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, id) in all_call_ids(request) {
        if id.is_empty() || id == "null" {
            cx.reject_with(path, MISTRAL_CALL_ID_MISSING.error_message, None, TOOL_CALL_CODE);
        }
    }
}

fn mistral_call_id(request: &Request<'_>, cx: &mut CheckContext) {
    if !Profile::for_request(request).has(ModelFlag::NineCharacterIds) {
        return;
    }
    for (path, id) in all_call_ids(request).into_iter().filter(|(_, id)| !id.is_empty()) {
        if id.len() != 9 || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            let message = MISTRAL_CALL_ID.error_message.replace("{id}", id);
            cx.reject_with(path, message, None, TOOL_CALL_CODE);
        }
    }
}

fn mistral_duplicate_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = mistral_messages(request);
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        let calls: Vec<_> = call_ids(message);
        let results = tool_results_after(&messages, message.index);
        let results: Vec<_> =
            results.iter().map(|result| result.str_field("tool_call_id")).collect();
        if let Some((at, id)) = first_duplicate(&calls) {
            let error_message = format!("Duplicate tool call id {id} in assistant message");
            cx.reject_with(
                message.field_path(&format!("tool_calls.{at}.id")),
                error_message,
                None,
                TOOL_CALL_CODE,
            );
        }
        if let Some((at, id)) = first_duplicate(&results) {
            let error_message = format!("Duplicate tool call id {id} in tool results");
            let path = format!("messages.{}.tool_call_id", message.index + 1 + at);
            cx.reject_with(path, error_message, None, TOOL_CALL_CODE);
        }
    }
}

fn first_duplicate<'v>(ids: &[&'v str]) -> Option<(usize, &'v str)> {
    let mut seen = HashSet::new();
    ids.iter().copied().enumerate().find(|(_, id)| !seen.insert(*id))
}

fn mistral_unexpected_id(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = mistral_messages(request);
    for (message, ids) in answerable_ids(&messages) {
        let id = message.str_field("tool_call_id");
        let has_call = ids.is_some_and(|ids| ids.contains(id));
        if message.has_role("tool") && !has_call {
            let error_message = MISTRAL_UNEXPECTED_ID.error_message.replace("{id}", id);
            cx.reject_with(message.field_path("tool_call_id"), error_message, None, TOOL_CALL_CODE);
        }
    }
}

fn mistral_counts(request: &Request<'_>, cx: &mut CheckContext) {
    let messages = mistral_messages(request);
    for message in messages.iter().filter(|message| message.has_role("assistant")) {
        if message.tool_calls().len() != tool_results_after(&messages, message.index).len() {
            cx.reject_with(
                message.field_path("tool_calls"),
                MISTRAL_COUNTS.error_message,
                None,
                MESSAGE_ORDER_CODE,
            );
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
