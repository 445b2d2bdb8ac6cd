//! Fields of the Responses API, which rejects others: "Unknown parameter".

use interlingua_model::Role;

use super::openai_responses_items::{
    ANY_STATUS, BREAKPOINT, CALLER, DETAIL, FOREIGN_KINDS, ID, METADATA_PASSTHROUGH, older_kinds,
};
use super::{BILLING_PREFIXES, opaque_kind};
use crate::profile::fields::{BlockKind, BlockPlacement, FieldProfile, llama_cpp_accepts_item};
use crate::shape::Shape::{Any, AnyObject, Bool, Closed, Integer, ListOf, OneOf, Text};
use crate::shape::{FieldSpec, optional};

pub(crate) const FIELDS: FieldProfile = FieldProfile {
    proto_json: false,
    ignores_unknown: false,
    body_fields: Some(BODY),
    turn_fields: &[
        (Role::System, MESSAGE),
        (Role::Developer, MESSAGE),
        (Role::User, MESSAGE),
        (
            Role::Assistant,
            &[
                optional("type", Any),
                ID,
                STATUS,
                optional("phase", OneOf(&["commentary", "final_answer"])),
                METADATA_PASSTHROUGH,
            ],
        ),
    ],
    block_fields: &[
        (BlockKind::Text, &[optional("annotations", Any), optional("logprobs", Any), BREAKPOINT]),
        (BlockKind::Refusal, &[]),
        (BlockKind::Image, IMAGE),
        (BlockKind::Document, FILE),
        (BlockKind::Audio, AUDIO),
        (BlockKind::Reasoning, REASONING_FIELDS),
        (BlockKind::RedactedReasoning, REASONING_FIELDS),
        (
            BlockKind::Call,
            &[
                ID,
                STATUS,
                optional("namespace", Text),
                optional("caller", Any),
                optional("encrypted_function_args", Any),
                METADATA_PASSTHROUGH,
            ],
        ),
        (
            BlockKind::Result,
            &[
                ID,
                STATUS,
                optional("name", Text),
                optional("namespace", Text),
                optional("caller", Any),
                METADATA_PASSTHROUGH,
            ],
        ),
    ],
    freeform_fields: &[
        (
            BlockKind::Call,
            &[ID, ANY_STATUS, optional("namespace", Text), CALLER, METADATA_PASSTHROUGH],
        ),
        (BlockKind::Result, &[ID, METADATA_PASSTHROUGH]),
    ],
    foreign_kinds: Some(FOREIGN_KINDS),
    text_only_system: false,
    part_prefix: "message.",
    accepts_item: None,
    forbidden_body_fields: &[],
    last_turn_kinds: &["compaction_trigger"],
    billing_prefixes: BILLING_PREFIXES,
    name_only_on_user: false,
    can_pass_unknown: true,
    drops_foreign_dialects: false,
};
/// Ignores unknown fields; supports the oldest items only.
pub(crate) const LLAMA_CPP: FieldProfile = FieldProfile {
    body_fields: None,
    turn_fields: &[],
    block_fields: &[],
    freeform_fields: &[],
    foreign_kinds: Some(&[
        opaque_kind("message.*", BlockPlacement::Assistant),
        opaque_kind("message.input_text", BlockPlacement::NotAssistant),
        opaque_kind("message.input_image", BlockPlacement::User),
        opaque_kind("message.input_image", BlockPlacement::Instructions),
    ]),
    last_turn_kinds: &[],
    accepts_item: Some(llama_cpp_accepts_item),
    ..FIELDS
};

/// "Unsupported parameter: temperature", whatever the value. Other rules remove the fields that the
/// settings model.
pub(crate) const CODEX: FieldProfile = FieldProfile {
    forbidden_body_fields: &[
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
/// Relays support the older items only: "Invalid input".
pub(crate) const RELAY: FieldProfile =
    FieldProfile { foreign_kinds: Some(&older_kinds()), ..FIELDS };

const REASONING_FIELDS: &[FieldSpec] = &[
    ID,
    STATUS,
    optional("summary", Any),
    optional("content", Any),
    optional("encrypted_content", Text),
    METADATA_PASSTHROUGH,
];
const STATUS: FieldSpec = optional("status", OneOf(&["in_progress", "completed", "incomplete"]));
const IMAGE: &[FieldSpec] =
    &[optional("image_url", Text), optional("file_id", Text), DETAIL, BREAKPOINT];
const FILE: &[FieldSpec] = &[
    optional("file_data", Text),
    optional("file_id", Text),
    optional("file_url", Text),
    optional("filename", Text),
    optional("detail", Text),
    BREAKPOINT,
];
const AUDIO: &[FieldSpec] =
    &[optional("audio_url", Text), optional("input_audio", AnyObject), BREAKPOINT];
const MESSAGE: &[FieldSpec] = &[optional("type", Any), ID, STATUS, METADATA_PASSTHROUGH];

const BODY: &[FieldSpec] = &[
    optional("model", Any),
    optional("input", Any),
    optional("instructions", Any),
    optional("tools", Any),
    optional("moderation", AnyObject),
    optional("previous_response_id", Text),
    optional("prompt", AnyObject),
    optional("include", ListOf(&OneOf(INCLUDES))),
    optional("metadata", Any),
    optional("text", Closed(&[optional("format", Any), optional("verbosity", Any)])),
    optional("temperature", Any),
    optional("top_p", Any),
    optional("presence_penalty", Any),
    optional("frequency_penalty", Any),
    optional("parallel_tool_calls", Any),
    optional("stream", Any),
    optional(
        "stream_options",
        Closed(&[
            optional("include_obfuscation", Bool),
            optional("reasoning_summary_delivery", Text),
        ]),
    ),
    optional("background", Bool),
    optional("max_output_tokens", Any),
    optional("max_tool_calls", Integer),
    optional(
        "reasoning",
        Closed(&[
            optional("effort", Any),
            optional("summary", Any),
            optional("context", OneOf(&["auto", "current_turn", "all_turns"])),
            optional("mode", Text),
            optional("generate_summary", OneOf(&["concise", "detailed", "auto"])),
        ]),
    ),
    optional("user", Any),
    optional("safety_identifier", Text),
    optional(
        "prompt_cache_options",
        Closed(&[
            optional("mode", OneOf(&["implicit", "explicit"])),
            optional("ttl", Text),
            optional("prewarm", Any),
            optional("comparison_response_id", Text),
        ]),
    ),
    optional("prompt_cache_key", Any),
    optional("prompt_cache_retention", OneOf(&["in_memory", "24h"])),
    optional("truncation", OneOf(&["auto", "disabled"])),
    optional("store", Any),
    optional("service_tier", Any),
    optional("top_logprobs", Integer),
    optional("context_management", ListOf(&AnyObject)),
    optional("conversation", Any),
    optional("tool_choice", Any),
    optional("client_metadata", AnyObject),
    optional("access_programs", Any),
    optional("image", AnyObject),
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
