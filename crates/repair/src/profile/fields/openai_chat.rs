//! The fields of chat completions, by server: most take what they do not know, some do not.

use interlingua_model::Role;

use super::{Fields, LABELS, Part};
use crate::shape::Kind::{Any, Text};
use crate::shape::{Key, key};

pub(super) const OPENAI: Fields = Fields {
    either_case: false,
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
    foreign: None,
    labels: LABELS,
};

pub(super) const AZURE: Fields = Fields { body: Some(AZURES), ..OPENAI };

pub(super) const GENERIC: Fields = Fields {
    turns: &[
        (Role::System, NAMED),
        (Role::Developer, NAMED),
        (Role::User, NAMED),
        (Role::Assistant, NAMED),
    ],
    ..OPENAI
};

pub(super) const CEREBRAS: Fields = Fields { body: None, blocks: &[], ..GENERIC };

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
    ..OPENAI
};

pub(super) const MISTRAL: Fields = Fields {
    body: Some(MISTRALS),
    turns: &[
        (Role::System, &[]),
        (Role::Developer, &[]),
        // Of a tool's message, the name is known.
        (Role::User, NAMED),
        (Role::Assistant, &[key("prefix", Any), key("empty calls", Any)]),
    ],
    // The others are marks of what a call may lack there.
    blocks: &[(
        Part::Call,
        &[
            key("index", Any),
            key("no type", Any),
            key("no arguments", Any),
            key("object arguments", Any),
        ],
    )],
    ..OPENAI
};

const NAMED: &[Key] = &[key("name", Text)];
const PARTS: &[(Part, &[Key])] = &[
    (Part::Text, BREAKPOINT),
    (Part::Image, BREAKPOINT),
    (Part::Audio, BREAKPOINT),
    (Part::Document, BREAKPOINT),
    (Part::Refusal, &[]),
    // The mark of a call that is written in the old way.
    (Part::Call, &[key("legacy form", Any)]),
];
/// Known to the newest models; where not, the cache mark is taken away as such.
const BREAKPOINT: &[Key] = &[key("prompt_cache_breakpoint", Any)];

const INVENTORS: &[Key] = &named_all([
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
    "prompt_cache_options",
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
