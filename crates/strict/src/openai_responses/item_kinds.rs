//! Shapes of all item types except messages.

use serde_json::Value;

use super::item_fields::{PASSTHROUGH_METADATA_FIELD, check_status};
use super::parts::{check_call_output, check_reasoning_content, check_summary};
use super::shape::FieldType::{Any, AnyObject, Array, Bool, Custom, Enum, Str};
use super::shape::{Field, ShapeErrorKind, ShapeValidator, optional, required};
use super::tool_fields::check_tool;
use crate::json::JsonExt as _;

/// The fields of each item type; `None` accepts any.
pub(super) const ITEM_FIELDS: &[(&str, Option<&[Field]>)] = &[
    (
        "additional_tools",
        Some(&[
            required("type", Any),
            required("role", Enum(&["developer"], &[])),
            required("tools", Array("tools", &Custom(check_tool))),
            optional("id", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    ("agent_message", None),
    (
        "apply_patch_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("operation", AnyObject),
            required("status", Str),
            optional("id", Str),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "apply_patch_call_output",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("status", Enum(&["completed", "failed"], &[])),
            optional("id", Str),
            optional("output", Str),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "code_interpreter_call",
        Some(&[
            required("type", Any),
            optional("id", Str),
            optional("code", Str),
            optional("container_id", Str),
            optional("outputs", Any),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "compaction",
        Some(&[
            required("type", Any),
            required("encrypted_content", Str),
            optional("id", Str),
            optional("created_by", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "compaction_summary",
        Some(&[
            required("type", Any),
            required("encrypted_content", Str),
            optional("id", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "compaction_trigger",
        Some(&[required("type", Any), optional("id", Str), PASSTHROUGH_METADATA_FIELD]),
    ),
    (
        "computer_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            optional("id", Str),
            optional("action", Any),
            optional("actions", Any),
            optional("pending_safety_checks", Any),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "computer_call_output",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("output", AnyObject),
            optional("id", Str),
            optional("acknowledged_safety_checks", Any),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "configuration_update",
        Some(&[
            required("type", Any),
            optional("id", Str),
            optional("reasoning", Any),
            optional("text", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "custom_tool_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("name", Str),
            required("input", Str),
            optional("id", Str),
            optional("namespace", Str),
            optional("status", Str),
            optional("caller", Any),
            optional("async", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "custom_tool_call_output",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("output", Custom(check_call_output)),
            optional("id", Str),
            optional("name", Str),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "file_search_call",
        Some(&[
            required("type", Any),
            optional("id", Str),
            optional("queries", Any),
            optional("status", Str),
            optional("results", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "function_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("name", Str),
            required("arguments", Str),
            optional("id", Str),
            optional("namespace", Str),
            optional("status", Custom(check_status)),
            optional("caller", Any),
            optional("encrypted_function_args", Any),
            optional("async", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "function_call_output",
        Some(&[
            required("type", Any),
            required("output", Custom(check_call_output)),
            optional("call_id", Str),
            optional("id", Str),
            optional("name", Str),
            optional("namespace", Str),
            optional("status", Custom(check_status)),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "image_generation_call",
        Some(&[
            required("type", Any),
            optional("id", Str),
            optional("result", Any),
            optional("status", Str),
            optional("revised_prompt", Any),
            optional("background", Any),
            optional("output_format", Any),
            optional("quality", Any),
            optional("size", Any),
            optional("action", Any),
            optional("error", Any),
            optional("svg_usage", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "item_reference",
        Some(&[required("type", Any), required("id", Str), PASSTHROUGH_METADATA_FIELD]),
    ),
    (
        "local_shell_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("action", AnyObject),
            optional("id", Str),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "local_shell_call_output",
        Some(&[
            required("type", Any),
            required("output", Str),
            optional("id", Str),
            optional("call_id", Str),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "mcp_approval_request",
        Some(&[
            required("type", Any),
            required("arguments", Str),
            required("name", Str),
            required("server_label", Str),
            optional("id", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "mcp_approval_response",
        Some(&[
            required("type", Any),
            required("approval_request_id", Str),
            required("approve", Bool),
            optional("id", Str),
            optional("reason", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "mcp_call",
        Some(&[
            required("type", Any),
            required("arguments", Str),
            required("name", Str),
            required("server_label", Str),
            optional("id", Str),
            optional("approval_request_id", Any),
            optional("error", Any),
            optional("output", Any),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "mcp_list_tools",
        Some(&[
            required("type", Any),
            required("server_label", Str),
            required("tools", Any),
            optional("id", Str),
            optional("error", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    ("multi_agent_call", None),
    ("multi_agent_call_output", None),
    (
        "program",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("code", Str),
            required("fingerprint", Str),
            optional("id", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "program_output",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            optional("id", Str),
            optional("result", Any),
            optional("status", Str),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "reasoning",
        Some(&[
            required("type", Any),
            required("summary", Custom(check_summary)),
            optional("id", Str),
            optional("content", Custom(check_reasoning_content)),
            optional("encrypted_content", Str),
            optional("status", Custom(check_status)),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "shell_call",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("action", AnyObject),
            optional("id", Str),
            optional("status", Str),
            optional("environment", Any),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "shell_call_output",
        Some(&[
            required("type", Any),
            required("call_id", Str),
            required("output", Any),
            optional("id", Str),
            optional("max_output_length", Any),
            optional("status", Str),
            optional("caller", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "tool_search_call",
        Some(&[
            required("type", Any),
            required("arguments", Custom(check_tool_search_arguments)),
            optional("call_id", Str),
            optional("execution", Enum(&["server", "client"], &[])),
            optional("id", Str),
            optional("status", Str),
            optional("created_by", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "tool_search_output",
        Some(&[
            required("type", Any),
            required("tools", Any),
            optional("call_id", Str),
            optional("execution", Enum(&["server", "client"], &[])),
            optional("id", Str),
            optional("status", Str),
            optional("created_by", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
    (
        "web_search_call",
        Some(&[
            required("type", Any),
            optional("id", Str),
            optional("action", Custom(check_web_search_action)),
            optional("status", Str),
            optional("results", Any),
            PASSTHROUGH_METADATA_FIELD,
        ]),
    ),
];

/// "Invalid type for 'input\[28\].arguments': expected an object, but got a string instead."
fn check_tool_search_arguments(validator: &mut ShapeValidator, value: &Value) {
    if !value.is_null() {
        validator.check_value(value, &AnyObject);
    }
}

/// "Invalid value: 'other'. Supported values are: 'search', …"
fn check_web_search_action(validator: &mut ShapeValidator, value: &Value) {
    validator.expect(value.is_object(), "an object", value);
    validator.at_key("type", |validator| match value.field("type") {
        Some(kind) => validator.check_enum(kind, &["search", "open_page", "find_in_page"], &[]),
        None if value.is_object() => validator.push_error(ShapeErrorKind::Missing),
        None => {}
    });
}
