//! Rules about known parameters that a model or server does not support.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject};
use super::params::{is_reasoning, non_null_param, param_violation};
use super::profile::{ModelFlag, Profile};
use crate::Request;
use crate::check_context::CheckContext;

pub(super) fn groq_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let rejects_effort = !Profile::for_request(request).has(ModelFlag::ReasoningEffort);
    let effort = rejects_effort.then_some("reasoning_effort");
    for name in ["logprobs", "top_logprobs", "logit_bias"].into_iter().chain(effort) {
        if non_null_param(request, name).is_some() {
            let placeholders = [("name", name)];
            let details = ViolationDetails {
                path: name.into(),
                placeholders: &placeholders,
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn groq_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let name = "reasoning_effort";
    let requested = non_null_param(request, name).and_then(Value::as_str);
    let supported = Profile::for_request(request).efforts.as_deref().unwrap_or_default();
    let Some((last, first)) = supported.split_last() else { return };
    if requested.is_none_or(|requested| supported.iter().any(|supported| supported == requested)) {
        return;
    }
    let first: Vec<_> = first.iter().map(|effort| format!("`{effort}`")).collect();
    let comma = if first.len() > 1 { "," } else { "" };
    let supported = format!("{}{comma} or `{last}`", first.join(", "));
    let details = ViolationDetails {
        path: name.into(),
        placeholders: &[("known", &supported)],
        ..ViolationDetails::default()
    };
    reject(request, cx, &details);
}

pub(super) fn reasoning_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let rejects_sampling = is_reasoning(request);
    let rejects_parallel = Profile::for_request(request).has(ModelFlag::NoParallelToolCalls);
    for (name, is_default) in SAMPLING_DEFAULTS {
        if rejects_sampling && non_null_param(request, name).is_some_and(|value| !is_default(value))
        {
            reject_parameter(request, cx, name);
        }
    }
    if rejects_parallel && non_null_param(request, "parallel_tool_calls").is_some() {
        reject_parameter(request, cx, "parallel_tool_calls");
    }
}

fn reject_parameter(request: &Request<'_>, cx: &mut CheckContext, name: &str) {
    let placeholders = [("name", name)];
    reject(request, cx, &param_violation(name, &placeholders, "unsupported_parameter"));
}

fn is_one(value: &Value) -> bool {
    value.as_f64() == Some(1.0)
}

fn is_zero(value: &Value) -> bool {
    value.as_f64() == Some(0.0)
}

/// Whether a value is the parameter's default, which reasoning models accept.
type IsDefault = fn(&Value) -> bool;
const SAMPLING_DEFAULTS: &[(&str, IsDefault)] = &[
    ("top_p", is_one),
    ("presence_penalty", is_zero),
    ("frequency_penalty", is_zero),
    ("logit_bias", |_| false),
    ("logprobs", |value| *value != Value::Bool(true)),
    ("top_logprobs", is_zero),
];
