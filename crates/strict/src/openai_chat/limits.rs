//! Rules about limits of numbers, lengths and counts.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::{FIRST_PARTY, OPENAI_CONVERSATION_CHECKS};
use super::params::{non_null_param, param_violation};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::openai_context_window;
use crate::{Evidence, Request, Rule};

pub(super) const OUT_OF_RANGE: Rule = Rule {
    name: "out-of-range",
    status: 400,
    condition: "A number is out of range: temperature 0 to 2, top_p 0 to 1, penalties -2 to 2, top_logprobs 0 to 20.",
    error_message: OUT_OF_RANGE_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: out_of_range,
};
const OUT_OF_RANGE_ERRORS: ErrorMessages = error_messages! {
    OPENAI_CONVERSATION_CHECKS => "Invalid '{name}': decimal above maximum value. Expected a value <= {limit}, but got {value} instead.",
    &["below"] => "Invalid '{name}': decimal below minimum value. Expected a value >= {limit}, but got {value} instead.",
};

pub(super) const MAX_TOKENS_ABOVE_CAP: Rule = Rule {
    name: "max-tokens-above-cap",
    status: 400,
    condition: "The token limit is larger than the model's maximum output; known for models that do not reason.",
    error_message: MAX_TOKENS_ABOVE_CAP_ERRORS.all,
    evidence: Evidence::Observed,
    source: "ExtractThinker#346 (gpt-4o), opencode#140 (gpt-4.1), openai-python#687, NextChat#3195 (4096); public code 33120450029",
    check: max_tokens_above_cap,
};
const MAX_TOKENS_ABOVE_CAP_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "{name} is too large: {asked}. This model supports at most {most} completion tokens, whereas you provided {asked}.",
};
/// Maximum output tokens by prefix of the model name.
const MAX_OUTPUT_TOKENS: &[(&str, u32)] = &[
    ("gpt-4o-2024-05-13", 4_096),
    ("gpt-4o", 16_384),
    ("gpt-4.1", 32_768),
    ("gpt-4-turbo", 4_096),
    ("gpt-4-1106", 4_096),
    ("gpt-4-0125", 4_096),
    ("gpt-3.5-turbo-1106", 4_096),
    ("gpt-3.5-turbo-0125", 4_096),
];

pub(super) const TOP_LOGPROBS: Rule = Rule {
    name: "top-logprobs",
    status: 400,
    condition: "There are top_logprobs without `logprobs: true`.",
    error_message: TOP_LOGPROBS_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: top_logprobs,
};
const TOP_LOGPROBS_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
};

pub(super) const TOO_MANY: Rule = Rule {
    name: "too-many",
    status: 400,
    condition: "There are more than 128 tools or 4 stop sequences.",
    error_message: TOO_MANY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "better-chatbot#197, hexstrike#29",
    check: too_many,
};
const TOO_MANY_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid '{name}': array too long. Expected an array with maximum length {limit}, but got an array with length {count} instead.",
};

pub(super) const TOO_MANY_STOPS: Rule = Rule {
    name: "too-many-stops",
    status: 400,
    condition: "There are more than 4 stop sequences (groq, glm).",
    error_message: TOO_MANY_STOPS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "letta PR#1288 (Groq), Qwen-Agent#370 (GLM)",
    check: too_many_stops,
};
const TOO_MANY_STOPS_ERRORS: ErrorMessages = error_messages! {
    &["groq"] => "stop : one of the following must be satisfied{which}",
    &["glm"] => "stop:最大只能有4个停止词",
};

pub(super) const NO_LENGTH: Rule = Rule {
    name: "no-length",
    status: 400,
    condition: "The token limit is below 1.",
    error_message: NO_LENGTH_ERRORS.all,
    evidence: Evidence::Observed,
    source: "recorded replies, public code 36951614859, 61511184616; vLLM source",
    check: no_length,
};
const NO_LENGTH_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {value} instead.",
    &["vllm"] => "max_tokens must be at least 1, got {value}.",
};

pub(super) const CONTEXT_LENGTH: Rule = Rule {
    name: "context-length",
    status: 400,
    condition: "The prompt, conservatively estimated, exceeds the model's context window.",
    error_message: CONTEXT_LENGTH_ERRORS.all,
    evidence: Evidence::Quoted,
    source: "row 20, code `context_length_exceeded`; the window sizes are ours",
    check: context_length,
};
const CONTEXT_LENGTH_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "This model's maximum context length is {limit} tokens. However, your messages resulted in {count} tokens. Please reduce the length of the messages.",
};

