//! The shapes of tools and of the choice among them.

use serde_json::Value;

use super::shape::Kind::{Any, By, Flag, List, Map, Text};
use super::shape::{Field, Walk, What, may, need};
use crate::rule::{Fields as _, string};

const FUNCTION: &[Field] = &[
    need("type", Any),
    need("name", Text),
    may("description", Text),
    may("parameters", Map),
    may("strict", Flag),
    may("defer_loading", Flag),
    may("allowed_callers", Any),
    may("output_schema", Any),
];
const CUSTOM: &[Field] = &[
    need("type", Any),
    need("name", Text),
    may("description", Text),
    may("format", By(format)),
    may("defer_loading", Flag),
    may("allowed_callers", Any),
];
const NAMESPACE: &[Field] = &[
    need("type", Any),
    need("name", Text),
    may("description", Text),
    need("tools", List("tools", &By(tool))),
];
const TEXT_FORMAT: &[Field] = &[need("type", Any)];
const GRAMMAR: &[Field] =
    &[need("type", Any), need("syntax", By(syntax)), need("definition", Text)];

/// A tool. The server's own tools are taken with whatever they say.
pub(super) fn tool(walk: &mut Walk, value: &Value) {
    if !value.is_object() {
        return walk.expect(false, "an object", value);
    }
    let Some(kind) = value.field("type") else {
        return walk.at("type", |walk| walk.fault(What::Missing));
    };
    match kind.as_str() {
        Some("function") => walk.object(value, FUNCTION),
        Some("custom") => walk.object(value, CUSTOM),
        Some("namespace") => walk.object(value, NAMESPACE),
        Some("mcp") if value.field("server_label").is_none() => {
            walk.at("server_label", |walk| walk.fault(What::Missing));
        }
        _ => walk.at("type", |walk| walk.word(kind, TOOLS, ALSO_TOOLS)),
    }
}

fn format(walk: &mut Walk, value: &Value) {
    match string(value, "type") {
        "text" => walk.object(value, TEXT_FORMAT),
        "grammar" => walk.object(value, GRAMMAR),
        _ => match value.field("type") {
            Some(kind) => walk.at("type", |walk| walk.word(kind, &["text", "grammar"], &[])),
            None => walk.at("type", |walk| walk.fault(What::Missing)),
        },
    }
}

fn syntax(walk: &mut Walk, value: &Value) {
    walk.word(value, &["lark", "regex"], &[]);
}

/// Names stand in the choice itself, not in an object of their own as in the older API.
pub(super) fn choice(walk: &mut Walk, value: &Value) {
    match value {
        Value::String(_) => walk.word(value, &["none", "auto", "required"], &[]),
        Value::Object(_) => {
            let needed: &[&str] = match string(value, "type") {
                "function" | "custom" => &["name"],
                "mcp" => &["server_label"],
                "allowed_tools" => &["mode", "tools"],
                _ => &["type"],
            };
            for key in needed.iter().filter(|key| value.get(**key).is_none()) {
                walk.at(key, |walk| walk.fault(What::Missing));
            }
        }
        other => {
            let expected = "one of an object or 'none', 'auto', or 'required'";
            walk.expect(false, expected, other);
        }
    }
}

/// The kinds of tools, and those that go by several names.
pub(super) const TOOLS: &[&str] = &[
    "function",
    "custom",
    "namespace",
    "mcp",
    "web_search",
    "file_search",
    "code_interpreter",
    "image_generation",
    "computer",
    "local_shell",
    "shell",
    "apply_patch",
    "tool_search",
    "programmatic_tool_calling",
];
const ALSO_TOOLS: &[&str] = &[
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "computer_use_preview",
];
