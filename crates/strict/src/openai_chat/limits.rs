//! How much, how long and how many.

use serde_json::Value;

use super::flavor::{COPIES, INVENTOR};
use super::params::{field, given};
use super::words::{Refusal, Words, refuse, words};
use crate::openai_context;
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const OUT_OF_RANGE: Rule = Rule {
    name: "out-of-range",
    status: 400,
    when: "A number is beyond its limits: temperature 0 to 2, top_p 0 to 1, penalties -2 to 2, top_logprobs 0 to 20.",
    words: RANGE.lines,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: out_of_range,
};
const RANGE: Words = words! {
    COPIES => "Invalid '{name}': decimal above maximum value. Expected a value <= {limit}, but got {value} instead.",
    &["below"] => "Invalid '{name}': decimal below minimum value. Expected a value >= {limit}, but got {value} instead.",
};

pub(super) const MAX_TOKENS_ABOVE_CAP: Rule = Rule {
    name: "max-tokens-above-cap",
    status: 400,
    when: "More tokens are asked for than the model answers with; known of models that do not reason.",
    words: LONG_ANSWER.lines,
    evidence: Evidence::Seen,
    source: "ExtractThinker#346 (gpt-4o), opencode#140 (gpt-4.1), openai-python#687, NextChat#3195 (4096); public code 33120450029",
    check: max_tokens_above_cap,
};
const LONG_ANSWER: Words = words! {
    INVENTOR => "{name} is too large: {asked}. This model supports at most {most} completion tokens, whereas you provided {asked}.",
};
/// How a model's name begins, and how many tokens its answer has at most.
const ANSWERS: &[(&str, u32)] = &[
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
    when: "There are top_logprobs without `logprobs: true`.",
    words: PROBABLE.lines,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: top_logprobs,
};
const PROBABLE: Words = words! {
    INVENTOR => "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
};

pub(super) const TOO_MANY: Rule = Rule {
    name: "too-many",
    status: 400,
    when: "There are more than 128 tools or 4 stop sequences.",
    words: MANY.lines,
    evidence: Evidence::Seen,
    source: "better-chatbot#197, hexstrike#29",
    check: too_many,
};
const MANY: Words = words! {
    INVENTOR => "Invalid '{name}': array too long. Expected an array with maximum length {limit}, but got an array with length {count} instead.",
};

pub(super) const TOO_MANY_STOPS: Rule = Rule {
    name: "too-many-stops",
    status: 400,
    when: "There are more than 4 stop sequences (groq, glm).",
    words: STOPS.lines,
    evidence: Evidence::Seen,
    source: "letta PR#1288 (Groq), Qwen-Agent#370 (GLM)",
    check: too_many_stops,
};
const STOPS: Words = words! {
    &["groq"] => "stop : one of the following must be satisfied{which}",
    &["glm"] => "stop:最大只能有4个停止词",
};

pub(super) const NO_LENGTH: Rule = Rule {
    name: "no-length",
    status: 400,
    when: "The answer may have less than one token.",
    words: LENGTH.lines,
    evidence: Evidence::Seen,
    source: "recorded replies, public code 36951614859, 61511184616; vLLM source",
    check: no_length,
};
const LENGTH: Words = words! {
    INVENTOR => "Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {value} instead.",
    &["vllm"] => "max_tokens must be at least 1, got {value}.",
};

pub(super) const CONTEXT_LENGTH: Rule = Rule {
    name: "context-length",
    status: 400,
    when: "The prompt, carefully estimated, does not fit the model's context window.",
    words: CONTEXT.lines,
    evidence: Evidence::Quoted,
    source: "row 20, code `context_length_exceeded`; how large the windows are is ours",
    check: context_length,
};
const CONTEXT: Words = words! {
    INVENTOR => "This model's maximum context length is {limit} tokens. However, your messages resulted in {count} tokens. Please reduce the length of the messages.",
};