pub(super) const OPENROUTER_LEAST_TOKENS: Rule = Rule {
    name: "openrouter-least-tokens",
    status: 400,
    condition: "The token limit of an OpenAI model is below 16; OpenRouter calls it through the Responses API. Open-weight models have other providers.",
    error_message: OPENROUTER_LEAST_TOKENS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "claude-code-router#994, hindsight#58 (Azure), guidellm#370 (gpt-4.1-mini)",
    check: openrouter_least_tokens,
};
const OPENROUTER_LEAST_TOKENS_ERRORS: ErrorMessages = error_messages! {
    &["openrouter"] => "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {value} instead.",
};

pub(super) const TOO_LONG: Rule = Rule {
    name: "too-long",
    status: 400,
    condition: "safety_identifier has more than 128 characters, or OpenRouter's session_id more than 256.",
    error_message: TOO_LONG_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference; worded as for other fields",
    check: too_long,
};
const TOO_LONG_ERRORS: ErrorMessages = error_messages! {
    OPENAI_CONVERSATION_CHECKS => "Invalid '{name}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const METADATA: Rule = Rule {
    name: "metadata",
    status: 400,
    condition: "The metadata has more than 16 pairs, a key of more than 64 or a value of more than 512 characters.",
    error_message: METADATA_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: metadata,
};
const METADATA_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead.",
    &["value"] => "Invalid 'metadata.{key}': string too long. Expected a string with maximum length 512, but got a string with length {count} instead.",
    &["key"] => "Invalid property name in 'metadata': '{key}' is too long. Expected a string with maximum length 64, but got a string with length {count} instead.",
};

fn out_of_range(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(above) = OUT_OF_RANGE_ERRORS.for_request(request) else { return };
    let below = OUT_OF_RANGE_ERRORS.for_responder("below").unwrap_or(above);
    for (name, min, max) in PARAM_RANGES {
        let Some(value) = non_null_param(request, name).filter(|value| value.is_number()) else {
            continue;
        };
        let number = value.as_f64().unwrap_or_default();
        let (template, limit, code) = if number > f64::from(*max) {
            (above, max, "decimal_above_max_value")
        } else if number < f64::from(*min) {
            (below, min, "decimal_below_min_value")
        } else {
            continue;
        };
        let (limit, value) = (limit.to_string(), value.to_string());
        let placeholders = [("name", *name), ("limit", limit.as_str()), ("value", value.as_str())];
        reject(template, request, cx, &param_violation(name, &placeholders, code));
    }
}

fn max_tokens_above_cap(request: &Request<'_>, cx: &mut CheckContext) {
    let model = request.model.rsplit('/').next().unwrap_or_default();
    let Some((_, max)) = MAX_OUTPUT_TOKENS.iter().find(|(prefix, _)| model.starts_with(prefix))
    else {
        return;
    };
    for name in ["max_tokens", "max_completion_tokens"] {
        let Some(requested) =
            non_null_param(request, name).filter(|requested| requested.is_number())
        else {
            continue;
        };
        if requested.as_f64() > Some(f64::from(*max)) {
            let (requested, max) = (requested.to_string(), max.to_string());
            let placeholders = [("name", name), ("asked", &requested), ("most", &max)];
            MAX_TOKENS_ABOVE_CAP_ERRORS.reject(
                request,
                cx,
                &param_violation(name, &placeholders, "invalid_value"),
            );
        }
    }
}

fn top_logprobs(request: &Request<'_>, cx: &mut CheckContext) {
    let is_set = non_null_param(request, "top_logprobs").is_some();
    if is_set && request.body.field("logprobs") != Some(&Value::Bool(true)) {
        TOP_LOGPROBS_ERRORS.reject(
            request,
            cx,
            &param_violation("top_logprobs", &[], "invalid_value"),
        );
    }
}

fn openrouter_least_tokens(request: &Request<'_>, cx: &mut CheckContext) {
    let model_name = request.model.strip_prefix("openai/");
    if model_name.is_none_or(|name| name.starts_with("gpt-oss")) {
        return;
    }
    let has_newer = non_null_param(request, "max_completion_tokens").is_some();
    // If both are set, only the newer one is checked.
    for name in ["max_tokens", "max_completion_tokens"].into_iter().skip(usize::from(has_newer)) {
        let too_small =
            non_null_param(request, name).filter(|value| value.as_f64().is_some_and(|n| n < 16.0));
        if let Some(value) = too_small {
            let value = value.to_string();
            let details = ViolationDetails {
                path: name.into(),
                placeholders: &[("value", &value)],
                param: Some("max_output_tokens"),
                code: None,
            };
            OPENROUTER_LEAST_TOKENS_ERRORS.reject(request, cx, &details);
        }
    }
}

