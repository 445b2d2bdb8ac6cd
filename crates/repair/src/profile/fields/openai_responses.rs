//! The fields of the Responses API: "Unknown parameter".

use interlingua_model::Role;
use interlingua_wire::Node;

use super::openai_responses_items::{CALLER, FOREIGN, WORD, older};
use super::{Fields, LABELS, Part, Side, opaque};
use crate::shape::Kind::{Any, Each, Flag, Object, One, Shape, Text, Whole};
use crate::shape::{Key, key};

pub(super) const FIELDS: Fields = Fields {
    either_case: false,
    open: false,
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
        (Part::Thinking, THOUGHT),
        (Part::Redacted, THOUGHT),
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

/// "Unsupported parameter: temperature", whatever it is. What the settings hold of these goes by rules of
/// its own.
pub(super) const CODEX: Fields = Fields {
    absent: &[
        "max_output_tokens",
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "top_logprobs",
        "metadata",
        "user",
        "safety_identifier",
        "background",
        "truncation",
        "max_tool_calls",
        "previous_response_id",
        "prompt_cache_options",
        "prompt_cache_retention",
        "context_management",
    ],
    ..FIELDS
};
/// Relays know the older items only: "Invalid input".
pub(super) const RELAY: Fields = Fields { foreign: Some(&older()), ..FIELDS };

pub(super) const ID: Key = key("id", Text);
const THOUGHT: &[Key] =
    &[ID, STATUS, key("summary", Any), key("content", Any), key("encrypted_content", Text), PASSED];
const STATUS: Key = key("status", One(&["in_progress", "completed", "incomplete"]));
pub(super) const PASSED: Key = key("internal_chat_message_metadata_passthrough", Any);
pub(super) const BREAKPOINT: Key = key("prompt_cache_breakpoint", Object);
const IMAGE: &[Key] = &[key("image_url", Text), key("file_id", Text), DETAIL, BREAKPOINT];
pub(super) const DETAIL: Key = key("detail", One(&["low", "high", "auto", "original"]));
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
