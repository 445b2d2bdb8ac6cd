//! The fields of the Responses API: "Unknown parameter".

use interlingua_model::Role;
use interlingua_wire::Node;

use super::{Fields, Foreign, LABELS, Part, Side, foreign, opaque};
use crate::shape::Kind::{Any, Each, Flag, Object, One, Shape, Text, Whole};
use crate::shape::{Key, key, need};

pub(super) const FIELDS: Fields = Fields {
    either_case: false,
    body: Some(BODY),
    turns: &[
        (Role::System, MESSAGE),
        (Role::Developer, MESSAGE),
        (Role::User, MESSAGE),
        (
            Role::Assistant,
            &[
                key("type", Any),
                ID,
                STATUS,
                key("phase", One(&["commentary", "final_answer"])),
                PASSED,
            ],
        ),
    ],
    blocks: &[
        (Part::Text, &[key("annotations", Any), key("logprobs", Any), BREAKPOINT]),
        (Part::Refusal, &[]),
        (Part::Image, IMAGE),
        (Part::Document, FILE),
        (Part::Audio, AUDIO),
        (Part::Thinking, &[ID, STATUS, key("summary", Any), key("content", Any), PASSED]),
        (Part::Redacted, &[ID, STATUS, key("summary", Any), key("content", Any), PASSED]),
        (
            Part::Call,
            &[
                ID,
                STATUS,
                key("namespace", Text),
                key("caller", Any),
                key("encrypted_function_args", Any),
                PASSED,
            ],
        ),
        (
            Part::Result,
            &[ID, STATUS, key("name", Text), key("namespace", Text), key("caller", Any), PASSED],
        ),
    ],
    freeform: &[
        (Part::Call, &[ID, WORD, key("namespace", Text), CALLER, PASSED]),
        (Part::Result, &[ID, PASSED]),
    ],
    foreign: Some(FOREIGN),
    plain_system: false,
    part: "message.",
    takes: None,
    absent: &[],
    last_only: &["compaction_trigger"],
    labels: LABELS,
    only_user_named: false,
    trusts: true,
    own_blocks_only: false,
};
/// Reads what it knows and looks at nothing else; of items it knows the oldest only.
pub(super) const LLAMA: Fields = Fields {
    body: None,
    turns: &[],
    blocks: &[],
    freeform: &[],
    foreign: Some(&[
        opaque("message.*", Side::Assistant),
        opaque("message.input_text", Side::Client),
        opaque("message.input_image", Side::User),
        opaque("message.input_image", Side::Instructions),
    ]),
    last_only: &[],
    takes: Some(llama_takes),
    ..FIELDS
};

/// What it asks of an item: "Cannot determine type of 'item'".
fn llama_takes(item: Node<'_>) -> bool {
    let word = |key: &str| item.get(key).map(Node::word).unwrap_or_default();
    let text = |key: &str| item.get(key).is_some_and(Node::is_string);
    let list = |key: &str| item.get(key).is_some_and(Node::is_array);
    let holds = |key: &str, kinds: &[&str]| {
        let mut parts = item.get(key).into_iter().flat_map(Node::items);
        parts.all(|part| part.get("type").is_some_and(|kind| kinds.contains(&&*kind.word())))
    };
    match (&*word("role"), &*word("type")) {
        ("user" | "system" | "developer", _) if text("content") || list("content") => {
            holds("content", &["input_text", "input_image"])
        }
        ("assistant", _) if text("content") => true,
        ("assistant", "message") if list("content") => true,
        (_, "function_call") => text("arguments") && text("call_id") && text("name"),
        (_, "function_call_output") => {
            text("call_id")
                && (text("output") || list("output") && holds("output", &["input_text"]))
        }
        (_, "reasoning") => {
            list("summary")
                && item.get("content").is_some_and(|list| list.is_array() && !list.is_empty())
        }
        _ => false,
    }
}

/// "Unsupported parameter: temperature", whatever it is.
pub(super) const CODEX: Fields =
    Fields { absent: &["max_output_tokens", "temperature", "top_p"], ..FIELDS };
/// Relays know the older items only: "Invalid input".
pub(super) const RELAY: Fields = Fields { foreign: Some(&older()), ..FIELDS };

