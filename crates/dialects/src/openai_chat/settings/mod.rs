//! Settings of a request, both ways.

mod decode;
mod encode;

pub(super) use decode::{decode, held_inside};
pub(super) use encode::{encode, only};

/// The fields of the body whose meaning is in the settings.
pub(super) fn is_setting(key: &str) -> bool {
    FIELDS.contains(&key)
}

const FIELDS: &[&str] = &[
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "random_seed",
    "presence_penalty",
    "frequency_penalty",
    "n",
    "stop",
    "stream",
    "stream_options",
    "tool_choice",
    "function_call",
    "parallel_tool_calls",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "response_format",
    "verbosity",
    "user",
    "safety_identifier",
    "metadata",
    "service_tier",
    "prompt_cache_key",
    "store",
];
