//! Rules about limits of numbers, lengths and counts.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, standard_message};
use super::params::{non_null_param, param_violation};
use super::provider::{Trait, provider_of};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{Request, openai_context_window};

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

pub(super) fn out_of_range(request: &Request<'_>, cx: &mut CheckContext) {
    let above = standard_message(request, cx);
    let below = cx.case("below");
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
        reject_as(template, request, cx, &param_violation(name, &placeholders, code));
    }
}

pub(super) fn max_tokens_above_cap(request: &Request<'_>, cx: &mut CheckContext) {
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
            reject(request, cx, &param_violation(name, &placeholders, "invalid_value"));
        }
    }
}

pub(super) fn top_logprobs(request: &Request<'_>, cx: &mut CheckContext) {
    let is_set = non_null_param(request, "top_logprobs").is_some();
    if is_set && request.body.field("logprobs") != Some(&Value::Bool(true)) {
        reject(request, cx, &param_violation("top_logprobs", &[], "invalid_value"));
    }
}

pub(super) fn openrouter_least_tokens(request: &Request<'_>, cx: &mut CheckContext) {
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
            reject(request, cx, &details);
        }
    }
}

pub(super) fn context_length(request: &Request<'_>, cx: &mut CheckContext) {
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
        reject(request, cx, &details);
    }
}

pub(super) fn too_many(request: &Request<'_>, cx: &mut CheckContext) {
    for (name, limit) in MAX_ARRAY_LENGTHS {
        let count = array_field(request.body, name).len();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let placeholders =
                [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            reject(request, cx, &param_violation(name, &placeholders, "array_above_max_length"));
        }
    }
}

pub(super) fn too_many_stops(request: &Request<'_>, cx: &mut CheckContext) {
    if array_field(request.body, "stop").len() > 4 {
        let which = "\n  stop : value must be a string\n  stop : maximum number of items is 4";
        reject(request, cx, &param_violation("stop", &[("which", which)], "1214"));
    }
}

pub(super) fn no_length(request: &Request<'_>, cx: &mut CheckContext) {
    for name in ["max_tokens", "max_completion_tokens"] {
        let Some(value) = non_null_param(request, name) else { continue };
        // If both are set, vLLM only checks the newer one.
        let has_newer =
            name == "max_tokens" && non_null_param(request, "max_completion_tokens").is_some();
        if has_newer && provider_of(request).has(Trait::NewerLimitOnly) {
            continue;
        }
        if value.as_f64().is_some_and(|value| value < 1.0) {
            let value = value.to_string();
            let placeholders = [("name", name), ("value", value.as_str())];
            reject(request, cx, &param_violation(name, &placeholders, "integer_below_min_value"));
        }
    }
}

pub(super) fn too_long(request: &Request<'_>, cx: &mut CheckContext) {
    for (name, limit) in MAX_STRING_LENGTHS {
        let count = str_field(request.body, name).chars().count();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let placeholders =
                [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            reject(request, cx, &param_violation(name, &placeholders, "string_above_max_length"));
        }
    }
}

pub(super) fn metadata(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(pairs) = request.body.field("metadata").and_then(Value::as_object) else { return };
    let too_many = standard_message(request, cx);
    let (key_template, value_template) = (cx.case("key"), cx.case("value"));
    let mut reject_pair = |template: &str, path: String, key: &str, count: usize, code: &str| {
        let count = count.to_string();
        let placeholders = [("key", key), ("count", count.as_str())];
        let details = ViolationDetails {
            placeholders: &placeholders,
            param: Some(&path),
            code: Some(code),
            path: path.clone(),
        };
        reject_as(template, request, cx, &details);
    };
    if pairs.len() > 16 {
        reject_pair(too_many, "metadata".into(), "", pairs.len(), "object_above_max_properties");
    }
    for (key, value) in pairs {
        let (key_length, length) =
            (key.chars().count(), value.as_str().unwrap_or_default().chars().count());
        if key_length > 64 {
            reject_pair(
                key_template,
                "metadata".into(),
                key,
                key_length,
                "string_above_max_length",
            );
        }
        if length > 512 {
            reject_pair(
                value_template,
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
