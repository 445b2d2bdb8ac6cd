//! The fields of the Responses API: "Unknown parameter".

use interlingua_model::Role;

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
        (Part::Image, &[key("detail", Any), BREAKPOINT]),
        (Part::Document, &[key("detail", Text), BREAKPOINT]),
        (Part::Audio, &[key("audio_url", Text), BREAKPOINT]),
        (Part::Thinking, &[ID, STATUS, key("content", Any), PASSED]),
        (Part::Redacted, &[ID, STATUS, key("content", Any), PASSED]),
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
            &[
                ID,
                STATUS,
                key("name", Text),
                key("namespace", Text),
                key("caller", Any),
                // The mark of what answers a custom tool.
                key("custom output", Any),
                PASSED,
            ],
        ),
    ],
    foreign: Some(FOREIGN),
    plain_system: false,
    labels: LABELS,
    only_user_named: false,
    trusts: true,
};

const ID: Key = key("id", Text);
const STATUS: Key = key("status", One(&["in_progress", "completed", "incomplete"]));
const PASSED: Key = key("internal_chat_message_metadata_passthrough", Any);
const BREAKPOINT: Key = key("prompt_cache_breakpoint", Object);
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
    opaque("additional_tools", Side::Anywhere),
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
    opaque("scoped_content", Side::Anywhere),
    opaque("encrypted_content", Side::Anywhere),
    opaque("computer_screenshot", Side::Anywhere),
];
const SEARCH: Key = key("call_id", Text);
const MADE: Key = key("execution", One(&["server", "client"]));
const BY: Key = key("created_by", Any);

const fn item(kind: &'static str, keys: &'static [Key]) -> Foreign {
    foreign(kind, Side::Anywhere, keys)
}