const ID: Key = key("id", Text);
const STATUS: Key = key("status", One(&["in_progress", "completed", "incomplete"]));
const PASSED: Key = key("internal_chat_message_metadata_passthrough", Any);
const BREAKPOINT: Key = key("prompt_cache_breakpoint", Object);
const IMAGE: &[Key] = &[key("image_url", Text), key("file_id", Text), DETAIL, BREAKPOINT];
const DETAIL: Key = key("detail", One(&["low", "high", "auto", "original"]));
const FILE: &[Key] = &[
    key("file_data", Text),
    key("file_id", Text),
    key("file_url", Text),
    key("filename", Text),
    key("detail", Text),
    BREAKPOINT,
];
const AUDIO: &[Key] = &[key("audio_url", Text), key("input_audio", Object), BREAKPOINT];
const MESSAGE: &[Key] = &[key("type", Any), ID, STATUS, PASSED];

const BODY: &[Key] = &[
    key("model", Any),
    key("input", Any),
    key("instructions", Any),
    key("tools", Any),
    key("moderation", Object),
    key("previous_response_id", Text),
    key("prompt", Object),
    key("include", Each(&One(INCLUDES))),
    key("metadata", Any),
    key("text", Shape(&[key("format", Any), key("verbosity", Any)])),
    key("temperature", Any),
    key("top_p", Any),
    key("presence_penalty", Any),
    key("frequency_penalty", Any),
    key("parallel_tool_calls", Any),
    key("stream", Any),
    key(
        "stream_options",
        Shape(&[key("include_obfuscation", Flag), key("reasoning_summary_delivery", Text)]),
    ),
    key("background", Flag),
    key("max_output_tokens", Any),
    key("max_tool_calls", Whole),
    key(
        "reasoning",
        Shape(&[
            key("effort", Any),
            key("summary", Any),
            key("context", One(&["auto", "current_turn", "all_turns"])),
            key("mode", Text),
            key("generate_summary", One(&["concise", "detailed", "auto"])),
        ]),
    ),
    key("user", Any),
    key("safety_identifier", Text),
    key(
        "prompt_cache_options",
        Shape(&[
            key("mode", One(&["implicit", "explicit"])),
            key("ttl", Text),
            key("prewarm", Any),
            key("comparison_response_id", Text),
        ]),
    ),
    key("prompt_cache_key", Any),
    key("prompt_cache_retention", One(&["in_memory", "24h"])),
    key("truncation", One(&["auto", "disabled"])),
    key("store", Any),
    key("service_tier", Any),
    key("top_logprobs", Whole),
    key("context_management", Each(&Object)),
    key("conversation", Any),
    key("tool_choice", Any),
    key("client_metadata", Object),
    key("access_programs", Any),
    key("image", Object),
];

const INCLUDES: &[&str] = &[
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
];

const TYPE: Key = need("type", Text);
const CALL: Key = need("call_id", Text);
const WORD: Key = key("status", Text);
const CALLER: Key = key("caller", Any);
const FOREIGN: &[Foreign] = &[
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
    item(
        "local_shell_call_output",
        &[TYPE, need("output", Text), ID, key("call_id", Text), WORD, PASSED],
    ),
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
        &[TYPE, need("server_label", Text), need("tools", Any), ID, key("error", Any), PASSED],
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
        &[TYPE, CALL, need("output", Any), ID, key("max_output_length", Any), WORD, CALLER, PASSED],
    ),
    item("tool_search_call", &[TYPE, need("arguments", Any), SEARCH, ID, WORD, MADE, BY, PASSED]),
    item("tool_search_output", &[TYPE, need("tools", Any), SEARCH, ID, WORD, MADE, BY, PASSED]),
    item("web_search_call", &[TYPE, ID, key("action", Any), WORD, key("results", Any), PASSED]),
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
const SEARCH: Key = key("call_id", Text);
const MADE: Key = key("execution", One(&["server", "client"]));
const BY: Key = key("created_by", Any);

/// All but the newer ones.
const fn older() -> [Foreign; FOREIGN.len() - NEWER.len()] {
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
