//! The rules of Chat Completions servers: `OpenAI` and the providers that copied its API.
//!
//! Each server is a flavor with a file in `providers/`, which [`Provider`] describes. A provider has
//! the rules for which its file has an error message.

mod content;
mod empty_messages;
mod envelope;
mod error_messages;
mod fields;
mod gemini_compat;
mod limits;
mod mint;
mod mistral;
mod pairing;
mod params;
mod profile;
mod provider;
mod registry;
mod required_fields;
mod roles;
mod schema;
mod signatures;
mod thinking;
mod tools;
mod types;
mod unsupported_params;
mod view;

pub use mint::{CallClaims, DetailClaims, call_signature, detail_seal};

pub use provider::{
    Provider, ReasoningSwitch, ReplyFormat, add_provider, find_provider, provider_or_vendor,
};
pub use registry::ROUTER;

use std::sync::LazyLock;

use crate::rule::{NamedCheck, Rule, checks};
use crate::{Judge, Request, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "openai-chat",
    flavors: registry::FLAVORS,
    rules: LazyLock::new(|| {
        let file = include_str!("../../rules/openai-chat.toml");
        Rule::parse_all(file, CHECKS, provider::messages_for)
    }),
    checks: CHECKS,
    applies: |rule, request: &Request<'_>| provider::provider_of(request).has_rule(rule.name),
    envelope: envelope::envelope,
    object_fields: fields::object_fields,
    not_json,
};

/// The checks by module; `rules/openai-chat.toml` has their rules in the order in which they are checked.
static CHECKS: &[NamedCheck] = checks! {
    content: string_content groq_null null_content part_type image_outside_user file_data
        ollama_image json_word;
    empty_messages: moonshot_empty empty_message;
    fields: unknown_parameter unknown_message_field mistral_extra_field groq_unsupported_property
        cerebras_unsupported_property;
    gemini_compat: gemini_compat_parameter gemini_compat_schema_key;
    limits: out_of_range max_tokens_above_cap openrouter_least_tokens no_length top_logprobs
        too_many too_many_stops context_length too_long metadata;
    mistral: mistral_tool_name mistral_tool_schema mistral_empty mistral_first_role
        mistral_role_order mistral_last_role mistral_content_or_calls mistral_call_id_missing
        mistral_call_id mistral_duplicate_id mistral_unexpected_id mistral_counts;
    pairing: call_id_length call_type arguments orphan_result unknown_call_id unanswered_call
        glm_messages call_id_empty;
    params: max_tokens max_tokens_twice parallel_without_tools temperature moonshot_temperature
        stop effort verbosity xai_parameter llama_cpp_with_tools openrouter_effort response_format
        tools_with_effort;
    required_fields: missing_parameter llama_cpp_missing mistral_missing empty_array
        choice_without_tools stream_options;
    roles: unknown_role mistral_role xai_name alternation trailing_assistants;
    schema: schema_root schema_invalid schema_array_items schema_strict moonshot_schema ollama_schema;
    signatures: openrouter_details_missing openrouter_signature openrouter_thought_signature
        openrouter_encrypted_content gemini_compat_signature_missing gemini_compat_signature;
    thinking: moonshot_thinking_type forced_choice qwen_not_streamed qwen_json deepseek_reasoning
        moonshot_reasoning groq_reasoning;
    tools: named_choice choice_shape unknown_choice moonshot_required_choice tool_type
        tool_name_pattern tool_name_length tool_description_length tool_duplicate
        cerebras_mixed_strict;
    types: wrong_type;
    unsupported_params: reasoning_parameter groq_parameter groq_effort;
};

/// Equal for all flavors: the body is parsed before the flavor is known.
fn not_json(_complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: NOT_JSON_ERROR.to_owned(),
        param: None,
        code: None,
    }
}

const NOT_JSON_ERROR: &str = "We could not parse the JSON body of your request. (HINT: This likely means \
    you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what \
    was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact \
    us through our help center at help.openai.com.)";