fn context_length(request: &Request<'_>, cx: &mut CheckContext) {
    let max_tokens = openai_context_window::context_window(request.model);
    let tokens =
        openai_context_window::estimate_tokens(request.body, &["messages", "tools", "functions"]);
    if tokens > max_tokens {
        let (limit, count) = (max_tokens.to_string(), tokens.to_string());
        let details = ViolationDetails {
            path: "messages".to_owned(),
            placeholders: &[("limit", &limit), ("count", &count)],
            param: Some("messages"),
            code: Some("context_length_exceeded"),
        };
        CONTEXT_LENGTH_ERRORS.reject(request, cx, &details);
    }
}

fn too_many(request: &Request<'_>, cx: &mut CheckContext) {
    for (name, limit) in MAX_ARRAY_LENGTHS {
        let count = array_field(request.body, name).len();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let placeholders =
                [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            TOO_MANY_ERRORS.reject(
                request,
                cx,
                &param_violation(name, &placeholders, "array_above_max_length"),
            );
        }
    }
}

fn too_many_stops(request: &Request<'_>, cx: &mut CheckContext) {
    if array_field(request.body, "stop").len() > 4 {
        let which = "\n  stop : value must be a string\n  stop : maximum number of items is 4";
        TOO_MANY_STOPS_ERRORS.reject(
            request,
            cx,
            &param_violation("stop", &[("which", which)], "1214"),
        );
    }
}

fn no_length(request: &Request<'_>, cx: &mut CheckContext) {
    for name in ["max_tokens", "max_completion_tokens"] {
        let Some(value) = non_null_param(request, name) else { continue };
        // If both are set, vLLM only checks the newer one.
        let has_newer =
            name == "max_tokens" && non_null_param(request, "max_completion_tokens").is_some();
        if has_newer && request.flavor == "vllm" {
            continue;
        }
        if value.as_f64().is_some_and(|value| value < 1.0) {
            let value = value.to_string();
            let placeholders = [("name", name), ("value", value.as_str())];
            NO_LENGTH_ERRORS.reject(
                request,
                cx,
                &param_violation(name, &placeholders, "integer_below_min_value"),
            );
        }
    }
}

fn too_long(request: &Request<'_>, cx: &mut CheckContext) {
    for (name, limit) in MAX_STRING_LENGTHS {
        let count = str_field(request.body, name).chars().count();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let placeholders =
                [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            TOO_LONG_ERRORS.reject(
                request,
                cx,
                &param_violation(name, &placeholders, "string_above_max_length"),
            );
        }
    }
}

fn metadata(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(pairs) = request.body.field("metadata").and_then(Value::as_object) else { return };
    let Some(too_many) = METADATA_ERRORS.for_request(request) else { return };
    let mut reject_pair = |template: &str, path: String, key: &str, count: usize, code: &str| {
        let count = count.to_string();
        let placeholders = [("key", key), ("count", count.as_str())];
        let details = ViolationDetails {
            placeholders: &placeholders,
            param: Some(&path),
            code: Some(code),
            path: path.clone(),
        };
        reject(template, request, cx, &details);
    };
    if pairs.len() > 16 {
        reject_pair(too_many, "metadata".into(), "", pairs.len(), "object_above_max_properties");
    }
    for (key, value) in pairs {
        let (key_length, length) =
            (key.chars().count(), value.as_str().unwrap_or_default().chars().count());
        if key_length > 64 {
            reject_pair(
                METADATA_ERRORS.for_responder("key").unwrap_or(too_many),
                "metadata".into(),
                key,
                key_length,
                "string_above_max_length",
            );
        }
        if length > 512 {
            reject_pair(
                METADATA_ERRORS.for_responder("value").unwrap_or(too_many),
                format!("metadata.{key}"),
                key,
                length,
                "string_above_max_length",
            );
        }
    }
}

const PARAM_RANGES: &[(&str, i8, i8)] = &[
    ("temperature", 0, 2),
    ("top_p", 0, 1),
    ("presence_penalty", -2, 2),
    ("frequency_penalty", -2, 2),
    ("top_logprobs", 0, 20),
];
const MAX_ARRAY_LENGTHS: &[(&str, usize)] = &[("tools", 128), ("stop", 4)];
const MAX_STRING_LENGTHS: &[(&str, usize)] = &[("safety_identifier", 128), ("session_id", 256)];
