//! Shapes of messages and content parts, and the known types of items and parts.

use serde_json::Value;

use super::items::{check_assistant_content, check_image_url, check_input_content};
use super::shape::FieldType::{Any, AnyObject, Custom, Enum, Str};
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

/// The fields of each part type; `None` accepts any.
pub(super) const PART_FIELDS: &[(&str, Option<&[Field]>)] = &[
    (
        "input_text",
        Some(&[
            required("type", Any),
            required("text", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_image",
        Some(&[
            required("type", Any),
            optional("image_url", Custom(check_image_url)),
            optional("file_id", Str),
            optional("detail", Enum(&["low", "high", "auto", "original"], &[])),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_file",
        Some(&[
            required("type", Any),
            optional("file_data", Str),
            optional("file_id", Str),
            optional("file_url", Str),
            optional("filename", Str),
            optional("detail", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "input_audio",
        Some(&[
            required("type", Any),
            optional("input_audio", AnyObject),
            optional("audio_url", Str),
            optional("prompt_cache_breakpoint", AnyObject),
        ]),
    ),
    (
        "output_text",
        Some(&[
            required("type", Any),
            required("text", Str),
            optional("annotations", Any),
            optional("logprobs", Any),
        ]),
    ),
    ("refusal", Some(&[required("type", Any), required("refusal", Str)])),
    ("summary_text", Some(&[required("type", Any), required("text", Str)])),
    ("reasoning_text", Some(&[required("type", Any), required("text", Str)])),
    ("computer_screenshot", None),
    ("scoped_content", None),
    ("encrypted_content", None),
];

pub(super) const ROLES: &[&str] = &["assistant", "system", "developer", "user"];
/// Part types of the client's messages and of call outputs.
pub(super) const INPUT_PART_TYPES: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content", "input_audio"];
pub(super) const OUTPUT_PART_TYPES: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content"];
/// The part and item types that error messages list; the API accepts a few more.
pub(super) const DOCUMENTED_PART_TYPES: &[&str] = &[
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
];
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
