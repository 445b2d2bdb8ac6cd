//! Rules about parameters that a model or server does not support, or not with this value.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, reject_at, standard_message};
use super::profile::{ModelFlag, Profile, TemperatureSupport, ToolsWithEffort};
use super::provider::provider_of;
use super::thinking::is_thinking;
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};

pub(super) fn param_violation<'r>(
    name: &'r str,
    placeholders: &'r [(&'r str, &'r str)],
    code: &'r str,
) -> ViolationDetails<'r> {
    ViolationDetails { path: name.into(), placeholders, param: Some(name), code: Some(code) }
}

/// A parameter that is set and not null.
pub(super) fn non_null_param<'v>(request: &Request<'v>, name: &str) -> Option<&'v Value> {
    request.body.field(name).filter(|value| !value.is_null())
}

/// Whether an `OpenAI` model reasons in this request.
pub(super) fn is_reasoning(request: &Request<'_>) -> bool {
    let profile = Profile::for_request(request);
    match str_field(request.body, "reasoning_effort") {
        "none" => false,
        "" => profile.has(ModelFlag::Reasoning) && !profile.has(ModelFlag::ReasonsOnlyWithEffort),
        _ => profile.has(ModelFlag::Reasoning),
    }
}

pub(super) fn max_tokens(request: &Request<'_>, cx: &mut CheckContext) {
    if non_null_param(request, "max_tokens").is_some()
        && Profile::for_request(request).has(ModelFlag::Reasoning)
    {
        reject(request, cx, &param_violation("max_tokens", &[], "unsupported_parameter"));
    }
}

pub(super) fn max_tokens_twice(request: &Request<'_>, cx: &mut CheckContext) {
    let are_set =
        ["max_tokens", "max_completion_tokens"].map(|name| non_null_param(request, name).is_some());
    if are_set == [true, true] {
        reject(request, cx, &param_violation("max_tokens", &[], "invalid_parameter_combination"));
    }
}

pub(super) fn parallel_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let name = "parallel_tool_calls";
    if non_null_param(request, name).is_some() && non_null_param(request, "tools").is_none() {
        let details = ViolationDetails {
            path: name.into(),
            param: Some(name),
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

pub(super) fn temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = non_null_param(request, "temperature") else { return };
    let template = standard_message(request, cx);
    let text = value.to_string();
    let placeholders = [("value", text.as_str())];
    match Profile::for_request(request).temperature {
        // Without reasoning, the newer models accept a temperature.
        TemperatureSupport::DefaultOnly if value.as_f64() != Some(1.0) && is_reasoning(request) => {
            reject_as(
                template,
                request,
                cx,
                &param_violation("temperature", &placeholders, "unsupported_value"),
            );
        }
        TemperatureSupport::Unsupported => {
            let template = cx.case("never");
            reject_as(
                template,
                request,
                cx,
                &param_violation("temperature", &[], "unsupported_parameter"),
            );
        }
        _ => {}
    }
}

pub(super) fn moonshot_temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = non_null_param(request, "temperature") else { return };
    let (number, text) = (value.as_f64().unwrap_or_default(), value.to_string());
    let details = ViolationDetails {
        path: "temperature".into(),
        placeholders: &[("value", &text)],
        ..ViolationDetails::default()
    };
    let is_fixed = Profile::for_request(request).temperature == TemperatureSupport::DefaultOnly
        && is_thinking(request);
    if is_fixed && value.as_f64() != Some(1.0) {
        reject(request, cx, &details);
    } else if !is_fixed && !(0.0..=1.0).contains(&number) {
        reject_as(cx.case("range"), request, cx, &details);
    }
}

pub(super) fn stop(request: &Request<'_>, cx: &mut CheckContext) {
    if non_null_param(request, "stop").is_some()
        && Profile::for_request(request).has(ModelFlag::NoStop)
    {
        reject(request, cx, &param_violation("stop", &[], "unsupported_parameter"));
    }
}

