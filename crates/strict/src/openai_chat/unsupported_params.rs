//! Rules about known parameters that a model or server does not support.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages};
use super::flavor::FIRST_PARTY;
use super::params::{is_reasoning, non_null_param, param_violation};
use super::profile::{ModelFlag, Profile};
use crate::check_context::CheckContext;
use crate::{Evidence, Request, Rule};

pub(super) const REASONING_PARAMETER: Rule = Rule {
    name: "reasoning-parameter",
    status: 400,
    condition: "A model that reasons in this request has a top_p or penalty other than its default, a logit_bias or log probabilities; or an o-series model has parallel_tool_calls.",
    error_message: REASONING_PARAMETER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "chatbox#2627, nextai-translator#1781, langchain4j#3258 with Microsoft's list (also of logprobs); llama_index#20865, tensorzero#2805, semantic-kernel#10365 (parallel_tool_calls); defaults are accepted: zenn.dev/headwaters/articles/a5468c45ec2e52",
    check: reasoning_parameter,
};
const REASONING_PARAMETER_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported parameter: '{name}' is not supported with this model.",
};

pub(super) const GROQ_PARAMETER: Rule = Rule {
    name: "groq-parameter",
    status: 400,
    condition: "There are log probabilities or a logit_bias; or reasoning_effort is set for a model that does not reason.",
    error_message: GROQ_PARAMETER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "groq-python#25, console.groq.com/docs/openai; OmniRoute PR#3277 (reasoning_effort)",
    check: groq_parameter,
};
const GROQ_PARAMETER_ERRORS: ErrorMessages =
    error_messages! { &["groq"] => "`{name}` is not supported with this model" };

pub(super) const GROQ_EFFORT: Rule = Rule {
    name: "groq-effort",
    status: 400,
    condition: "The effort is not `none` or `default` for Qwen, or not `low`, `medium` or `high` for gpt-oss.",
    error_message: GROQ_EFFORT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "pi#1745, modelparams.dev PR#114; llm-zoomcamp#183 (gpt-oss)",
    check: groq_effort,
};
const GROQ_EFFORT_ERRORS: ErrorMessages =
    error_messages! { &["groq"] => "`reasoning_effort` must be one of {known}" };

fn groq_parameter(request: &Request<'_>, cx: &mut CheckContext) {
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
            GROQ_PARAMETER_ERRORS.reject(request, cx, &details);
        }
    }
}

fn groq_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let name = "reasoning_effort";
    let requested = non_null_param(request, name).and_then(Value::as_str);
    let supported = Profile::for_request(request).efforts.unwrap_or_default();
    let Some((last, first)) = supported.split_last() else { return };
    if requested.is_none_or(|requested| supported.contains(&requested)) {
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
    GROQ_EFFORT_ERRORS.reject(request, cx, &details);
}

fn reasoning_parameter(request: &Request<'_>, cx: &mut CheckContext) {
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
    REASONING_PARAMETER_ERRORS.reject(
        request,
        cx,
        &param_violation(name, &placeholders, "unsupported_parameter"),
    );
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
