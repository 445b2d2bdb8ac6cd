//! Rules about parameters that a model or server does not support, or not with this value.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::FIRST_PARTY;
use super::profile::{ModelFlag, Profile, TemperatureSupport, ToolsWithEffort};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const MAX_TOKENS: Rule = Rule {
    name: "max-tokens",
    status: 400,
    condition: "max_tokens is set for a reasoning model.",
    error_message: MAX_TOKENS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "MaiBot#1406, 9router#560",
    check: max_tokens,
};
const MAX_TOKENS_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
};

pub(super) const MAX_TOKENS_TWICE: Rule = Rule {
    name: "max-tokens-twice",
    status: 400,
    condition: "Both max_tokens and max_completion_tokens are set.",
    error_message: MAX_TOKENS_TWICE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "langgraph#5943, vscode-unify-chat-provider#279",
    check: max_tokens_twice,
};
const MAX_TOKENS_TWICE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
};

pub(super) const PARALLEL_WITHOUT_TOOLS: Rule = Rule {
    name: "parallel-without-tools",
    status: 400,
    condition: "parallel_tool_calls is set without tools.",
    error_message: PARALLEL_WITHOUT_TOOLS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Upsonic#323, camel#3706",
    check: parallel_without_tools,
};
const PARALLEL_WITHOUT_TOOLS_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
};

pub(super) const TEMPERATURE: Rule = Rule {
    name: "temperature",
    status: 400,
    condition: "The temperature of a reasoning model is not its default; on the o-series, it is set. gpt-5.1 to 5.4 reason only if an effort is set.",
    error_message: TEMPERATURE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Cursor-Azure-GPT-5#33, eva-agent#83; litellm-docs PR#1064 (gpt-5.1, 5.2 and 5.5 without an effort)",
    check: temperature,
};
const TEMPERATURE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported value: 'temperature' does not support {value} with this model. Only the default (1) value is supported.",
    &["never"] => "Unsupported parameter: 'temperature' is not supported with this model.",
};

pub(super) const MOONSHOT_TEMPERATURE: Rule = Rule {
    name: "moonshot-temperature",
    status: 400,
    condition: "The temperature of a thinking Kimi model is not 1, or that of another Kimi model is not from 0 to 1.",
    error_message: MOONSHOT_TEMPERATURE_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "litellm source",
    check: moonshot_temperature,
};
const MOONSHOT_TEMPERATURE_ERRORS: ErrorMessages = error_messages! {
    &["moonshot"] => "invalid temperature: only 1 is allowed for this model",
    &["range"] => "invalid temperature: {value}, must be between 0 and 1",
};

pub(super) const STOP: Rule = Rule {
    name: "stop",
    status: 400,
    condition: "stop is set for a reasoning model; o3, o4-mini and all later ones do not support it.",
    error_message: STOP_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference; worded as for other parameters",
    check: stop,
};
const STOP_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported parameter: 'stop' is not supported with this model.",
};

pub(super) const EFFORT: Rule = Rule {
    name: "effort",
    status: 400,
    condition: "The model or server does not support this effort.",
    error_message: EFFORT_ERRORS.all,
    evidence: Evidence::Documented,
    source: "Ollama source; API reference",
    check: effort,
};
const EFFORT_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. Supported values are: {known}.",
    &["ollama"] => "invalid reasoning value: \"{value}\" (must be \"minimal\", \"low\", \"medium\", \"high\", \"xhigh\", \"ultra\", \"max\", or \"none\")",
};

pub(super) const VERBOSITY: Rule = Rule {
    name: "verbosity",
    status: 400,
    condition: "Another verbosity than medium is requested from a model that only supports medium.",
    error_message: VERBOSITY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "concordia#164, big-AGI#930",
    check: verbosity,
};
const VERBOSITY_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unsupported value: 'verbosity' does not support '{value}' with this model. Supported values are: 'medium'.",
};

pub(super) const TOOLS_WITH_EFFORT: Rule = Rule {
    name: "tools-with-effort",
    status: 400,
    condition: "gpt-5.4 or 5.5 has function tools and an effort; gpt-5.6 has function tools and an effort other than `none`.",
    error_message: TOOLS_WITH_EFFORT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "pipecat#4043, litellm PR#34569, openai-openapi#541, LibreChat#14355",
    check: tools_with_effort,
};
const TOOLS_WITH_EFFORT_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. Please use /v1/responses instead.",
    &["unless none"] => "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
};

pub(super) const XAI_PARAMETER: Rule = Rule {
    name: "xai-parameter",
    status: 400,
    condition: "A penalty or stop is set for a reasoning Grok model, even to its default; or reasoning_effort for a model that does not support it.",
    error_message: XAI_PARAMETER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "uni-api#105, NativeTavern#83, litellm PR#16265, hermes-agent#23435",
    check: xai_parameter,
};
const XAI_PARAMETER_ERRORS: ErrorMessages = error_messages! {
    &["xai"] => "Model {model} does not support parameter {name}.",
};

