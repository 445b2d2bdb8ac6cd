//! Rules about ids, names and other strings with a format.

use std::collections::BTreeSet;

use serde_json::Value;

use super::view::{self, Item, dotted_path};
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Request};

/// The id prefix of an item type; `None` if it is not known.
pub(super) fn id_prefix_of(kind: &str) -> Option<&'static str> {
    ID_PREFIXES.iter().find(|(item_type, _)| *item_type == kind).map(|(_, prefix)| *prefix)
}

/// The item type that an id belongs to, by its prefix.
pub(super) fn item_type_of_id(id: &str) -> &'static str {
    let id_prefix = id.split('_').next().unwrap_or_default();
    let row = ID_PREFIXES.iter().find(|(_, prefix)| *prefix == id_prefix);
    row.map_or("message", |(kind, _)| kind)
}

pub(super) fn id_prefix(request: &Request<'_>, cx: &mut CheckContext) {
    for item in view::input(request.body) {
        let (Some(id), Some(prefix)) = (item.id(), id_prefix_of(item.item_type())) else {
            continue;
        };
        if !id.starts_with(prefix) {
            let path = format!("input[{}].id", item.index);
            let message =
                format!("Invalid '{path}': '{id}'. Expected an ID that begins with '{prefix}'.");
            cx.reject_with(dotted_path(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

/// An id or name with its path.
struct IdOrName<'v> {
    path: String,
    text: &'v str,
    kind: IdentifierKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IdentifierKind {
    Id,
    CallId,
    Name,
}

/// Ids, call ids and names of items, then names of tools and of the text format.
fn ids_and_names<'v>(request: &Request<'v>) -> Vec<IdOrName<'v>> {
    let mut identifiers = Vec::new();
    let mut add = |value: &'v Value, path: String, identifier_kind| {
        identifiers.extend(value.as_str().map(|text| IdOrName {
            path,
            text,
            kind: identifier_kind,
        }));
    };
    for Item { index: at, value } in view::input(request.body) {
        for (key, identifier_kind) in
            [("id", IdentifierKind::Id), ("call_id", IdentifierKind::CallId)]
        {
            if let Some(value) = value.field(key) {
                add(value, format!("input[{at}].{key}"), identifier_kind);
            }
        }
        let is_call = ["function_call", "custom_tool_call"].contains(&str_field(value, "type"));
        if let Some(value) = value.field("name").filter(|_| is_call) {
            add(value, format!("input[{at}].name"), IdentifierKind::Name);
        }
    }
    for (path, tool) in view::all_tools(request.body) {
        let is_named = ["function", "custom", "namespace"].contains(&str_field(tool, "type"));
        if let Some(value) = tool.field("name").filter(|_| is_named) {
            add(value, format!("{path}.name"), IdentifierKind::Name);
        }
    }
    let format = request.body.pointer("/text/format");
    if let Some(value) = format.and_then(|format| format.field("name")) {
        add(value, "text.format.name".to_owned(), IdentifierKind::Name);
    }
    identifiers
}

pub(super) fn string_empty(request: &Request<'_>, cx: &mut CheckContext) {
    for IdOrName { path, text, kind: identifier_kind } in ids_and_names(request) {
        if text.is_empty() && identifier_kind != IdentifierKind::Id {
            let message = format!(
                "Invalid '{path}': empty string. Expected a string with minimum length 1, but got an empty string instead."
            );
            cx.reject_with(dotted_path(&path), message, Some(&path), Some("empty_string"));
        }
    }
}

pub(super) fn string_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let mut check = |path: &str, text: &str, limit: usize| {
        let length = text.chars().count();
        if length > limit {
            let message = format!(
                "Invalid '{path}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead."
            );
            cx.reject_with(dotted_path(path), message, Some(path), Some("string_above_max_length"));
        }
    };
    for IdOrName { path, text, .. } in ids_and_names(request) {
        check(&path, text, 64);
    }
    check("prompt_cache_key", str_field(request.body, "prompt_cache_key"), 64);
    check("safety_identifier", str_field(request.body, "safety_identifier"), 128);
    let metadata = request.body.field("metadata").and_then(Value::as_object);
    for (key, value) in metadata.into_iter().flatten() {
        check(&format!("metadata.{key}"), value.as_str().unwrap_or_default(), 512);
    }
}

pub(super) fn name_pattern(request: &Request<'_>, cx: &mut CheckContext) {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for IdOrName { path, text, kind: identifier_kind } in ids_and_names(request) {
        if identifier_kind == IdentifierKind::Name && !text.chars().all(is_allowed) {
            let message = format!(
                "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            );
            cx.reject_with(dotted_path(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

pub(super) fn item_duplicate(request: &Request<'_>, cx: &mut CheckContext) {
    let mut seen = BTreeSet::new();
    for item in view::input(request.body) {
        let Some(id) = item.id() else { continue };
        if !seen.insert(id) {
            let message = format!(
                "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            );
            cx.reject_with(item.path(), message, Some("input"), None);
        }
    }
}

/// Ids of outputs begin like those of their calls: `fco` begins with `fc`. The first row of each
/// prefix is the model's item type.
const ID_PREFIXES: &[(&str, &str)] = &[
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