pub(super) const OPENROUTER_LEAST_TOKENS: Rule = Rule {
    name: "openrouter-least-tokens",
    status: 400,
    when: "A model of OpenAI's is to answer in less than 16 tokens; the router asks it in the newer API. Open weights are served by others.",
    words: LEAST.lines,
    evidence: Evidence::Seen,
    source: "claude-code-router#994, hindsight#58 (Azure), guidellm#370 (gpt-4.1-mini)",
    check: openrouter_least_tokens,
};
const LEAST: Words = words! {
    &["openrouter"] => "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {value} instead.",
};

pub(super) const TOO_LONG: Rule = Rule {
    name: "too-long",
    status: 400,
    when: "safety_identifier is longer than 128 characters; OpenRouter's session_id, than 256.",
    words: LONG.lines,
    evidence: Evidence::Inferred,
    source: "API reference; the words are those of other fields",
    check: too_long,
};
const LONG: Words = words! {
    COPIES => "Invalid '{name}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const METADATA: Rule = Rule {
    name: "metadata",
    status: 400,
    when: "There are more than 16 pairs of metadata, or a key of more than 64 or a value of more than 512 characters.",
    words: PAIRS.lines,
    evidence: Evidence::Inferred,
    source: "API reference",
    check: metadata,
};
const PAIRS: Words = words! {
    INVENTOR => "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with {count} properties instead.",
    &["value"] => "Invalid 'metadata.{key}': string too long. Expected a string with maximum length 512, but got a string with length {count} instead.",
    &["key"] => "Invalid property name in 'metadata': '{key}' is too long. Expected a string with maximum length 64, but got a string with length {count} instead.",
};

fn out_of_range(request: &Request<'_>, findings: &mut Findings) {
    let Some(above) = RANGE.of(request) else { return };
    let below = RANGE.by("below").unwrap_or(above);
    for (name, least, most) in RANGES {
        let Some(value) = given(request, name).filter(|value| value.is_number()) else { continue };
        let number = value.as_f64().unwrap_or_default();
        let (words, limit, code) = if number > f64::from(*most) {
            (above, most, "decimal_above_max_value")
        } else if number < f64::from(*least) {
            (below, least, "decimal_below_min_value")
        } else {
            continue;
        };
        let (limit, value) = (limit.to_string(), value.to_string());
        let fills = [("name", *name), ("limit", limit.as_str()), ("value", value.as_str())];
        refuse(words, request, findings, &field(name, &fills, code));
    }
}

fn max_tokens_above_cap(request: &Request<'_>, findings: &mut Findings) {
    let model = request.model.rsplit('/').next().unwrap_or_default();
    let Some((_, most)) = ANSWERS.iter().find(|(start, _)| model.starts_with(start)) else {
        return;
    };
    for name in ["max_tokens", "max_completion_tokens"] {
        let Some(asked) = given(request, name).filter(|asked| asked.is_number()) else { continue };
        if asked.as_f64() > Some(f64::from(*most)) {
            let (asked, most) = (asked.to_string(), most.to_string());
            let fills = [("name", name), ("asked", &asked), ("most", &most)];
            LONG_ANSWER.refuse(request, findings, &field(name, &fills, "invalid_value"));
        }
    }
}

fn top_logprobs(request: &Request<'_>, findings: &mut Findings) {
    let asked = given(request, "top_logprobs").is_some();
    if asked && request.body.field("logprobs") != Some(&Value::Bool(true)) {
        PROBABLE.refuse(request, findings, &field("top_logprobs", &[], "invalid_value"));
    }
}

fn openrouter_least_tokens(request: &Request<'_>, findings: &mut Findings) {
    let named = request.model.strip_prefix("openai/");
    if named.is_none_or(|name| name.starts_with("gpt-oss")) {
        return;
    }
    let newer = given(request, "max_completion_tokens").is_some();
    // The newer name is looked at alone where both are given.
    for name in ["max_tokens", "max_completion_tokens"].into_iter().skip(usize::from(newer)) {
        let given = given(request, name).filter(|value| value.as_f64().is_some_and(|n| n < 16.0));
        if let Some(value) = given {
            let value = value.to_string();
            let refusal = Refusal {
                path: name.into(),
                fills: &[("value", &value)],
                param: Some("max_output_tokens"),
                code: None,
            };
            LEAST.refuse(request, findings, &refusal);
        }
    }
}

