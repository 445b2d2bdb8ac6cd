//! Foreign items of the Responses API with their fields.

use super::{closed_kind, opaque_kind};
use crate::profile::fields::{BlockPlacement, ForeignKind};
use crate::shape::Shape::{
    self, Any, AnyObject, Bool, ListOf, NonEmptyText, Nullable, ObjectOrJsonText, OneOf, Open, Text,
};
use crate::shape::{FieldSpec, optional, required};

const TYPE: FieldSpec = required("type", Text);
const CALL: FieldSpec = required("call_id", Text);
pub(super) const ANY_STATUS: FieldSpec = optional("status", Text);
pub(super) const CALLER: FieldSpec = optional("caller", Any);
pub(super) const FOREIGN_KINDS: &[ForeignKind] = &[
    item(
        "additional_tools",
        &[
            TYPE,
            required("role", OneOf(&["developer"])),
            required("tools", ListOf(&AnyObject)),
            ID,
            METADATA_PASSTHROUGH,
        ],
    ),
    opaque_kind("agent_message", BlockPlacement::Anywhere),
    item(
        "apply_patch_call",
        &[
            TYPE,
            CALL,
            required("operation", AnyObject),
            required("status", Text),
            ID,
            CALLER,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "apply_patch_call_output",
        &[
            TYPE,
            CALL,
            required("status", OneOf(&["completed", "failed"])),
            ID,
            optional("output", Text),
            CALLER,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "code_interpreter_call",
        &[
            TYPE,
            ID,
            optional("code", Text),
            optional("container_id", Text),
            optional("outputs", Any),
            ANY_STATUS,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "compaction",
        &[
            TYPE,
            required("encrypted_content", Text),
            ID,
            optional("created_by", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "compaction_summary",
        &[TYPE, required("encrypted_content", Text), ID, METADATA_PASSTHROUGH],
    ),
    item("compaction_trigger", &[TYPE, METADATA_PASSTHROUGH]),
    item(
        "computer_call",
        &[
            TYPE,
            CALL,
            ID,
            optional("action", Any),
            optional("actions", Any),
            optional("pending_safety_checks", Any),
            ANY_STATUS,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "computer_call_output",
        &[
            TYPE,
            CALL,
            required("output", AnyObject),
            ID,
            optional("acknowledged_safety_checks", Any),
            ANY_STATUS,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "configuration_update",
        &[TYPE, optional("reasoning", Any), optional("text", Any), METADATA_PASSTHROUGH],
    ),
    item(
        "file_search_call",
        &[
            TYPE,
            ID,
            optional("queries", Any),
            ANY_STATUS,
            optional("results", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "image_generation_call",
        &[
            TYPE,
            ID,
            optional("result", Any),
            ANY_STATUS,
            optional("revised_prompt", Any),
            optional("background", Any),
            optional("output_format", Any),
            optional("quality", Any),
            optional("size", Any),
            optional("action", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    item("item_reference", &[TYPE, required("id", Text), METADATA_PASSTHROUGH]),
    item(
        "local_shell_call",
        &[TYPE, CALL, required("action", AnyObject), ID, ANY_STATUS, METADATA_PASSTHROUGH],
    ),
    item(
        "local_shell_call_output",
        &[TYPE, required("output", Text), ID, NON_EMPTY_CALL_ID, ANY_STATUS, METADATA_PASSTHROUGH],
    ),
    item(
        "mcp_approval_request",
        &[
            TYPE,
            required("arguments", Text),
            required("name", Text),
            required("server_label", Text),
            ID,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "mcp_approval_response",
        &[
            TYPE,
            required("approval_request_id", Text),
            required("approve", Bool),
            ID,
            optional("reason", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "mcp_call",
        &[
            TYPE,
            required("arguments", Text),
            required("name", Text),
            required("server_label", Text),
            ID,
            optional("approval_request_id", Any),
            optional("error", Any),
            optional("output", Any),
            ANY_STATUS,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "mcp_list_tools",
        &[
            TYPE,
            required("server_label", Text),
            required("tools", Nullable(&Any)),
            ID,
            optional("error", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    opaque_kind("multi_agent_call", BlockPlacement::Anywhere),
    opaque_kind("multi_agent_call_output", BlockPlacement::Anywhere),
    item(
        "program",
        &[
            TYPE,
            CALL,
            required("code", Text),
            required("fingerprint", Text),
            ID,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "program_output",
        &[TYPE, CALL, ID, optional("result", Any), ANY_STATUS, METADATA_PASSTHROUGH],
    ),
    item(
        "shell_call",
        &[
            TYPE,
            CALL,
            required("action", AnyObject),
            ID,
            ANY_STATUS,
            optional("environment", Any),
            CALLER,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "shell_call_output",
        &[
            TYPE,
            CALL,
            required("output", Nullable(&Any)),
            ID,
            optional("max_output_length", Any),
            ANY_STATUS,
            CALLER,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "tool_search_call",
        &[
            TYPE,
            required("arguments", Nullable(&ObjectOrJsonText)),
            NON_EMPTY_CALL_ID,
            ID,
            ANY_STATUS,
            EXECUTION,
            CREATED_BY,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "tool_search_output",
        &[
            TYPE,
            required("tools", Nullable(&Any)),
            NON_EMPTY_CALL_ID,
            ID,
            ANY_STATUS,
            EXECUTION,
            CREATED_BY,
            METADATA_PASSTHROUGH,
        ],
    ),
    item(
        "web_search_call",
        &[
            TYPE,
            ID,
            optional("action", SEARCH_ACTION),
            ANY_STATUS,
            optional("results", Any),
            METADATA_PASSTHROUGH,
        ],
    ),
    opaque_kind("message.scoped_content", BlockPlacement::NotAssistant),
    opaque_kind("message.encrypted_content", BlockPlacement::NotAssistant),
    // These have no content and are accepted nevertheless.
    closed_kind(
        "message.input_image",
        BlockPlacement::NotAssistant,
        &[TYPE, optional("image_url", Text), optional("file_id", Text), DETAIL, BREAKPOINT],
    ),
    closed_kind(
        "message.input_file",
        BlockPlacement::NotAssistant,
        &[
            TYPE,
            optional("file_data", Text),
            optional("file_id", Text),
            optional("file_url", Text),
            optional("filename", Text),
            optional("detail", Text),
            BREAKPOINT,
        ],
    ),
    closed_kind(
        "message.input_audio",
        BlockPlacement::NotAssistant,
        &[TYPE, optional("audio_url", Text), optional("input_audio", AnyObject), BREAKPOINT],
    ),
];
/// Items of newer versions of the API.
const NEWER_KINDS: &[&str] = &[
    "additional_tools",
    "agent_message",
    "apply_patch_call",
    "apply_patch_call_output",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "configuration_update",
    "multi_agent_call",
    "multi_agent_call_output",
    "program",
    "program_output",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
];
/// May be absent, but not empty.
const NON_EMPTY_CALL_ID: FieldSpec = optional("call_id", NonEmptyText);
/// "Invalid value: 'other'. Supported values are: 'search', …"
const SEARCH_ACTION: Shape =
    Open(&[required("type", OneOf(&["search", "open_page", "find_in_page"]))]);
const EXECUTION: FieldSpec = optional("execution", OneOf(&["server", "client"]));
const CREATED_BY: FieldSpec = optional("created_by", Any);

/// All kinds except the newer ones.
pub(super) const fn older_kinds() -> [ForeignKind; FOREIGN_KINDS.len() - NEWER_KINDS.len()] {
    let mut kinds = [FOREIGN_KINDS[0]; FOREIGN_KINDS.len() - NEWER_KINDS.len()];
    let (mut from, mut to) = (0, 0);
    while from < FOREIGN_KINDS.len() {
        if !is_newer_kind(FOREIGN_KINDS[from].kind) {
            kinds[to] = FOREIGN_KINDS[from];
            to += 1;
        }
        from += 1;
    }
    kinds
}

const fn is_newer_kind(kind: &str) -> bool {
    let mut at = 0;
    while at < NEWER_KINDS.len() {
        if is_equal(kind.as_bytes(), NEWER_KINDS[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn item(kind: &'static str, keys: &'static [FieldSpec]) -> ForeignKind {
    closed_kind(kind, BlockPlacement::Anywhere, keys)
}

pub(crate) const ID: FieldSpec = optional("id", Text);

pub(crate) const METADATA_PASSTHROUGH: FieldSpec =
    optional("internal_chat_message_metadata_passthrough", Any);

pub(crate) const BREAKPOINT: FieldSpec = optional("prompt_cache_breakpoint", AnyObject);

pub(crate) const DETAIL: FieldSpec =
    optional("detail", OneOf(&["low", "high", "auto", "original"]));
