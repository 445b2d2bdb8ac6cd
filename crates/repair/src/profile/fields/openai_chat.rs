//! The fields of chat completions, by server: most take what they do not know, some do not.

use interlingua_model::Role;

use super::{ANY, Fields, Foreign, LABELS, Part, Side, foreign, opaque, open};
use crate::shape::Kind::{Any, Open, OrNull, Text};
use crate::shape::{Key, key, need};

pub(super) const OPENAI: Fields = Fields {
    either_case: false,
    open: false,
    body: Some(INVENTORS),
    turns: &[
        (Role::System, NAMED),
        (Role::Developer, NAMED),
        (Role::User, NAMED),
        (
            Role::Assistant,
            &[
                key("name", Text),
                key("refusal", Any),
                key("function_call", Any),
                key("audio", Any),
                key("annotations", Any),
            ],
        ),
    ],
    blocks: PARTS,
    foreign: Some(&[
        foreign("image_url", Side::Pictures, IMAGE),
        foreign("input_audio", Side::User, AUDIO),
        foreign("file", Side::User, &[key("type", Any), need("file", Any)]),
        opaque("audio", Side::User),
        foreign("refusal", Side::User, REFUSAL),
        foreign("refusal", Side::Assistant, REFUSAL),
    ]),
    freeform: &[],
    part: "",
    takes: None,
    absent: &[],
    last_only: &[],
    labels: LABELS,
    plain_system: false,
    only_user_named: false,
    trusts: false,
    own_blocks_only: true,
};

pub(super) const AZURE: Fields = Fields { body: Some(AZURES), ..OPENAI };

/// Models without cache breakpoints.
pub(super) const OLD_OPENAI: Fields =
    Fields { body: Some(INVENTORS.split_at(1).1), blocks: OLD_PARTS, ..OPENAI };

pub(super) const OLD_AZURE: Fields =
    Fields { body: Some(AZURES.split_at(1).1), blocks: OLD_PARTS, ..OPENAI };

pub(super) const GENERIC: Fields = Fields {
    turns: &[
        (Role::System, NAMED),
        (Role::Developer, NAMED),
        (Role::User, NAMED),
        (Role::Assistant, NAMED),
    ],
    // Content is a string.
    foreign: Some(&[]),
    ..OPENAI
};

pub(super) const CEREBRAS: Fields = Fields {
    body: None,
    turns: &[(Role::System, NAMED), (Role::User, NAMED), (Role::Assistant, NAMED)],
    blocks: &[],
    foreign: Some(NAMED_PARTS),
    ..GENERIC
};

pub(super) const OTHERS: Fields = Fields { foreign: Some(NAMED_PARTS), ..CHAT };

/// An image is the user's, be it one that cannot be read.
pub(super) const STUDIO: Fields = Fields {
    foreign: Some(&[
        open("text", Side::Anywhere, &[need("text", Any)]),
        open("image_url", Side::Pictures, &[need("image_url", Open(&[HELD_URL]))]),
        open("input_audio", Side::Anywhere, HELD_AUDIO),
        open("file", Side::Anywhere, &[need("file", Any)]),
        open("refusal", Side::Anywhere, &[need("refusal", OrNull(&Any))]),
        opaque("*", Side::Anywhere),
    ]),
    ..CHAT
};

pub(super) const XAI: Fields = Fields { only_user_named: true, ..OTHERS };

pub(super) const VLLM: Fields = Fields {
    foreign: Some(&[
        open("image_url", Side::Anywhere, &[need("image_url", Open(&[HELD_URL]))]),
        open("input_audio", Side::Anywhere, HELD_AUDIO),
        open("file", Side::Anywhere, &[need("file", Any)]),
        open("refusal", Side::Anywhere, &[need("refusal", OrNull(&Any))]),
        opaque("input_text", Side::Anywhere),
        opaque("output_text", Side::Anywhere),
        opaque("thinking", Side::Anywhere),
        opaque("input_image", Side::Anywhere),
        opaque("image_pil", Side::Anywhere),
        opaque("image_embeds", Side::Anywhere),
        opaque("audio_url", Side::Anywhere),
        opaque("audio_embeds", Side::Anywhere),
        opaque("video_url", Side::Anywhere),
        opaque("tool_reference", Side::Anywhere),
        BARE_ADDRESS,
        REASONING,
    ]),
    ..CHAT
};

pub(super) const LLAMA: Fields = Fields {
    foreign: Some(&[
        opaque("text", Side::Anywhere),
        opaque("media_marker", Side::Anywhere),
        opaque("image_url", Side::Anywhere),
        opaque("input_audio", Side::Anywhere),
        opaque("input_video", Side::Anywhere),
        BARE_ADDRESS,
        REASONING,
    ]),
    ..CHAT
};

/// An image that cannot be read as one is refused there.
pub(super) const OLLAMA: Fields = Fields {
    foreign: Some(&[open("input_audio", Side::Anywhere, HELD_AUDIO), BARE_ADDRESS, REASONING]),
    ..CHAT
};

