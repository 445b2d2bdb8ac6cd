//! Parameters that a model or server does not take, or not with this value.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::profile::{Profile, Temperature, ToolsWithEffort, Trait};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const MAX_TOKENS: Rule = Rule {
    name: "max-tokens",
    status: 400,
    when: "A reasoning model gets max_tokens.",
    words: MAX.lines,
    evidence: Evidence::Seen,
    source: "MaiBot#1406, 9router#560",
    check: max_tokens,
};
const MAX: Words = words! {
    INVENTOR => "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
};

pub(super) const MAX_TOKENS_TWICE: Rule = Rule {
    name: "max-tokens-twice",
    status: 400,
    when: "There are both max_tokens and max_completion_tokens.",
    words: TWICE.lines,
    evidence: Evidence::Seen,
    source: "langgraph#5943, vscode-unify-chat-provider#279",
    check: max_tokens_twice,
};
const TWICE: Words = words! {
    INVENTOR => "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
};

pub(super) const PARALLEL_WITHOUT_TOOLS: Rule = Rule {
    name: "parallel-without-tools",
    status: 400,
    when: "There is parallel_tool_calls, and there are no tools.",
    words: PARALLEL.lines,
    evidence: Evidence::Seen,
    source: "Upsonic#323, camel#3706",
    check: parallel_without_tools,
};
const PARALLEL: Words = words! {
    INVENTOR => "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
};

pub(super) const TEMPERATURE: Rule = Rule {
    name: "temperature",
    status: 400,
    when: "A reasoning model gets a temperature other than its default; the o-series, any. gpt-5.1 to 5.4 reason only if they are asked for an effort.",
    words: HOT.lines,
    evidence: Evidence::Seen,
    source: "Cursor-Azure-GPT-5#33, eva-agent#83; litellm-docs PR#1064 (gpt-5.1, 5.2 and 5.5 without an effort)",
    check: temperature,
};
const HOT: Words = words! {
    INVENTOR => "Unsupported value: 'temperature' does not support {value} with this model. Only the default (1) value is supported.",
    &["never"] => "Unsupported parameter: 'temperature' is not supported with this model.",
};

pub(super) const MOONSHOT_TEMPERATURE: Rule = Rule {
    name: "moonshot-temperature",
    status: 400,
    when: "A thinking Kimi model gets a temperature other than 1, another one beyond 0 to 1.",
    words: WARM.lines,
    evidence: Evidence::Inferred,
    source: "litellm source",
    check: moonshot_temperature,
};
const WARM: Words = words! {
    &["moonshot"] => "invalid temperature: only 1 is allowed for this model",
    &["range"] => "invalid temperature: {value}, must be between 0 and 1",
};

pub(super) const STOP: Rule = Rule {
    name: "stop",
    status: 400,
    when: "A reasoning model gets stop, which o3, o4-mini and all later ones do not take.",
    words: STOPPED.lines,
    evidence: Evidence::Inferred,
    source: "API reference; the words are those of other parameters",
    check: stop,
};
const STOPPED: Words = words! {
    INVENTOR => "Unsupported parameter: 'stop' is not supported with this model.",
};

pub(super) const EFFORT: Rule = Rule {
    name: "effort",
    status: 400,
    when: "The effort is a word that the model or server does not know.",
    words: EFFORTS.lines,
    evidence: Evidence::Documented,
    source: "Ollama source; API reference",
    check: effort,
};
const EFFORTS: Words = words! {
    INVENTOR => "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. Supported values are: {known}.",
    &["ollama"] => "invalid reasoning value: \"{value}\" (must be \"minimal\", \"low\", \"medium\", \"high\", \"xhigh\", \"ultra\", \"max\", or \"none\")",
};

pub(super) const VERBOSITY: Rule = Rule {
    name: "verbosity",
    status: 400,
    when: "A model that knows one verbosity only is asked for another.",
    words: VERBOSITIES.lines,
    evidence: Evidence::Seen,
    source: "concordia#164, big-AGI#930",
    check: verbosity,
};
const VERBOSITIES: Words = words! {
    INVENTOR => "Unsupported value: 'verbosity' does not support '{value}' with this model. Supported values are: 'medium'.",
};

pub(super) const TOOLS_WITH_EFFORT: Rule = Rule {
    name: "tools-with-effort",
    status: 400,
    when: "gpt-5.4 or 5.5 gets function tools and an effort; gpt-5.6, function tools unless the effort is `none`.",
    words: WITH.lines,
    evidence: Evidence::Seen,
    source: "pipecat#4043, litellm PR#34569, openai-openapi#541, LibreChat#14355",
    check: tools_with_effort,
};
const WITH: Words = words! {
    INVENTOR => "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. Please use /v1/responses instead.",
    &["unless none"] => "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
};

pub(super) const XAI_PARAMETER: Rule = Rule {
    name: "xai-parameter",
    status: 400,
    when: "A reasoning Grok model gets a penalty or stop, even at its default; or one that does not take it, reasoning_effort.",
    words: GROK.lines,
    evidence: Evidence::Seen,
    source: "uni-api#105, NativeTavern#83, litellm PR#16265, hermes-agent#23435",
    check: xai_parameter,
};
const GROK: Words = words! {
    &["xai"] => "Model {model} does not support parameter {name}.",
};

