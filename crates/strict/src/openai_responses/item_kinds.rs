//! The keys of every kind of item but messages.

use serde_json::Value;

use super::item_fields::{PASSED, status};
use super::items::{output, summary, thoughts};
use super::shape::Kind::{Any, By, Flag, List, Map, One, Text};
use super::shape::{Field, Walk, What, may, need};
use super::tool_fields::tool;
use crate::rule::Fields as _;

/// A kind without keys is taken as it comes.
pub(super) const ITEMS: &[(&str, Option<&[Field]>)] = &[
    (
        "additional_tools",
        Some(&[
            need("type", Any),
            need("role", One(&["developer"], &[])),
            need("tools", List("tools", &By(tool))),
            may("id", Text),
            PASSED,
        ]),
    ),
    ("agent_message", None),
    (
        "apply_patch_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("operation", Map),
            need("status", Text),
            may("id", Text),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "apply_patch_call_output",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("status", One(&["completed", "failed"], &[])),
            may("id", Text),
            may("output", Text),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "code_interpreter_call",
        Some(&[
            need("type", Any),
            may("id", Text),
            may("code", Text),
            may("container_id", Text),
            may("outputs", Any),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "compaction",
        Some(&[
            need("type", Any),
            need("encrypted_content", Text),
            may("id", Text),
            may("created_by", Any),
            PASSED,
        ]),
    ),
    (
        "compaction_summary",
        Some(&[need("type", Any), need("encrypted_content", Text), may("id", Text), PASSED]),
    ),
    ("compaction_trigger", Some(&[need("type", Any), PASSED])),
    (
        "computer_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            may("id", Text),
            may("action", Any),
            may("actions", Any),
            may("pending_safety_checks", Any),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "computer_call_output",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("output", Map),
            may("id", Text),
            may("acknowledged_safety_checks", Any),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "configuration_update",
        Some(&[need("type", Any), may("reasoning", Any), may("text", Any), PASSED]),
    ),
    (
        "custom_tool_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("name", Text),
            need("input", Text),
            may("id", Text),
            may("namespace", Text),
            may("status", Text),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "custom_tool_call_output",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("output", By(output)),
            may("id", Text),
            may("name", Text),
            PASSED,
        ]),
    ),
    (
        "file_search_call",
        Some(&[
            need("type", Any),
            may("id", Text),
            may("queries", Any),
            may("status", Text),
            may("results", Any),
            PASSED,
        ]),
    ),
    (
        "function_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("name", Text),
            need("arguments", Text),
            may("id", Text),
            may("namespace", Text),
            may("status", By(status)),
            may("caller", Any),
            may("encrypted_function_args", Any),
            PASSED,
        ]),
    ),
    (
        "function_call_output",
        Some(&[
            need("type", Any),
            need("output", By(output)),
            may("call_id", Text),
            may("id", Text),
            may("name", Text),
            may("namespace", Text),
            may("status", By(status)),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "image_generation_call",
        Some(&[
            need("type", Any),
            may("id", Text),
            may("result", Any),
            may("status", Text),
            may("revised_prompt", Any),
            may("background", Any),
            may("output_format", Any),
            may("quality", Any),
            may("size", Any),
            may("action", Any),
            PASSED,
        ]),
    ),
    ("item_reference", Some(&[need("type", Any), need("id", Text), PASSED])),
    (
        "local_shell_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("action", Map),
            may("id", Text),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "local_shell_call_output",
        Some(&[
            need("type", Any),
            need("output", Text),
            may("id", Text),
            may("call_id", Text),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "mcp_approval_request",
        Some(&[
            need("type", Any),
            need("arguments", Text),
            need("name", Text),
            need("server_label", Text),
            may("id", Text),
            PASSED,
        ]),
    ),
    (
        "mcp_approval_response",
        Some(&[
            need("type", Any),
            need("approval_request_id", Text),
            need("approve", Flag),
            may("id", Text),
            may("reason", Any),
            PASSED,
        ]),
    ),
    (
        "mcp_call",
        Some(&[
            need("type", Any),
            need("arguments", Text),
            need("name", Text),
            need("server_label", Text),
            may("id", Text),
            may("approval_request_id", Any),
            may("error", Any),
            may("output", Any),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "mcp_list_tools",
        Some(&[
            need("type", Any),
            need("server_label", Text),
            need("tools", Any),
            may("id", Text),
            may("error", Any),
            PASSED,
        ]),
    ),
    ("multi_agent_call", None),
    ("multi_agent_call_output", None),
    (
        "program",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("code", Text),
            need("fingerprint", Text),
            may("id", Text),
            PASSED,
        ]),
    ),
    (
        "program_output",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            may("id", Text),
            may("result", Any),
            may("status", Text),
            PASSED,
        ]),
    ),
    (
        "reasoning",
        Some(&[
            need("type", Any),
            need("summary", By(summary)),
            may("id", Text),
            may("content", By(thoughts)),
            may("encrypted_content", Text),
            may("status", By(status)),
            PASSED,
        ]),
    ),
    (
        "shell_call",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("action", Map),
            may("id", Text),
            may("status", Text),
            may("environment", Any),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "shell_call_output",
        Some(&[
            need("type", Any),
            need("call_id", Text),
            need("output", Any),
            may("id", Text),
            may("max_output_length", Any),
            may("status", Text),
            may("caller", Any),
            PASSED,
        ]),
    ),
    (
        "tool_search_call",
        Some(&[
            need("type", Any),
            need("arguments", By(searched)),
            may("call_id", Text),
            may("execution", One(&["server", "client"], &[])),
            may("id", Text),
            may("status", Text),
            may("created_by", Any),
            PASSED,
        ]),
    ),
    (
        "tool_search_output",
        Some(&[
            need("type", Any),
            need("tools", Any),
            may("call_id", Text),
            may("execution", One(&["server", "client"], &[])),
            may("id", Text),
            may("status", Text),
            may("created_by", Any),
            PASSED,
        ]),
    ),
    (
        "web_search_call",
        Some(&[
            need("type", Any),
            may("id", Text),
            may("action", By(search)),
            may("status", Text),
            may("results", Any),
            PASSED,
        ]),
    ),
];

/// "Invalid type for 'input\[28\].arguments': expected an object, but got a string instead."
fn searched(walk: &mut Walk, value: &Value) {
    if !value.is_null() {
        walk.value(value, &Map);
    }
}

/// "Invalid value: 'other'. Supported values are: 'search', …"
fn search(walk: &mut Walk, value: &Value) {
    walk.expect(value.is_object(), "an object", value);
    walk.at("type", |walk| match value.field("type") {
        Some(kind) => walk.word(kind, &["search", "open_page", "find_in_page"], &[]),
        None if value.is_object() => walk.fault(What::Missing),
        None => {}
    });
}