pub(super) fn effort(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = request.body.field("reasoning_effort").and_then(Value::as_str) else {
        return;
    };
    let supported = Profile::for_request(request).efforts.as_deref().unwrap_or_default();
    let Some((last, first)) = supported.split_last() else { return };
    if supported.iter().any(|supported| supported == value) {
        return;
    }
    let first: Vec<_> = first.iter().map(|name| format!("'{name}'")).collect();
    let effort_list = format!("{}, and '{last}'", first.join(", "));
    let placeholders = [("value", value), ("known", effort_list.as_str())];
    reject(request, cx, &param_violation("reasoning_effort", &placeholders, "unsupported_value"));
}

pub(super) fn verbosity(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = non_null_param(request, "verbosity") else { return };
    let name = request.model.rsplit('/').next().unwrap_or_default();
    let is_medium_only = MEDIUM_VERBOSITY_MODELS.iter().any(|prefix| name.starts_with(prefix));
    if is_medium_only && value.as_str() != Some("medium") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let placeholders = [("value", text.as_str())];
        reject(request, cx, &param_violation("verbosity", &placeholders, "unsupported_value"));
    }
}

pub(super) fn tools_with_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let has_functions =
        array_field(request.body, "tools").iter().any(|tool| str_field(tool, "type") == "function");
    let effort = str_field(request.body, "reasoning_effort");
    if !has_functions || effort == "none" {
        return;
    }
    let template = match Profile::for_request(request).tools_with_effort {
        ToolsWithEffort::RejectedWhenSet if !effort.is_empty() => standard_message(request, cx),
        ToolsWithEffort::RejectedUnlessNone => cx.case("unless-none"),
        _ => return,
    };
    let details = ViolationDetails {
        path: "reasoning_effort".into(),
        placeholders: &[("model", request.model)],
        param: Some("reasoning_effort"),
        code: None,
    };
    reject_as(template, request, cx, &details);
}

pub(super) fn xai_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let profile = Profile::for_request(request);
    for (name, grpc_name, is_rejected) in XAI_PARAMETERS {
        if non_null_param(request, name).is_some() && is_rejected(profile) {
            let details = ViolationDetails {
                path: (*name).into(),
                placeholders: &[("model", request.model), ("name", grpc_name)],
                ..ViolationDetails::default()
            };
            reject(request, cx, &details);
        }
    }
}

pub(super) fn llama_cpp_with_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if array_field(request.body, "tools").is_empty() {
        return;
    }
    let logprobs = standard_message(request, cx);
    if non_null_param(request, "grammar").is_some() {
        let template = cx.case("grammar");
        let details = ViolationDetails { path: "grammar".into(), ..ViolationDetails::default() };
        reject_as(template, request, cx, &details);
    }
    let is_enabled = |name: &str| request.body.field(name) == Some(&Value::Bool(true));
    if is_enabled("logprobs") && is_enabled("stream") {
        let details = ViolationDetails { path: "logprobs".into(), ..ViolationDetails::default() };
        reject_as(logprobs, request, cx, &details);
    }
}

pub(super) fn openrouter_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let effort = request.body.field("reasoning_effort").and_then(Value::as_str);
    let other = request.body.field("reasoning").and_then(|reasoning| reasoning.field("effort"));
    let are_different =
        effort.zip(other.and_then(Value::as_str)).is_some_and(|(one, other)| one != other);
    if are_different {
        cx.reject("reasoning_effort", standard_message(request, cx));
    }
}

pub(super) fn response_format(request: &Request<'_>, cx: &mut CheckContext) {
    let format =
        request.body.field("response_format").map_or("", |format| str_field(format, "type"));
    let rejected = provider_of(request).rejected_format.as_deref().unwrap_or("json_object");
    if format == rejected {
        reject_at(request, cx, "response_format.type");
    }
}

type ProfilePredicate = fn(&Profile) -> bool;
const XAI_PARAMETERS: &[(&str, &str, ProfilePredicate)] = &[
    ("presence_penalty", "presencePenalty", |profile| profile.has(ModelFlag::Reasoning)),
    ("frequency_penalty", "frequencyPenalty", |profile| profile.has(ModelFlag::Reasoning)),
    ("stop", "stop", |profile| profile.has(ModelFlag::Reasoning)),
    ("reasoning_effort", "reasoningEffort", |profile| !profile.has(ModelFlag::ReasoningEffort)),
];
/// Models that only support the verbosity `medium`.
const MEDIUM_VERBOSITY_MODELS: &[&str] = &["gpt-3", "gpt-4", "gpt-5-chat"];
