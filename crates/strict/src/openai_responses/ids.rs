//! Ids and other texts with a form of their own.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view::{self, Item, dotted};
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "id-prefix",
        status: 400,
        when: "The id of an item does not begin as ids of its kind do.",
        words: "Invalid '{path}': '{id}'. Expected an ID that begins with '{prefix}'.",
        evidence: Evidence::Seen,
        source: "cockpit-tools#2090, earendil-works/pi#10257",
        check: id_prefix,
    },
    Rule {
        name: "string-empty",
        status: 400,
        when: "A call id or a name is empty.",
        words: "Invalid '{path}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: string_empty,
    },
    Rule {
        name: "string-too-long",
        status: 400,
        when: "An id, call id, name, cache key or metadata value is longer than it may be.",
        words: "Invalid '{path}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead.",
        evidence: Evidence::Seen,
        source: "fastllm#45, oh-my-pi#284, ida-pro-mcp#129",
        check: string_too_long,
    },
    Rule {
        name: "name-pattern",
        status: 400,
        when: "The name of a tool, or of a call to one, has other characters than letters, digits, `_` and `-`.",
        words: "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        evidence: Evidence::Seen,
        source: "xiaozhi#268, mcp-use#90, swagger-mcp#13",
        check: name_pattern,
    },
    Rule {
        name: "item-duplicate",
        status: 400,
        when: "Two items have one id.",
        words: "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
        evidence: Evidence::Seen,
        source: "vercel/ai#7883, earendil-works/pi#5151, earendil-works/pi#5165",
        check: item_duplicate,
    },
];

/// How ids of a kind begin; `None` where it is not known.
pub(super) fn prefix(kind: &str) -> Option<&'static str> {
    PREFIXES.iter().find(|(known, _)| *known == kind).map(|(_, prefix)| *prefix)
}

/// The kind of item that an id with this prefix names.
pub(super) fn kind_of(id: &str) -> &'static str {
    let begin = id.split('_').next().unwrap_or_default();
    let found = PREFIXES.iter().find(|(_, prefix)| *prefix == begin);
    found.map_or("message", |(kind, _)| kind)
}

fn id_prefix(request: &Request<'_>, findings: &mut Findings) {
    for item in view::input(request.body) {
        let (Some(id), Some(prefix)) = (item.id(), prefix(item.kind())) else { continue };
        if !id.starts_with(prefix) {
            let path = format!("input[{}].id", item.at);
            let message =
                format!("Invalid '{path}': '{id}'. Expected an ID that begins with '{prefix}'.");
            findings.add_with(dotted(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

/// A text with a form, and where it stands.
struct Formed<'v> {
    path: String,
    text: &'v str,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Id,
    CallId,
    Name,
}

/// Ids, call ids and names of the items, then names of the tools.
fn formed<'v>(request: &Request<'v>) -> Vec<Formed<'v>> {
    let mut found = Vec::new();
    let mut add = |value: &'v Value, path: String, role| {
        found.extend(value.as_str().map(|text| Formed { path, text, role }));
    };
    for Item { at, value } in view::input(request.body) {
        for (key, role) in [("id", Role::Id), ("call_id", Role::CallId)] {
            if let Some(value) = value.field(key) {
                add(value, format!("input[{at}].{key}"), role);
            }
        }
        let calls = ["function_call", "custom_tool_call"].contains(&string(value, "type"));
        if let Some(value) = value.field("name").filter(|_| calls) {
            add(value, format!("input[{at}].name"), Role::Name);
        }
    }
    for (path, tool) in view::tools(request.body) {
        let named = ["function", "custom", "namespace"].contains(&string(tool, "type"));
        if let Some(value) = tool.field("name").filter(|_| named) {
            add(value, format!("{path}.name"), Role::Name);
        }
    }
    let format = request.body.pointer("/text/format");
    if let Some(value) = format.and_then(|format| format.field("name")) {
        add(value, "text.format.name".to_owned(), Role::Name);
    }
    found
}

fn string_empty(request: &Request<'_>, findings: &mut Findings) {
    for Formed { path, text, role } in formed(request) {
        if text.is_empty() && role != Role::Id {
            let message = format!(
                "Invalid '{path}': empty string. Expected a string with minimum length 1, but got an empty string instead."
            );
            findings.add_with(dotted(&path), message, Some(&path), Some("empty_string"));
        }
    }
}

fn string_too_long(request: &Request<'_>, findings: &mut Findings) {
    let mut check = |path: &str, text: &str, limit: usize| {
        let length = text.chars().count();
        if length > limit {
            let message = format!(
                "Invalid '{path}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead."
            );
            findings.add_with(dotted(path), message, Some(path), Some("string_above_max_length"));
        }
    };
    for Formed { path, text, .. } in formed(request) {
        check(&path, text, 64);
    }
    check("prompt_cache_key", string(request.body, "prompt_cache_key"), 64);
    check("safety_identifier", string(request.body, "safety_identifier"), 128);
    let metadata = request.body.field("metadata").and_then(Value::as_object);
    for (key, value) in metadata.into_iter().flatten() {
        check(&format!("metadata.{key}"), value.as_str().unwrap_or_default(), 512);
    }
}

fn name_pattern(request: &Request<'_>, findings: &mut Findings) {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for Formed { path, text, role } in formed(request) {
        if role == Role::Name && !text.chars().all(fits) {
            let message = format!(
                "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            );
            findings.add_with(dotted(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

fn item_duplicate(request: &Request<'_>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for item in view::input(request.body) {
        let Some(id) = item.id() else { continue };
        if !seen.insert(id) {
            let message = format!(
                "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            );
            findings.add_with(item.path(), message, Some("input"), None);
        }
    }
}

/// Ids of outputs begin as those of their calls: `fco` begins with `fc`. The first of each prefix is
/// the kind that the model says.
const PREFIXES: &[(&str, &str)] = &[
    ("message", "msg"),
    ("reasoning", "rs"),
    ("function_call", "fc"),
    ("function_call_output", "fc"),
    ("custom_tool_call", "ctc"),
    ("custom_tool_call_output", "ctc"),
    ("web_search_call", "ws"),
    ("image_generation_call", "ig"),
    ("compaction", "cmp"),
    ("local_shell_call", "lsh"),
    ("tool_search_call", "tsc"),
    ("tool_search_output", "tso"),
    ("additional_tools", "at"),
    ("agent_message", "amsg"),
];
