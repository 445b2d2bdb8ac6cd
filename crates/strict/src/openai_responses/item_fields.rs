//! The keys of messages and parts, and the kinds of items and parts.

use serde_json::Value;

use super::items::{assistant_content, content, image_url};
use super::shape::Kind::{Any, By, Map, One, Text};
use super::shape::{Field, Walk, may, need};

pub(super) const MESSAGE: &[Field] = &[
    may("type", Any),
    need("role", Any),
    need("content", By(content)),
    may("id", Text),
    may("status", By(status)),
    PASSED,
];
pub(super) const ASSISTANT: &[Field] = &[
    may("type", Any),
    need("role", Any),
    need("content", By(assistant_content)),
    may("id", Text),
    may("status", By(status)),
    may("phase", One(&["commentary", "final_answer"], &[])),
    PASSED,
];
/// Some of the inventor's clients say it of any item.
pub(super) const PASSED: Field = may("internal_chat_message_metadata_passthrough", Any);

pub(super) fn status(walk: &mut Walk, value: &Value) {
    walk.word(value, &["in_progress", "completed", "incomplete"], &[]);
}

/// The keys of each kind of part; a kind without keys is taken as it comes.
pub(super) const PARTS: &[(&str, Option<&[Field]>)] = &[
    (
        "input_text",
        Some(&[need("type", Any), need("text", Text), may("prompt_cache_breakpoint", Map)]),
    ),
    (
        "input_image",
        Some(&[
            need("type", Any),
            may("image_url", By(image_url)),
            may("file_id", Text),
            may("detail", One(&["low", "high", "auto", "original"], &[])),
            may("prompt_cache_breakpoint", Map),
        ]),
    ),
    (
        "input_file",
        Some(&[
            need("type", Any),
            may("file_data", Text),
            may("file_id", Text),
            may("file_url", Text),
            may("filename", Text),
            may("detail", Text),
            may("prompt_cache_breakpoint", Map),
        ]),
    ),
    (
        "input_audio",
        Some(&[
            need("type", Any),
            may("input_audio", Map),
            may("audio_url", Text),
            may("prompt_cache_breakpoint", Map),
        ]),
    ),
    (
        "output_text",
        Some(&[
            need("type", Any),
            need("text", Text),
            may("annotations", Any),
            may("logprobs", Any),
        ]),
    ),
    ("refusal", Some(&[need("type", Any), need("refusal", Text)])),
    ("summary_text", Some(&[need("type", Any), need("text", Text)])),
    ("reasoning_text", Some(&[need("type", Any), need("text", Text)])),
    ("computer_screenshot", None),
    ("scoped_content", None),
    ("encrypted_content", None),
];

pub(super) const ROLES: &[&str] = &["assistant", "system", "developer", "user"];
/// What goes into a message of the client, and into the output of a call.
pub(super) const INPUT_PARTS: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content", "input_audio"];
pub(super) const OUTPUT_PARTS: &[&str] =
    &["input_text", "input_image", "input_file", "scoped_content"];
/// The kinds of parts and items of which the provider speaks; it takes some more.
pub(super) const PART_KINDS: &[&str] = &[
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
pub(super) const KINDS: &[&str] = &[
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
