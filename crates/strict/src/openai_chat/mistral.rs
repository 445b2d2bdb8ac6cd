//! What Mistral's own validator refuses in a conversation.

use serde_json::Value;

use super::pairing::{caller, ids};
use super::profile::{Profile, Trait};
use super::tools;
use super::view::{Message, answers, messages};
use crate::rule::{Fields as _, Findings, items};
use crate::{Evidence, Request, Rule};

pub(super) const MISTRAL_EMPTY: Rule = Rule {
    name: "mistral-empty",
    status: 400,
    when: "There are no messages.",
    words: "Conversation must have at least one message",
    evidence: Evidence::Documented,
    source: COMMON,
    check: empty,
};

pub(super) const MISTRAL_FIRST_ROLE: Rule = Rule {
    name: "mistral-first-role",
    status: 400,
    when: "The conversation begins with neither the user nor instructions.",
    words: "Conversation must start with a user message or system message",
    evidence: Evidence::Documented,
    source: COMMON,
    check: first_role,
};

pub(super) const MISTRAL_ROLE_ORDER: Rule = Rule {
    name: "mistral-role-order",
    status: 400,
    when: "A role follows one that it may not follow, such as the user after a tool.",
    words: "Unexpected role '{role}' after role '{previous}'",
    evidence: Evidence::Seen,
    source: "mistral-common, onyx#6458, litellm#17761",
    check: role_order,
};

pub(super) const MISTRAL_LAST_ROLE: Rule = Rule {
    name: "mistral-last-role",
    status: 400,
    when: "The conversation ends with neither the user nor a tool, nor with a prefix of the assistant.",
    words: "Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
    evidence: Evidence::Seen,
    source: "mistral-common, new-api#2858, AiNiee#641",
    check: last_role,
};

pub(super) const MISTRAL_CONTENT_OR_CALLS: Rule = Rule {
    name: "mistral-content-or-calls",
    status: 400,
    when: "An assistant message has neither content nor calls; on the oldest models, both.",
    words: "Assistant message must have either content or tool_calls, but not both.",
    evidence: Evidence::Documented,
    source: COMMON,
    check: content_or_calls,
};

pub(super) const MISTRAL_TOOL_NAME: Rule = Rule {
    name: "mistral-tool-name",
    status: 400,
    when: "The name of a tool, or of a called one, is too long or has other characters.",
    words: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    evidence: Evidence::Documented,
    source: COMMON,
    check: tool_name,
};

pub(super) const MISTRAL_TOOL_SCHEMA: Rule = Rule {
    name: "mistral-tool-schema",
    status: 400,
    when: "The parameters of a tool are no JSON schema (draft 7).",
    words: "Invalid tool schema: {why}",
    evidence: Evidence::Documented,
    source: COMMON,
    check: tool_schema,
};

pub(super) const MISTRAL_CALL_ID_MISSING: Rule = Rule {
    name: "mistral-call-id-missing",
    status: 400,
    when: "A call or a result has no id.",
    words: "Tool call id has to be defined.",
    evidence: Evidence::Documented,
    source: COMMON,
    check: call_id_missing,
};

pub(super) const MISTRAL_CALL_ID: Rule = Rule {
    name: "mistral-call-id",
    status: 400,
    when: "The id of a call or a result is not nine letters and digits (models before the newest tokenizers).",
    words: "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
    evidence: Evidence::Seen,
    source: "mistral-common, magentic#276",
    check: call_id,
};

pub(super) const MISTRAL_DUPLICATE_ID: Rule = Rule {
    name: "mistral-duplicate-id",
    status: 400,
    when: "Two calls of a message, or two results of a run, have one id.",
    words: "Duplicate tool call id {id} in assistant message\nDuplicate tool call id {id} in tool results",
    evidence: Evidence::Documented,
    source: COMMON,
    check: duplicate_id,
};

pub(super) const MISTRAL_UNEXPECTED_ID: Rule = Rule {
    name: "mistral-unexpected-id",
    status: 400,
    when: "A result answers a call that was not made right before it.",
    words: "Unexpected tool call id {id} in tool results",
    evidence: Evidence::Documented,
    source: COMMON,
    check: unexpected_id,
};