pub(super) const LLAMA_CPP_WITH_TOOLS: Rule = Rule {
    name: "llama-cpp-with-tools",
    status: 400,
    when: "llama.cpp gets tools with a grammar, or with logprobs while it streams.",
    words: LLAMA.lines,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: llama_cpp_with_tools,
};
const LLAMA: Words = words! {
    &["grammar"] => "Cannot use custom grammar constraints with tools.",
    &["llama.cpp", "generic"] => "logprobs is not supported with tools + stream",
};

pub(super) const OPENROUTER_EFFORT: Rule = Rule {
    name: "openrouter-effort",
    status: 400,
    when: "reasoning_effort says something else than reasoning.effort.",
    words: "Only one of \"reasoning.effort\" and \"reasoning_effort\" may be specified, or both must have the same value",
    evidence: Evidence::Inferred,
    source: "openrouter SDK 1.3.84",
    check: openrouter_effort,
};

pub(super) const RESPONSE_FORMAT: Rule = Rule {
    name: "response-format",
    status: 400,
    when: "LM Studio is asked for a json_object, or DeepSeek for a json_schema.",
    words: FORMAT.lines,
    evidence: Evidence::Seen,
    source: "lmstudio-bug-tracker#189, Vane#969, llm-exe#662, inspect_ai#4916",
    check: response_format,
};
const FORMAT: Words = words! {
    &["lm-studio", "generic"] => "'response_format.type' must be 'json_schema' or 'text'",
    &["deepseek"] => "This response_format type is unavailable now",
};

pub(super) fn field<'r>(
    name: &'r str,
    fills: &'r [(&'r str, &'r str)],
    code: &'r str,
) -> Refusal<'r> {
    Refusal { path: name.into(), fills, param: Some(name), code: Some(code) }
}

/// A parameter that is there and not null.
pub(super) fn given<'v>(request: &Request<'v>, name: &str) -> Option<&'v Value> {
    request.body.field(name).filter(|value| !value.is_null())
}

/// Whether a model of the inventor's reasons in this request.
pub(super) fn reasons(request: &Request<'_>) -> bool {
    let profile = Profile::of(request);
    match string(request.body, "reasoning_effort") {
        "none" => false,
        "" => profile.has(Trait::Reasons) && !profile.has(Trait::RestsUnasked),
        _ => profile.has(Trait::Reasons),
    }
}

fn max_tokens(request: &Request<'_>, findings: &mut Findings) {
    if given(request, "max_tokens").is_some() && Profile::of(request).has(Trait::Reasons) {
        MAX.refuse(request, findings, &field("max_tokens", &[], "unsupported_parameter"));
    }
}

fn max_tokens_twice(request: &Request<'_>, findings: &mut Findings) {
    let both = ["max_tokens", "max_completion_tokens"].map(|name| given(request, name).is_some());
    if both == [true, true] {
        TWICE.refuse(request, findings, &field("max_tokens", &[], "invalid_parameter_combination"));
    }
}

fn parallel_without_tools(request: &Request<'_>, findings: &mut Findings) {
    let name = "parallel_tool_calls";
    if given(request, name).is_some() && given(request, "tools").is_none() {
        let refusal = Refusal { path: name.into(), param: Some(name), ..Refusal::default() };
        PARALLEL.refuse(request, findings, &refusal);
    }
}

fn temperature(request: &Request<'_>, findings: &mut Findings) {
    let Some(value) = given(request, "temperature") else { return };
    let Some(words) = HOT.of(request) else { return };
    let spelled = value.to_string();
    let fills = [("value", spelled.as_str())];
    match Profile::of(request).temperature {
        // Without reasoning, the newer models take one.
        Temperature::Default if value.as_f64() != Some(1.0) && reasons(request) => {
            refuse(words, request, findings, &field("temperature", &fills, "unsupported_value"));
        }
        Temperature::Never => {
            let words = HOT.by("never").unwrap_or(words);
            refuse(words, request, findings, &field("temperature", &[], "unsupported_parameter"));
        }
        _ => {}
    }
}

fn moonshot_temperature(request: &Request<'_>, findings: &mut Findings) {
    let Some(value) = given(request, "temperature").filter(|_| request.flavor == "moonshot") else {
        return;
    };
    let (number, spelled) = (value.as_f64().unwrap_or_default(), value.to_string());
    let refusal =
        Refusal { path: "temperature".into(), fills: &[("value", &spelled)], ..Refusal::default() };
    let ranged = WARM.by("range").filter(|_| !(0.0..=1.0).contains(&number));
    let fixed = WARM.of(request).filter(|_| value.as_f64() != Some(1.0));
    let words = match Profile::of(request).temperature {
        Temperature::Default if super::thinking::thinks(request) => fixed,
        _ => ranged,
    };
    if let Some(words) = words {
        refuse(words, request, findings, &refusal);
    }
}