pub(super) const DEEPSEEK: Fields = Fields { foreign: Some(&[BARE_ADDRESS, REASONING]), ..CHAT };

/// Models that do not reason take no reasoning back.
pub(super) const GROQ_PLAIN: Fields = Fields {
    turns: &[
        (Role::System, NAMED),
        (Role::Developer, NAMED),
        (Role::User, NAMED),
        (Role::Assistant, &[key("name", Text), key("function_call", Any), key("empty calls", Any)]),
    ],
    ..GROQ
};

pub(super) const GROQ: Fields = Fields {
    body: Some(GROQS),
    turns: &[
        (Role::System, NAMED),
        (Role::Developer, NAMED),
        (Role::User, NAMED),
        (
            Role::Assistant,
            &[
                key("name", Text),
                key("function_call", Any),
                key("reasoning", Any),
                key("empty calls", Any),
            ],
        ),
    ],
    blocks: &[],
    foreign: Some(NAMED_PARTS),
    ..OPENAI
};

pub(super) const MISTRAL: Fields = Fields {
    body: Some(MISTRALS),
    turns: &[
        (Role::System, &[]),
        (Role::Developer, &[]),
        // The name in a tool's message is its own.
        (Role::User, &[]),
        (Role::Assistant, &[key("prefix", Any), key("empty calls", Any)]),
    ],
    // The others are marks of what a call may lack there.
    blocks: &[(
        Part::Call,
        &[
            key("index", Any),
            key("no type", Any),
            key("no tool", Any),
            key("no arguments", Any),
            key("object arguments", Any),
        ],
    )],
    foreign: None,
    ..OPENAI
};

const CHAT: Fields = Fields { own_blocks_only: true, ..ANY };
/// Entries of a field of its own.
const REASONING: Foreign = opaque("reasoning*", Side::Assistant);
/// The mark of an image with its address alone, where others want an object around it.
const BARE_ADDRESS: Foreign = opaque("image_url string", Side::Anywhere);
/// Any part that has a name, and what the name promises.
const NAMED_PARTS: &[Foreign] = &[
    open("text", Side::Anywhere, &[need("text", Any)]),
    open("image_url", Side::Anywhere, &[need("image_url", Open(&[HELD_URL]))]),
    open("input_audio", Side::Anywhere, HELD_AUDIO),
    open("file", Side::Anywhere, &[need("file", Any)]),
    open("refusal", Side::Anywhere, &[need("refusal", OrNull(&Any))]),
    opaque("*", Side::Anywhere),
];
/// Most miss what is not there, and not what is null.
const HELD_URL: Key = need("url", OrNull(&Any));
const HELD_AUDIO: &[Key] =
    &[need("input_audio", Open(&[need("data", OrNull(&Any)), need("format", OrNull(&Any))]))];
const IMAGE: &[Key] = &[key("type", Any), need("image_url", Open(&[HELD_URL])), BREAKPOINT[0]];
const AUDIO: &[Key] = &[key("type", Any), HELD_AUDIO[0], BREAKPOINT[0]];
const REFUSAL: &[Key] = &[key("type", Any), need("refusal", Text)];
const NAMED: &[Key] = &[key("name", Text)];
const PARTS: &[(Part, &[Key])] = &[
    (Part::Text, BREAKPOINT),
    (Part::Image, BREAKPOINT),
    (Part::Audio, BREAKPOINT),
    (Part::Document, BREAKPOINT),
    (Part::Refusal, &[]),
    // The mark of a call that is written in the old way; and what holds one of free text.
    (Part::Call, &[key("legacy form", Any), key("custom", Any)]),
];
const OLD_PARTS: &[(Part, &[Key])] = &[
    (Part::Text, &[]),
    (Part::Image, &[]),
    (Part::Audio, &[]),
    (Part::Document, &[]),
    PARTS[4],
    PARTS[5],
];
/// Known to the newest models; where not, the cache mark is taken away as such.
const BREAKPOINT: &[Key] = &[key("prompt_cache_breakpoint", Any)];

/// The first is known to the newest models only.
const INVENTORS: &[Key] = &named_all([
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

const AZURES: &[Key] = &{
    let mut keys = [key("data_sources", Any); INVENTORS.len() + 2];
    let mut at = 0;
    while at < INVENTORS.len() {
        keys[at] = INVENTORS[at];
        at += 1;
    }
    keys[at] = key("user_security_context", Any);
    keys
};

const GROQS: &[Key] = &named_all([
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

const MISTRALS: &[Key] = &named_all([
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

/// Fields of these names, of any value.
const fn named_all<const N: usize>(names: [&'static str; N]) -> [Key; N] {
    let mut keys = [key("", Any); N];
    let mut at = 0;
    while at < N {
        keys[at] = key(names[at], Any);
        at += 1;
    }
    keys
}