pub(super) const MISTRAL_COUNTS: Rule = Rule {
    name: "mistral-counts",
    status: 400,
    when: "A message has more or fewer calls than results follow it.",
    words: "Not the same number of function calls and responses",
    evidence: Evidence::Documented,
    source: "mistral-common, Venice",
    check: counts,
};

const COMMON: &str = "mistral-common 1.13.0";
/// The codes of the API: the order of messages, and calls.
const ORDER: Option<&str> = Some("3230");
const CALLS: Option<&str> = Some("3280");

/// The messages, if it is Mistral that reads them.
fn read<'v>(request: &Request<'v>) -> Vec<Message<'v>> {
    if request.flavor == "mistral" { messages(request) } else { Vec::new() }
}

fn empty(request: &Request<'_>, findings: &mut Findings) {
    let none = request.body.field("messages") == Some(&Value::Array(Vec::new()));
    if request.flavor == "mistral" && none {
        findings.add_with("messages", MISTRAL_EMPTY.words, None, ORDER);
    }
}

fn first_role(request: &Request<'_>, findings: &mut Findings) {
    let first = read(request).into_iter().next();
    if let Some(first) = first.filter(|first| !first.is("user") && !first.is("system")) {
        findings.add_with(first.path(), MISTRAL_FIRST_ROLE.words, None, ORDER);
    }
}

fn role_order(request: &Request<'_>, findings: &mut Findings) {
    let messages = read(request);
    for pair in messages.windows(2) {
        let [previous, current] = pair else { continue };
        let row = FOLLOWERS.iter().find(|(role, _)| *role == previous.role);
        if row.is_some_and(|(_, next)| !next.contains(&current.role)) {
            let words =
                format!("Unexpected role '{}' after role '{}'", current.role, previous.role);
            findings.add_with(current.path(), words, None, ORDER);
        }
    }
}

fn last_role(request: &Request<'_>, findings: &mut Findings) {
    let Some(last) = read(request).pop() else { return };
    let prefix = last.value.field("prefix") == Some(&Value::Bool(true));
    let fits = matches!(last.role, "user" | "tool") || last.is("assistant") && prefix;
    if !fits {
        let words = MISTRAL_LAST_ROLE.words.replace("{role}", last.role);
        findings.add_with(last.path(), words, None, ORDER);
    }
}

fn content_or_calls(request: &Request<'_>, findings: &mut Findings) {
    let both_refused = Profile::of(request).has(Trait::TextOrCalls);
    for message in read(request).iter().filter(|message| message.is("assistant")) {
        let (content, calls) = (!message.is_empty(), message.has_calls());
        if content == calls && (!content || both_refused) {
            findings.add_with(message.path(), MISTRAL_CONTENT_OR_CALLS.words, None, ORDER);
        }
    }
}

fn tool_name(request: &Request<'_>, findings: &mut Findings) {
    if request.flavor != "mistral" {
        return;
    }
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for (path, name) in tools::names(request) {
        if !(1..=64).contains(&name.len()) || !name.chars().all(known) {
            let words = MISTRAL_TOOL_NAME.words.replace("{name}", name);
            findings.add_with(path, words, None, CALLS);
        }
    }
}

fn tool_schema(request: &Request<'_>, findings: &mut Findings) {
    if request.flavor != "mistral" {
        return;
    }
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let parameters = tool.field("function").and_then(|function| function.field("parameters"));
        if let Some(why) = parameters.and_then(fault) {
            let words = MISTRAL_TOOL_SCHEMA.words.replace("{why}", &why);
            findings.add_with(format!("tools.{at}.function.parameters"), words, None, CALLS);
        }
    }
}

