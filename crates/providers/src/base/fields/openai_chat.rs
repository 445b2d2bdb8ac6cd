//! Fields of Chat Completions by server: most servers accept unknown fields, some reject them.

use interlingua_model::Role;

use super::{BILLING_PREFIXES, UNRESTRICTED, closed_kind, opaque_kind, open_kind};
use crate::profile::fields::{self, BlockKind, BlockPlacement, FieldProfile, ForeignKind};
use crate::shape::Shape::{Any, Nullable, Open, Text};
use crate::shape::{FieldSpec, optional, required};

pub(crate) const OPENAI: FieldProfile = FieldProfile {
    proto_json: false,
    ignores_unknown: false,
    body_fields: Some(OPENAI_BODY),
    turn_fields: &[
        (Role::System, NAME_FIELD),
        (Role::Developer, NAME_FIELD),
        (Role::User, NAME_FIELD),
        (
            Role::Assistant,
            &[
                optional("name", Text),
                optional("refusal", Any),
                optional("function_call", Any),
                optional("audio", Any),
                optional("annotations", Any),
            ],
        ),
    ],
    block_fields: BLOCK_FIELDS,
    foreign_kinds: Some(&[
        closed_kind("image_url", BlockPlacement::WhereImages, IMAGE),
        closed_kind("input_audio", BlockPlacement::User, AUDIO),
        closed_kind("file", BlockPlacement::User, &[optional("type", Any), required("file", Any)]),
        opaque_kind("audio", BlockPlacement::User),
        closed_kind("refusal", BlockPlacement::User, REFUSAL),
        closed_kind("refusal", BlockPlacement::Assistant, REFUSAL),
    ]),
    freeform_fields: &[],
    part_prefix: "",
    accepts_item: None,
    forbidden_body_fields: &[],
    last_turn_kinds: &[],
    billing_prefixes: BILLING_PREFIXES,
    text_only_system: false,
    name_only_on_user: false,
    can_pass_unknown: false,
    drops_foreign_dialects: true,
};

pub(crate) const GENERIC: FieldProfile = FieldProfile {
    turn_fields: &[
        (Role::System, NAME_FIELD),
        (Role::Developer, NAME_FIELD),
        (Role::User, NAME_FIELD),
        (Role::Assistant, NAME_FIELD),
    ],
    // Content is a string.
    foreign_kinds: Some(&[]),
    ..OPENAI
};

pub(crate) const CEREBRAS: FieldProfile = FieldProfile {
    body_fields: None,
    turn_fields: &[
        (Role::System, NAME_FIELD),
        (Role::User, NAME_FIELD),
        (Role::Assistant, NAME_FIELD),
    ],
    block_fields: &[],
    foreign_kinds: Some(TYPED_PARTS),
    ..GENERIC
};

pub(crate) const DEFAULT: FieldProfile =
    FieldProfile { foreign_kinds: Some(TYPED_PARTS), ..LENIENT };

/// Only user messages may have images, including invalid ones.
pub(crate) const LM_STUDIO: FieldProfile = FieldProfile {
    foreign_kinds: Some(&[
        open_kind("text", BlockPlacement::Anywhere, &[required("text", Any)]),
        open_kind(
            "image_url",
            BlockPlacement::WhereImages,
            &[required("image_url", Open(&[URL_FIELD]))],
        ),
        open_kind("input_audio", BlockPlacement::Anywhere, AUDIO_DATA),
        open_kind("file", BlockPlacement::Anywhere, &[required("file", Any)]),
        open_kind("refusal", BlockPlacement::Anywhere, &[required("refusal", Nullable(&Any))]),
        opaque_kind("*", BlockPlacement::Anywhere),
    ]),
    ..LENIENT
};

pub(crate) const XAI: FieldProfile = FieldProfile { name_only_on_user: true, ..DEFAULT };