pub(super) const LLAMA_CPP_WITH_TOOLS: Rule = Rule {
    name: "llama-cpp-with-tools",
    status: 400,
    condition: "Tools are combined with a grammar, or with logprobs in a streamed reply, on llama.cpp.",
    error_message: LLAMA_CPP_WITH_TOOLS_ERRORS.all,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: llama_cpp_with_tools,
};
const LLAMA_CPP_WITH_TOOLS_ERRORS: ErrorMessages = error_messages! {
    &["grammar"] => "Cannot use custom grammar constraints with tools.",
    &["llama.cpp", "generic"] => "logprobs is not supported with tools + stream",
};

pub(super) const OPENROUTER_EFFORT: Rule = Rule {
    name: "openrouter-effort",
    status: 400,
    condition: "reasoning_effort differs from reasoning.effort.",
    error_message: "Only one of \"reasoning.effort\" and \"reasoning_effort\" may be specified, or both must have the same value",
    evidence: Evidence::Inferred,
    source: "openrouter SDK 1.3.84",
    check: openrouter_effort,
};

pub(super) const RESPONSE_FORMAT: Rule = Rule {
    name: "response-format",
    status: 400,
    condition: "A json_object is requested from LM Studio, or a json_schema from DeepSeek.",
    error_message: RESPONSE_FORMAT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "lmstudio-bug-tracker#189, Vane#969, llm-exe#662, inspect_ai#4916",
    check: response_format,
};
const RESPONSE_FORMAT_ERRORS: ErrorMessages = error_messages! {
    &["lm-studio", "generic"] => "'response_format.type' must be 'json_schema' or 'text'",
    &["deepseek"] => "This response_format type is unavailable now",
};

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

fn max_tokens(request: &Request<'_>, cx: &mut CheckContext) {
    if non_null_param(request, "max_tokens").is_some()
        && Profile::for_request(request).has(ModelFlag::Reasoning)
    {
        MAX_TOKENS_ERRORS.reject(
            request,
            cx,
            &param_violation("max_tokens", &[], "unsupported_parameter"),
        );
    }
}

fn max_tokens_twice(request: &Request<'_>, cx: &mut CheckContext) {
    let are_set =
        ["max_tokens", "max_completion_tokens"].map(|name| non_null_param(request, name).is_some());
    if are_set == [true, true] {
        MAX_TOKENS_TWICE_ERRORS.reject(
            request,
            cx,
            &param_violation("max_tokens", &[], "invalid_parameter_combination"),
        );
    }
}

fn parallel_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let name = "parallel_tool_calls";
    if non_null_param(request, name).is_some() && non_null_param(request, "tools").is_none() {
        let details = ViolationDetails {
            path: name.into(),
            param: Some(name),
            ..ViolationDetails::default()
        };
        PARALLEL_WITHOUT_TOOLS_ERRORS.reject(request, cx, &details);
    }
}

fn temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = non_null_param(request, "temperature") else { return };
    let Some(template) = TEMPERATURE_ERRORS.for_request(request) else { return };
    let text = value.to_string();
    let placeholders = [("value", text.as_str())];
    match Profile::for_request(request).temperature {
        // Without reasoning, the newer models accept a temperature.
        TemperatureSupport::DefaultOnly if value.as_f64() != Some(1.0) && is_reasoning(request) => {
            reject(
                template,
                request,
                cx,
                &param_violation("temperature", &placeholders, "unsupported_value"),
            );
        }
        TemperatureSupport::Unsupported => {
            let template = TEMPERATURE_ERRORS.for_responder("never").unwrap_or(template);
            reject(
                template,
                request,
                cx,
                &param_violation("temperature", &[], "unsupported_parameter"),
            );
        }
        _ => {}
    }
}

fn moonshot_temperature(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) =
        non_null_param(request, "temperature").filter(|_| request.flavor == "moonshot")
    else {
        return;
    };
    let (number, text) = (value.as_f64().unwrap_or_default(), value.to_string());
    let details = ViolationDetails {
        path: "temperature".into(),
        placeholders: &[("value", &text)],
        ..ViolationDetails::default()
    };
    let range_template = MOONSHOT_TEMPERATURE_ERRORS
        .for_responder("range")
        .filter(|_| !(0.0..=1.0).contains(&number));
    let fixed_template =
        MOONSHOT_TEMPERATURE_ERRORS.for_request(request).filter(|_| value.as_f64() != Some(1.0));
    let template = match Profile::for_request(request).temperature {
        TemperatureSupport::DefaultOnly if super::thinking::is_thinking(request) => fixed_template,
        _ => range_template,
    };
    if let Some(template) = template {
        reject(template, request, cx, &details);
    }
}

fn stop(request: &Request<'_>, cx: &mut CheckContext) {
    if non_null_param(request, "stop").is_some()
        && Profile::for_request(request).has(ModelFlag::NoStop)
    {
        STOP_ERRORS.reject(request, cx, &param_violation("stop", &[], "unsupported_parameter"));
    }
}

