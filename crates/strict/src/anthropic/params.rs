//! Rules about sampling, stop sequences, the container and other settings.

use serde_json::Value;

use super::profile::{SamplingSupport, ThinkingMode, profile, thinking_mode};
use super::{headers, view};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

fn non_null_param<'v>(body: &'v Value, key: &str) -> Option<&'v Value> {
    body.field(key).filter(|value| !value.is_null())
}

fn number_param(body: &Value, key: &str) -> Option<f64> {
    body.field(key).and_then(Value::as_f64)
}

pub(super) fn out_of_range(request: &Request<'_>, cx: &mut CheckContext) {
    for (key, min, max) in PARAM_RANGES {
        let Some(value) = number_param(request.body, key) else { continue };
        let message = if value < *min {
            format!("{key}: Input should be greater than or equal to {min}")
        } else if max.is_some_and(|max| value > max) {
            format!("{key}: Input should be less than or equal to {}", max.unwrap_or_default())
        } else {
            continue;
        };
        cx.reject(*key, message);
    }
}

pub(super) fn removed_sampling(request: &Request<'_>, cx: &mut CheckContext) {
    if headers::is_newest_version(request) {
        for key in SAMPLING_PARAMS.iter().filter(|key| non_null_param(request.body, key).is_some())
        {
            cx.reject(*key, format!("{key}: Extra inputs are not permitted"));
        }
    }
}

pub(super) fn deprecated_sampling(request: &Request<'_>, cx: &mut CheckContext) {
    if profile(request.model).sampling != SamplingSupport::DefaultsOnly {
        return;
    }
    for key in SAMPLING_PARAMS {
        // Only the default is accepted: 1, for parameters that have one.
        let is_default = *key != "top_k" && number_param(request.body, key) == Some(1.0);
        if non_null_param(request.body, key).is_some() && !is_default {
            cx.reject(*key, format!("`{key}` is deprecated for this model."));
        }
    }
}

pub(super) fn sampling_while_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let is_thinking =
        matches!(thinking_mode(request), ThinkingMode::Manual | ThinkingMode::Adaptive);
    if !is_thinking || profile(request.model).sampling == SamplingSupport::DefaultsOnly {
        return;
    }
    let body = request.body;
    if number_param(body, "temperature").is_some_and(|temperature| (temperature - 1.0).abs() > 0.0)
    {
        cx.reject(
            "temperature",
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        );
    }
    if number_param(body, "top_p").is_some_and(|top_p| top_p < 0.95) {
        let message =
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.";
        cx.reject("top_p", message);
    }
    if non_null_param(body, "top_k").is_some() {
        cx.reject("top_k", "`top_k` must be unset when thinking is enabled.");
    }
}

pub(super) fn temperature_and_top_p(request: &Request<'_>, cx: &mut CheckContext) {
    let is_given = |key| non_null_param(request.body, key).is_some();
    if profile(request.model).sampling == SamplingSupport::TemperatureOrTopP
        && is_given("temperature")
        && is_given("top_p")
    {
        cx.reject(
            "top_p",
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        );
    }
}

pub(super) fn blank_stop_sequence(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, stop) in array_field(request.body, "stop_sequences").iter().enumerate() {
        if stop.as_str().is_some_and(view::is_blank) {
            cx.reject(
                format!("stop_sequences.{at}"),
                "stop_sequences: each stop sequence must contain non-whitespace",
            );
        }
    }
}

pub(super) fn container_without_tool(request: &Request<'_>, cx: &mut CheckContext) {
    let is_code_execution = |tool: &Value| str_field(tool, "type").starts_with("code_execution_");
    let has_no_tool = !array_field(request.body, "tools").iter().any(is_code_execution);
    if has_no_tool && non_null_param(request.body, "container").is_some() {
        cx.reject(
            "container",
            "Container identifier can only be provided when using the code execution tool",
        );
    }
}

/// With `max_tokens` 0, settings that only concern the output are rejected.
pub(super) fn prewarm_conflict(request: &Request<'_>, cx: &mut CheckContext) {
    let body = request.body;
    if body.field("max_tokens").and_then(view::as_integer) != Some(0) {
        return;
    }
    let is_forced = matches!(str_field(&body["tool_choice"], "type"), "any" | "tool");
    let has_format = body.pointer("/output_config/format").is_some_and(|format| !format.is_null());
    let conflicts = [
        ("stream", body.field("stream") == Some(&Value::Bool(true))),
        ("thinking", thinking_mode(request) == ThinkingMode::Manual),
        ("output_config.format", has_format),
        ("tool_choice", is_forced),
    ];
    for (key, _) in conflicts.into_iter().filter(|(_, is_set)| *is_set) {
        cx.reject(key, format!("max_tokens: 0 is not supported together with `{key}`."));
    }
}

const SAMPLING_PARAMS: &[&str] = &["temperature", "top_p", "top_k"];

/// Minimum and maximum of numeric parameters.
const PARAM_RANGES: &[(&str, f64, Option<f64>)] = &[
    ("max_tokens", 0.0, None),
    ("temperature", 0.0, Some(1.0)),
    ("top_p", 0.0, Some(1.0)),
    ("top_k", 0.0, None),
];

pub(super) fn small_task_budget(request: &Request<'_>, cx: &mut CheckContext) {
    let total = request.body.pointer("/output_config/task_budget/total").and_then(view::as_integer);
    if total.is_some_and(|total| total < MIN_TASK_BUDGET) {
        let path = "output_config.task_budget.total";
        let message = format!("{path}: Input should be greater than or equal to {MIN_TASK_BUDGET}");
        cx.reject(path, message);
    }
}

pub(super) fn too_many_fallbacks(request: &Request<'_>, cx: &mut CheckContext) {
    let count = array_field(request.body, "fallbacks").len();
    if count > MAX_FALLBACKS {
        let message = format!(
            "fallbacks: List should have at most {MAX_FALLBACKS} items after validation, not {count}"
        );
        cx.reject("fallbacks", message);
    }
}

/// The API rejects email addresses as user ids.
pub(super) fn mail_address(request: &Request<'_>, cx: &mut CheckContext) {
    let user = request.body.pointer("/metadata/user_id").and_then(Value::as_str);
    if user.is_some_and(contains_email) {
        cx.reject("metadata.user_id", cx.message());
    }
}

/// Whether a text contains something of the form `name@host.tld`.
fn contains_email(id: &str) -> bool {
    id.match_indices('@').any(|(at, _)| {
        let has_name =
            id[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c));
        let host = id[at + 1..].split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-');
        let host = host.into_iter().next().unwrap_or_default().as_bytes();
        let is_end = |part: &[u8]| {
            part[0] == b'.' && part[1].is_ascii_alphabetic() && part[2].is_ascii_alphabetic()
        };
        has_name && host.windows(3).skip(1).any(is_end)
    })
}

/// Minimum in tokens.
const MIN_TASK_BUDGET: i64 = 20_000;
const MAX_FALLBACKS: usize = 3;