pub(crate) const VLLM: FieldProfile = FieldProfile {
    foreign_kinds: Some(&[
        open_kind(
            "image_url",
            BlockPlacement::Anywhere,
            &[required("image_url", Open(&[URL_FIELD]))],
        ),
        open_kind("input_audio", BlockPlacement::Anywhere, AUDIO_DATA),
        open_kind("file", BlockPlacement::Anywhere, &[required("file", Any)]),
        open_kind("refusal", BlockPlacement::Anywhere, &[required("refusal", Nullable(&Any))]),
        opaque_kind("input_text", BlockPlacement::Anywhere),
        opaque_kind("output_text", BlockPlacement::Anywhere),
        opaque_kind("thinking", BlockPlacement::Anywhere),
        opaque_kind("input_image", BlockPlacement::Anywhere),
        opaque_kind("image_pil", BlockPlacement::Anywhere),
        opaque_kind("image_embeds", BlockPlacement::Anywhere),
        opaque_kind("audio_url", BlockPlacement::Anywhere),
        opaque_kind("audio_embeds", BlockPlacement::Anywhere),
        opaque_kind("video_url", BlockPlacement::Anywhere),
        opaque_kind("tool_reference", BlockPlacement::Anywhere),
        BARE_IMAGE_URL,
        REASONING_ENTRY,
    ]),
    ..LENIENT
};

pub(crate) const LLAMA_CPP: FieldProfile = FieldProfile {
    foreign_kinds: Some(&[
        opaque_kind("text", BlockPlacement::Anywhere),
        opaque_kind("media_marker", BlockPlacement::Anywhere),
        opaque_kind("image_url", BlockPlacement::Anywhere),
        opaque_kind("input_audio", BlockPlacement::Anywhere),
        opaque_kind("input_video", BlockPlacement::Anywhere),
        BARE_IMAGE_URL,
        REASONING_ENTRY,
    ]),
    ..LENIENT
};

/// Images that cannot be decoded are rejected.
pub(crate) const OLLAMA: FieldProfile = FieldProfile {
    foreign_kinds: Some(&[
        open_kind("input_audio", BlockPlacement::Anywhere, AUDIO_DATA),
        BARE_IMAGE_URL,
        REASONING_ENTRY,
    ]),
    ..LENIENT
};

pub(crate) const DEEPSEEK: FieldProfile =
    FieldProfile { foreign_kinds: Some(&[BARE_IMAGE_URL, REASONING_ENTRY]), ..LENIENT };

/// Models that do not reason reject reasoning of the history.
pub(crate) const GROQ_NON_REASONING: FieldProfile = FieldProfile {
    turn_fields: &[
        (Role::System, NAME_FIELD),
        (Role::Developer, NAME_FIELD),
        (Role::User, NAME_FIELD),
        (Role::Assistant, &[optional("name", Text), optional("function_call", Any)]),
    ],
    ..GROQ
};

pub(crate) const GROQ: FieldProfile = FieldProfile {
    body_fields: Some(GROQ_BODY),
    turn_fields: &[
        (Role::System, NAME_FIELD),
        (Role::Developer, NAME_FIELD),
        (Role::User, NAME_FIELD),
        (
            Role::Assistant,
            &[optional("name", Text), optional("function_call", Any), optional("reasoning", Any)],
        ),
    ],
    block_fields: &[],
    foreign_kinds: Some(TYPED_PARTS),
    ..OPENAI
};

pub(crate) const MISTRAL: FieldProfile = FieldProfile {
    body_fields: Some(MISTRAL_BODY),
    turn_fields: &[
        (Role::System, &[]),
        (Role::Developer, &[]),
        // `name` belongs to tool messages only.
        (Role::User, &[]),
        (Role::Assistant, &[optional("prefix", Any)]),
    ],
    block_fields: &[(BlockKind::Call, &[optional("index", Any)])],
    foreign_kinds: None,
    ..OPENAI
};

const LENIENT: FieldProfile = FieldProfile { drops_foreign_dialects: true, ..UNRESTRICTED };
/// Entries of the field `reasoning_details`.
const REASONING_ENTRY: ForeignKind = opaque_kind("reasoning*", BlockPlacement::Assistant);
/// An image given as a bare URL, where other servers expect an object.
const BARE_IMAGE_URL: ForeignKind = opaque_kind(fields::BARE_IMAGE_URL, BlockPlacement::Anywhere);
/// Any typed part with the field that its type requires.
const TYPED_PARTS: &[ForeignKind] = &[
    open_kind("text", BlockPlacement::Anywhere, &[required("text", Any)]),
    open_kind("image_url", BlockPlacement::Anywhere, &[required("image_url", Open(&[URL_FIELD]))]),
    open_kind("input_audio", BlockPlacement::Anywhere, AUDIO_DATA),
    open_kind("file", BlockPlacement::Anywhere, &[required("file", Any)]),
    open_kind("refusal", BlockPlacement::Anywhere, &[required("refusal", Nullable(&Any))]),
    opaque_kind("*", BlockPlacement::Anywhere),
];
/// Most servers reject an absent URL, but not a null one.
const URL_FIELD: FieldSpec = required("url", Nullable(&Any));
const AUDIO_DATA: &[FieldSpec] = &[required(
    "input_audio",
    Open(&[required("data", Nullable(&Any)), required("format", Nullable(&Any))]),
)];
const IMAGE: &[FieldSpec] =
    &[optional("type", Any), required("image_url", Open(&[URL_FIELD])), BREAKPOINT[0]];