fn effort(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = request.body.field("reasoning_effort").and_then(Value::as_str) else {
        return;
    };
    let supported = match request.flavor {
        "ollama" => Some(OLLAMA_EFFORTS),
        _ => Profile::for_request(request).efforts,
    };
    let Some(supported) = supported.filter(|supported| !supported.contains(&value)) else {
        return;
    };
    let (last, first) = supported.split_last().unwrap_or((&"", &[]));
    let first: Vec<_> = first.iter().map(|name| format!("'{name}'")).collect();
    let effort_list = format!("{}, and '{last}'", first.join(", "));
    let placeholders = [("value", value), ("known", effort_list.as_str())];
    EFFORT_ERRORS.reject(
        request,
        cx,
        &param_violation("reasoning_effort", &placeholders, "unsupported_value"),
    );
}

fn verbosity(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(value) = non_null_param(request, "verbosity") else { return };
    let name = request.model.rsplit('/').next().unwrap_or_default();
    let is_medium_only = FIRST_PARTY.contains(&request.flavor)
        && MEDIUM_VERBOSITY_MODELS.iter().any(|prefix| name.starts_with(prefix));
    if is_medium_only && value.as_str() != Some("medium") {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let placeholders = [("value", text.as_str())];
        VERBOSITY_ERRORS.reject(
            request,
            cx,
            &param_violation("verbosity", &placeholders, "unsupported_value"),
        );
    }
}

fn tools_with_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let has_functions =
        array_field(request.body, "tools").iter().any(|tool| str_field(tool, "type") == "function");
    let effort = str_field(request.body, "reasoning_effort");
    let Some(template) =
        TOOLS_WITH_EFFORT_ERRORS.for_request(request).filter(|_| has_functions && effort != "none")
    else {
        return;
    };
    let template = match Profile::for_request(request).tools_with_effort {
        ToolsWithEffort::RejectedWhenSet if !effort.is_empty() => template,
        ToolsWithEffort::RejectedUnlessNone => {
            TOOLS_WITH_EFFORT_ERRORS.for_responder("unless none").unwrap_or(template)
        }
        _ => return,
    };
    let details = ViolationDetails {
        path: "reasoning_effort".into(),
        placeholders: &[("model", request.model)],
        param: Some("reasoning_effort"),
        code: None,
    };
    reject(template, request, cx, &details);
}

fn xai_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let profile = Profile::for_request(request);
    for (name, grpc_name, is_rejected) in XAI_PARAMETERS {
        if non_null_param(request, name).is_some() && is_rejected(profile) {
            let details = ViolationDetails {
                path: (*name).into(),
                placeholders: &[("model", request.model), ("name", grpc_name)],
                ..ViolationDetails::default()
            };
            XAI_PARAMETER_ERRORS.reject(request, cx, &details);
        }
    }
}

fn llama_cpp_with_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if array_field(request.body, "tools").is_empty() {
        return;
    }
    let Some(logprobs) = LLAMA_CPP_WITH_TOOLS_ERRORS.for_request(request) else { return };
    if non_null_param(request, "grammar").is_some() {
        let template = LLAMA_CPP_WITH_TOOLS_ERRORS.for_responder("grammar").unwrap_or(logprobs);
        let details = ViolationDetails { path: "grammar".into(), ..ViolationDetails::default() };
        reject(template, request, cx, &details);
    }
    let is_enabled = |name: &str| request.body.field(name) == Some(&Value::Bool(true));
    if is_enabled("logprobs") && is_enabled("stream") {
        let details = ViolationDetails { path: "logprobs".into(), ..ViolationDetails::default() };
        reject(logprobs, request, cx, &details);
    }
}

fn openrouter_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let effort = request.body.field("reasoning_effort").and_then(Value::as_str);
    let other = request.body.field("reasoning").and_then(|reasoning| reasoning.field("effort"));
    let are_different =
        effort.zip(other.and_then(Value::as_str)).is_some_and(|(one, other)| one != other);
    if request.flavor == "openrouter" && are_different {
        cx.reject("reasoning_effort", OPENROUTER_EFFORT.error_message);
    }
}

fn response_format(request: &Request<'_>, cx: &mut CheckContext) {
    let format =
        request.body.field("response_format").map_or("", |format| str_field(format, "type"));
    let rejected = if request.flavor == "deepseek" { "json_schema" } else { "json_object" };
    if format == rejected {
        let details =
            ViolationDetails { path: "response_format.type".into(), ..ViolationDetails::default() };
        RESPONSE_FORMAT_ERRORS.reject(request, cx, &details);
    }
}

const OLLAMA_EFFORTS: &[&str] =
    &["minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none"];
type ProfilePredicate = fn(&Profile) -> bool;
const XAI_PARAMETERS: &[(&str, &str, ProfilePredicate)] = &[
    ("presence_penalty", "presencePenalty", |profile| profile.has(ModelFlag::Reasoning)),
    ("frequency_penalty", "frequencyPenalty", |profile| profile.has(ModelFlag::Reasoning)),
    ("stop", "stop", |profile| profile.has(ModelFlag::Reasoning)),
    ("reasoning_effort", "reasoningEffort", |profile| !profile.has(ModelFlag::ReasoningEffort)),
];
/// Models that only support the verbosity `medium`.
const MEDIUM_VERBOSITY_MODELS: &[&str] = &["gpt-3", "gpt-4", "gpt-5-chat"];