fn stop(request: &Request<'_>, findings: &mut Findings) {
    if given(request, "stop").is_some() && Profile::of(request).has(Trait::StopRefused) {
        STOPPED.refuse(request, findings, &field("stop", &[], "unsupported_parameter"));
    }
}

fn effort(request: &Request<'_>, findings: &mut Findings) {
    let Some(value) = request.body.field("reasoning_effort").and_then(Value::as_str) else {
        return;
    };
    let known = match request.flavor {
        "ollama" => Some(OLLAMA_EFFORTS),
        _ => Profile::of(request).efforts,
    };
    let Some(known) = known.filter(|known| !known.contains(&value)) else {
        return;
    };
    let (last, first) = known.split_last().unwrap_or((&"", &[]));
    let first: Vec<_> = first.iter().map(|one| format!("'{one}'")).collect();
    let listed = format!("{}, and '{last}'", first.join(", "));
    let fills = [("value", value), ("known", listed.as_str())];
    EFFORTS.refuse(request, findings, &field("reasoning_effort", &fills, "unsupported_value"));
}

fn verbosity(request: &Request<'_>, findings: &mut Findings) {
    let Some(value) = given(request, "verbosity") else { return };
    let name = request.model.rsplit('/').next().unwrap_or_default();
    let calm = INVENTOR.contains(&request.flavor) && CALM.iter().any(|one| name.starts_with(one));
    if calm && value.as_str() != Some("medium") {
        let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let fills = [("value", said.as_str())];
        VERBOSITIES.refuse(request, findings, &field("verbosity", &fills, "unsupported_value"));
    }
}

fn tools_with_effort(request: &Request<'_>, findings: &mut Findings) {
    let functions =
        items(request.body, "tools").iter().any(|tool| string(tool, "type") == "function");
    let effort = string(request.body, "reasoning_effort");
    let Some(words) = WITH.of(request).filter(|_| functions && effort != "none") else { return };
    let words = match Profile::of(request).tools_with_effort {
        ToolsWithEffort::RefusedWhenSet if !effort.is_empty() => words,
        ToolsWithEffort::RefusedUnlessNone => WITH.by("unless none").unwrap_or(words),
        _ => return,
    };
    let refusal = Refusal {
        path: "reasoning_effort".into(),
        fills: &[("model", request.model)],
        param: Some("reasoning_effort"),
        code: None,
    };
    refuse(words, request, findings, &refusal);
}

fn xai_parameter(request: &Request<'_>, findings: &mut Findings) {
    let profile = Profile::of(request);
    for (name, theirs, refused) in GROK_PARAMETERS {
        if given(request, name).is_some() && refused(profile) {
            let refusal = Refusal {
                path: (*name).into(),
                fills: &[("model", request.model), ("name", theirs)],
                ..Refusal::default()
            };
            GROK.refuse(request, findings, &refusal);
        }
    }
}

fn llama_cpp_with_tools(request: &Request<'_>, findings: &mut Findings) {
    if items(request.body, "tools").is_empty() {
        return;
    }
    let Some(logprobs) = LLAMA.of(request) else { return };
    if given(request, "grammar").is_some() {
        let words = LLAMA.by("grammar").unwrap_or(logprobs);
        let refusal = Refusal { path: "grammar".into(), ..Refusal::default() };
        refuse(words, request, findings, &refusal);
    }
    let on = |name: &str| request.body.field(name) == Some(&Value::Bool(true));
    if on("logprobs") && on("stream") {
        let refusal = Refusal { path: "logprobs".into(), ..Refusal::default() };
        refuse(logprobs, request, findings, &refusal);
    }
}

fn openrouter_effort(request: &Request<'_>, findings: &mut Findings) {
    let effort = request.body.field("reasoning_effort").and_then(Value::as_str);
    let other = request.body.field("reasoning").and_then(|reasoning| reasoning.field("effort"));
    let differ = effort.zip(other.and_then(Value::as_str)).is_some_and(|(one, other)| one != other);
    if request.flavor == "openrouter" && differ {
        findings.add("reasoning_effort", OPENROUTER_EFFORT.words);
    }
}

fn response_format(request: &Request<'_>, findings: &mut Findings) {
    let format = request.body.field("response_format").map_or("", |format| string(format, "type"));
    let refused = if request.flavor == "deepseek" { "json_schema" } else { "json_object" };
    if format == refused {
        let refusal = Refusal { path: "response_format.type".into(), ..Refusal::default() };
        FORMAT.refuse(request, findings, &refusal);
    }
}

const OLLAMA_EFFORTS: &[&str] =
    &["minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none"];
type Refused = fn(&Profile) -> bool;
const GROK_PARAMETERS: &[(&str, &str, Refused)] = &[
    ("presence_penalty", "presencePenalty", |profile| profile.has(Trait::Reasons)),
    ("frequency_penalty", "frequencyPenalty", |profile| profile.has(Trait::Reasons)),
    ("stop", "stop", |profile| profile.has(Trait::Reasons)),
    ("reasoning_effort", "reasoningEffort", |profile| !profile.has(Trait::TakesEffort)),
];
/// Models that are not to be made longer or shorter.
const CALM: &[&str] = &["gpt-3", "gpt-4", "gpt-5-chat"];