const AUDIO: &[FieldSpec] = &[optional("type", Any), AUDIO_DATA[0], BREAKPOINT[0]];
const REFUSAL: &[FieldSpec] = &[optional("type", Any), required("refusal", Text)];
const NAME_FIELD: &[FieldSpec] = &[optional("name", Text)];
const BLOCK_FIELDS: &[(BlockKind, &[FieldSpec])] = &[
    (BlockKind::Text, BREAKPOINT),
    (BlockKind::Image, BREAKPOINT),
    (BlockKind::Audio, BREAKPOINT),
    (BlockKind::Document, BREAKPOINT),
    (BlockKind::Refusal, &[]),
    // The field of a freeform call.
    (BlockKind::Call, &[optional("custom", Any)]),
];
pub(crate) const OLD_BLOCK_FIELDS: &[(BlockKind, &[FieldSpec])] = &[
    (BlockKind::Text, &[]),
    (BlockKind::Image, &[]),
    (BlockKind::Audio, &[]),
    (BlockKind::Document, &[]),
    BLOCK_FIELDS[4],
    BLOCK_FIELDS[5],
];
/// A field of the newest models; for others, another rule removes the breakpoint.
const BREAKPOINT: &[FieldSpec] = &[optional("prompt_cache_breakpoint", Any)];

/// The first field exists on the newest models only.
const OPENAI_BODY: &[FieldSpec] = &any_fields([
    "prompt_cache_options",
    "model",
    "messages",
    "max_completion_tokens",
    "max_tokens",
    "reasoning_effort",
    "verbosity",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "n",
    "stop",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "modalities",
    "audio",
    "prediction",
    "store",
    "metadata",
    "service_tier",
    "safety_identifier",
    "prompt_cache_key",
    "user",
    "prompt_cache_retention",
    "moderation",
    "web_search_options",
    "functions",
    "function_call",
]);

pub(crate) const AZURE_BODY: &[FieldSpec] = &{
    let mut keys = [optional("data_sources", Any); OPENAI_BODY.len() + 2];
    let mut at = 0;
    while at < OPENAI_BODY.len() {
        keys[at] = OPENAI_BODY[at];
        at += 1;
    }
    keys[at] = optional("user_security_context", Any);
    keys
};

const GROQ_BODY: &[FieldSpec] = &any_fields([
    "model",
    "messages",
    "citation_options",
    "compound_custom",
    "disable_tool_validation",
    "documents",
    "exclude_domains",
    "frequency_penalty",
    "function_call",
    "functions",
    "include_domains",
    "include_reasoning",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "metadata",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "reasoning_format",
    "response_format",
    "search_settings",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
]);

const MISTRAL_BODY: &[FieldSpec] = &any_fields([
    "model",
    "messages",
    "temperature",
    "top_p",
    "max_tokens",
    "stream",
    "stop",
    "random_seed",
    "metadata",
    "response_format",
    "tools",
    "tool_choice",
    "presence_penalty",
    "frequency_penalty",
    "n",
    "prediction",
    "parallel_tool_calls",
    "prompt_mode",
    "reasoning_effort",
    "guardrails",
    "prompt_cache_key",
    "safe_prompt",
]);

/// Fields with these names and any value.
const fn any_fields<const N: usize>(names: [&'static str; N]) -> [FieldSpec; N] {
    let mut keys = [optional("", Any); N];
    let mut at = 0;
    while at < N {
        keys[at] = optional(names[at], Any);
        at += 1;
    }
    keys
}