fn context_length(request: &Request<'_>, findings: &mut Findings) {
    let most = openai_context::context(request.model);
    let tokens = openai_context::estimate(request.body, &["messages", "tools", "functions"]);
    if tokens > most {
        let (limit, count) = (most.to_string(), tokens.to_string());
        let refusal = Refusal {
            path: "messages".to_owned(),
            fills: &[("limit", &limit), ("count", &count)],
            param: Some("messages"),
            code: Some("context_length_exceeded"),
        };
        CONTEXT.refuse(request, findings, &refusal);
    }
}

fn too_many(request: &Request<'_>, findings: &mut Findings) {
    for (name, limit) in LISTS {
        let count = items(request.body, name).len();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let fills = [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            MANY.refuse(request, findings, &field(name, &fills, "array_above_max_length"));
        }
    }
}

fn too_many_stops(request: &Request<'_>, findings: &mut Findings) {
    if items(request.body, "stop").len() > 4 {
        let which = "\n  stop : value must be a string\n  stop : maximum number of items is 4";
        STOPS.refuse(request, findings, &field("stop", &[("which", which)], "1214"));
    }
}

fn no_length(request: &Request<'_>, findings: &mut Findings) {
    for name in ["max_tokens", "max_completion_tokens"] {
        let Some(value) = given(request, name) else { continue };
        // The newer name is looked at alone where both are known.
        let newer = name == "max_tokens" && given(request, "max_completion_tokens").is_some();
        if newer && request.flavor == "vllm" {
            continue;
        }
        if value.as_f64().is_some_and(|value| value < 1.0) {
            let value = value.to_string();
            let fills = [("name", name), ("value", value.as_str())];
            LENGTH.refuse(request, findings, &field(name, &fills, "integer_below_min_value"));
        }
    }
}

fn too_long(request: &Request<'_>, findings: &mut Findings) {
    for (name, limit) in STRINGS {
        let count = string(request.body, name).chars().count();
        if count > *limit {
            let (limit, count) = (limit.to_string(), count.to_string());
            let fills = [("name", *name), ("limit", limit.as_str()), ("count", count.as_str())];
            LONG.refuse(request, findings, &field(name, &fills, "string_above_max_length"));
        }
    }
}

fn metadata(request: &Request<'_>, findings: &mut Findings) {
    let Some(pairs) = request.body.field("metadata").and_then(Value::as_object) else { return };
    let Some(many) = PAIRS.of(request) else { return };
    let mut say = |words: &str, path: String, key: &str, count: usize, code: &str| {
        let count = count.to_string();
        let fills = [("key", key), ("count", count.as_str())];
        let refusal =
            Refusal { fills: &fills, param: Some(&path), code: Some(code), path: path.clone() };
        refuse(words, request, findings, &refusal);
    };
    if pairs.len() > 16 {
        say(many, "metadata".into(), "", pairs.len(), "object_above_max_properties");
    }
    for (key, value) in pairs {
        let (key_length, length) =
            (key.chars().count(), value.as_str().unwrap_or_default().chars().count());
        if key_length > 64 {
            say(
                PAIRS.by("key").unwrap_or(many),
                "metadata".into(),
                key,
                key_length,
                "string_above_max_length",
            );
        }
        if length > 512 {
            say(
                PAIRS.by("value").unwrap_or(many),
                format!("metadata.{key}"),
                key,
                length,
                "string_above_max_length",
            );
        }
    }
}

const RANGES: &[(&str, i8, i8)] = &[
    ("temperature", 0, 2),
    ("top_p", 0, 1),
    ("presence_penalty", -2, 2),
    ("frequency_penalty", -2, 2),
    ("top_logprobs", 0, 20),
];
const LISTS: &[(&str, usize)] = &[("tools", 128), ("stop", 4)];
const STRINGS: &[(&str, usize)] = &[("safety_identifier", 128), ("session_id", 256)];