/// The first thing that draft 7 does not allow.
fn fault(schema: &Value) -> Option<String> {
    let node = match schema {
        Value::Bool(_) => return None,
        Value::Object(node) => node,
        other => return Some(format!("{other} is not of type 'object', 'boolean'")),
    };
    for (key, value) in node {
        let wrong = |kind: &str| Some(format!("{value} is not of type '{kind}'"));
        match key.as_str() {
            "type" => {
                let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let known = |one: &Value| one.as_str().is_some_and(|one| TYPES.contains(&one));
                if let Some(odd) = all.iter().find(|one| !known(one)) {
                    return Some(format!("{odd} is not valid under any of the given schemas"));
                }
            }
            "required" | "enum" if !value.is_array() => return wrong("array"),
            "properties" | "definitions" | "$defs" | "patternProperties" => {
                let Some(map) = value.as_object() else { return wrong("object") };
                if let Some(why) = map.values().find_map(fault) {
                    return Some(why);
                }
            }
            "items" | "anyOf" | "oneOf" | "allOf" if value.is_array() => {
                if let Some(why) = value.as_array().into_iter().flatten().find_map(fault) {
                    return Some(why);
                }
            }
            "anyOf" | "oneOf" | "allOf" => return wrong("array"),
            "items" | "additionalProperties" | "not" | "if" | "then" | "else" => {
                if let Some(why) = fault(value) {
                    return Some(why);
                }
            }
            _ => {}
        }
    }
    None
}

/// Every id of a call or a result, with its path.
fn all_ids<'v>(request: &Request<'v>) -> Vec<(String, &'v str)> {
    let mut all = Vec::new();
    for message in read(request) {
        for (at, id) in ids(&message).into_iter().enumerate() {
            all.push((message.at(&format!("tool_calls.{at}.id")), id));
        }
        if message.is("tool") {
            all.push((message.at("tool_call_id"), message.text("tool_call_id")));
        }
    }
    all
}

fn call_id_missing(request: &Request<'_>, findings: &mut Findings) {
    for (path, id) in all_ids(request) {
        if id.is_empty() || id == "null" {
            findings.add_with(path, MISTRAL_CALL_ID_MISSING.words, None, CALLS);
        }
    }
}

fn call_id(request: &Request<'_>, findings: &mut Findings) {
    if !Profile::of(request).has(Trait::NineCharacterIds) {
        return;
    }
    for (path, id) in all_ids(request).into_iter().filter(|(_, id)| !id.is_empty()) {
        if id.len() != 9 || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            let words = MISTRAL_CALL_ID.words.replace("{id}", id);
            findings.add_with(path, words, None, CALLS);
        }
    }
}

fn duplicate_id(request: &Request<'_>, findings: &mut Findings) {
    let messages = read(request);
    for message in messages.iter().filter(|message| message.is("assistant")) {
        let calls: Vec<_> = ids(message);
        let results = answers(&messages, message.index);
        let results: Vec<_> = results.iter().map(|one| one.text("tool_call_id")).collect();
        if let Some((at, id)) = repeated(&calls) {
            let words = format!("Duplicate tool call id {id} in assistant message");
            findings.add_with(message.at(&format!("tool_calls.{at}.id")), words, None, CALLS);
        }
        if let Some((at, id)) = repeated(&results) {
            let words = format!("Duplicate tool call id {id} in tool results");
            let path = format!("messages.{}.tool_call_id", message.index + 1 + at);
            findings.add_with(path, words, None, CALLS);
        }
    }
}

fn repeated<'v>(ids: &[&'v str]) -> Option<(usize, &'v str)> {
    let mut all = ids.iter().enumerate();
    all.find(|(at, id)| ids[..*at].contains(id)).map(|(at, id)| (at, *id))
}

fn unexpected_id(request: &Request<'_>, findings: &mut Findings) {
    let messages = read(request);
    for message in messages.iter().filter(|message| message.is("tool")) {
        let id = message.text("tool_call_id");
        let made = caller(&messages, message.index).is_some_and(|call| ids(call).contains(&id));
        if !made {
            let words = MISTRAL_UNEXPECTED_ID.words.replace("{id}", id);
            findings.add_with(message.at("tool_call_id"), words, None, CALLS);
        }
    }
}

fn counts(request: &Request<'_>, findings: &mut Findings) {
    let messages = read(request);
    for message in messages.iter().filter(|message| message.is("assistant")) {
        if message.calls().len() != answers(&messages, message.index).len() {
            findings.add_with(message.at("tool_calls"), MISTRAL_COUNTS.words, None, ORDER);
        }
    }
}

const FOLLOWERS: &[(&str, &[&str])] = &[
    ("system", &["user", "assistant", "system"]),
    ("user", &["assistant", "system", "user"]),
    ("assistant", &["assistant", "user", "tool"]),
    ("tool", &["assistant", "tool"]),
];
const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];
