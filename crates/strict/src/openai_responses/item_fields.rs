//! Shapes of messages, and the known types of items.

use serde_json::Value;

use super::parts::{check_assistant_content, check_input_content};
use super::shape::FieldType::{Any, Custom, Enum, Str};
use super::shape::{Field, ShapeValidator, optional, required};

pub(super) const INPUT_MESSAGE_FIELDS: &[Field] = &[
    optional("type", Any),
    required("role", Any),
    required("content", Custom(check_input_content)),
    optional("id", Str),
    optional("status", Custom(check_status)),
    PASSTHROUGH_METADATA_FIELD,
];
pub(super) const ASSISTANT_MESSAGE_FIELDS: &[Field] = &[
    optional("type", Any),
    required("role", Any),
    required("content", Custom(check_assistant_content)),
    optional("id", Str),
    optional("status", Custom(check_status)),
    optional("phase", Enum(&["commentary", "final_answer"], &[])),
    PASSTHROUGH_METADATA_FIELD,
];
/// `OpenAI`'s own clients set it on any item.
pub(super) const PASSTHROUGH_METADATA_FIELD: Field =
    optional("internal_chat_message_metadata_passthrough", Any);

pub(super) fn check_status(validator: &mut ShapeValidator, value: &Value) {
    validator.check_enum(value, &["in_progress", "completed", "incomplete"], &[]);
}

pub(super) const ROLES: &[&str] = &["assistant", "system", "developer", "user"];
/// The item types that error messages list; the API accepts a few more.
pub(super) const DOCUMENTED_ITEM_TYPES: &[&str] = &[
    "additional_tools",
    "agent_message",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "message",
    "multi_agent_call",
    "multi_agent_call_output",
    "program",
    "program_output",
    "reasoning",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];
