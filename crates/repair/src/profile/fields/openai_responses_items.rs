//! The items that only the Responses API has, each with its fields.

use super::openai_responses::{BREAKPOINT, DETAIL, ID, PASSED};
use super::{Foreign, Side, foreign, opaque};
use crate::shape::Kind::{Any, Each, Flag, Object, One, Open, Opened, OrNull, Text, Words};
use crate::shape::{Key, Kind, key, need};

const TYPE: Key = need("type", Text);
const CALL: Key = need("call_id", Text);
pub(super) const WORD: Key = key("status", Text);
pub(super) const CALLER: Key = key("caller", Any);
pub(super) const FOREIGN: &[Foreign] = &[
    item(
        "additional_tools",
        &[TYPE, need("role", One(&["developer"])), need("tools", Each(&Object)), ID, PASSED],
    ),
    opaque("agent_message", Side::Anywhere),
    item(
        "apply_patch_call",
        &[TYPE, CALL, need("operation", Object), need("status", Text), ID, CALLER, PASSED],
    ),
    item(
        "apply_patch_call_output",
        &[
            TYPE,
            CALL,
            need("status", One(&["completed", "failed"])),
            ID,
            key("output", Text),
            CALLER,
            PASSED,
        ],
    ),
    item(
        "code_interpreter_call",
        &[
            TYPE,
            ID,
            key("code", Text),
            key("container_id", Text),
            key("outputs", Any),
            WORD,
            PASSED,
        ],
    ),
    item(
        "compaction",
        &[TYPE, need("encrypted_content", Text), ID, key("created_by", Any), PASSED],
    ),
    item("compaction_summary", &[TYPE, need("encrypted_content", Text), ID, PASSED]),
    item("compaction_trigger", &[TYPE, PASSED]),
    item(
        "computer_call",
        &[
            TYPE,
            CALL,
            ID,
            key("action", Any),
            key("actions", Any),
            key("pending_safety_checks", Any),
            WORD,
            PASSED,
        ],
    ),
    item(
        "computer_call_output",
        &[
            TYPE,
            CALL,
            need("output", Object),
            ID,
            key("acknowledged_safety_checks", Any),
            WORD,
            PASSED,
        ],
    ),
    item("configuration_update", &[TYPE, key("reasoning", Any), key("text", Any), PASSED]),
    item("file_search_call", &[TYPE, ID, key("queries", Any), WORD, key("results", Any), PASSED]),
    item(
        "image_generation_call",
        &[
            TYPE,
            ID,
            key("result", Any),
            WORD,
            key("revised_prompt", Any),
            key("background", Any),
            key("output_format", Any),
            key("quality", Any),
            key("size", Any),
            key("action", Any),
            PASSED,
        ],
    ),
    item("item_reference", &[TYPE, need("id", Text), PASSED]),
    item("local_shell_call", &[TYPE, CALL, need("action", Object), ID, WORD, PASSED]),
    item("local_shell_call_output", &[TYPE, need("output", Text), ID, SEARCH, WORD, PASSED]),
    item(
        "mcp_approval_request",
        &[
            TYPE,
            need("arguments", Text),
            need("name", Text),
            need("server_label", Text),
            ID,
            PASSED,
        ],
    ),
    item(
        "mcp_approval_response",
        &[
            TYPE,
            need("approval_request_id", Text),
            need("approve", Flag),
            ID,
            key("reason", Any),
            PASSED,
        ],
    ),
    item(
        "mcp_call",
        &[
            TYPE,
            need("arguments", Text),
            need("name", Text),
            need("server_label", Text),
            ID,
            key("approval_request_id", Any),
            key("error", Any),
            key("output", Any),
            WORD,
            PASSED,
        ],
    ),
    item(
        "mcp_list_tools",
        &[
            TYPE,
            need("server_label", Text),
            need("tools", OrNull(&Any)),
            ID,
            key("error", Any),
            PASSED,
        ],
    ),
    opaque("multi_agent_call", Side::Anywhere),
    opaque("multi_agent_call_output", Side::Anywhere),
    item("program", &[TYPE, CALL, need("code", Text), need("fingerprint", Text), ID, PASSED]),
    item("program_output", &[TYPE, CALL, ID, key("result", Any), WORD, PASSED]),
    item(
        "shell_call",
        &[TYPE, CALL, need("action", Object), ID, WORD, key("environment", Any), CALLER, PASSED],
    ),
    item(
        "shell_call_output",
        &[
            TYPE,
            CALL,
            need("output", OrNull(&Any)),
            ID,
            key("max_output_length", Any),
            WORD,
            CALLER,
            PASSED,
        ],
    ),
    item(
        "tool_search_call",
        &[TYPE, need("arguments", OrNull(&Opened)), SEARCH, ID, WORD, MADE, BY, PASSED],
    ),
    item(
        "tool_search_output",
        &[TYPE, need("tools", OrNull(&Any)), SEARCH, ID, WORD, MADE, BY, PASSED],
    ),
    item(
        "web_search_call",
        &[TYPE, ID, key("action", SEARCHED), WORD, key("results", Any), PASSED],
    ),
    opaque("message.scoped_content", Side::Client),
    opaque("message.encrypted_content", Side::Client),
    // These point to nothing, and are taken all the same.
    foreign(
        "message.input_image",
        Side::Client,
        &[TYPE, key("image_url", Text), key("file_id", Text), DETAIL, BREAKPOINT],
    ),
    foreign(
        "message.input_file",
        Side::Client,
        &[
            TYPE,
            key("file_data", Text),
            key("file_id", Text),
            key("file_url", Text),
            key("filename", Text),
            key("detail", Text),
            BREAKPOINT,
        ],
    ),
    foreign(
        "message.input_audio",
        Side::Client,
        &[TYPE, key("audio_url", Text), key("input_audio", Object), BREAKPOINT],
    ),
];
/// Items that came later.
const NEWER: &[&str] = &[
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
const SEARCH: Key = key("call_id", Words);
/// "Invalid value: 'other'. Supported values are: 'search', …"
const SEARCHED: Kind = Open(&[need("type", One(&["search", "open_page", "find_in_page"]))]);
const MADE: Key = key("execution", One(&["server", "client"]));
const BY: Key = key("created_by", Any);

/// All but the newer ones.
pub(super) const fn older() -> [Foreign; FOREIGN.len() - NEWER.len()] {
    let mut kept = [FOREIGN[0]; FOREIGN.len() - NEWER.len()];
    let (mut from, mut to) = (0, 0);
    while from < FOREIGN.len() {
        if !is_newer(FOREIGN[from].kind) {
            kept[to] = FOREIGN[from];
            to += 1;
        }
        from += 1;
    }
    kept
}

const fn is_newer(kind: &str) -> bool {
    let mut at = 0;
    while at < NEWER.len() {
        if is_same(kind.as_bytes(), NEWER[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn item(kind: &'static str, keys: &'static [Key]) -> Foreign {
    foreign(kind, Side::Anywhere, keys)
}
