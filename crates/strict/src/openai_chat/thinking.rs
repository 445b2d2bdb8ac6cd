//! Thinking that must be sent back, or must not; and what does not go with it.

use serde_json::Value;

use super::profile::{Profile, Thinks, Trait};
use super::view::{Message, messages};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings, string};
use crate::{Evidence, Request, Rule};

pub(super) const MOONSHOT_THINKING_TYPE: Rule = Rule {
    name: "moonshot-thinking-type",
    status: 400,
    when: "`thinking` is no object.",
    words: OBJECT.lines,
    evidence: Evidence::Seen,
    source: "TeXRA PR#1905",
    check: moonshot_thinking_type,
};
const OBJECT: Words = words! {
    &["moonshot"] => "the thinking field in the request (expected type object) is illegal, and {kind} is not acceptable",
};

pub(super) const FORCED_CHOICE: Rule = Rule {
    name: "forced-choice",
    status: 400,
    when: "A tool must be called while the model thinks.",
    words: FORCED.lines,
    evidence: Evidence::Seen,
    source: "eino#994 (DashScope), MiMo-Code#2068 (DeepSeek)",
    check: forced_choice,
};
const FORCED: Words = words! {
    &["deepseek"] => "Thinking mode does not support this tool_choice",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
};

pub(super) const QWEN_NOT_STREAMED: Rule = Rule {
    name: "qwen-not-streamed",
    status: 400,
    when: "The model thinks and the answer is not streamed.",
    words: STREAMED.lines,
    evidence: Evidence::Seen,
    source: "langchain4j#3974",
    check: qwen_not_streamed,
};
const STREAMED: Words = words! {
    &["qwen"] => "parameter.enable_thinking must be set to false for non-streaming calls",
};

pub(super) const QWEN_JSON: Rule = Rule {
    name: "qwen-json",
    status: 400,
    when: "A json_object is asked for while the model thinks.",
    words: JSON.lines,
    evidence: Evidence::Seen,
    source: "DashScope issues",
    check: qwen_json,
};
const JSON: Words = words! {
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: Json mode response is not supported when enable_thinking is true",
};

pub(super) const DEEPSEEK_REASONING: Rule = Rule {
    name: "deepseek-reasoning",
    status: 400,
    when: "Between two messages of the user the thinking model called tools, and an assistant message there has no `reasoning_content`. It may be empty.",
    words: BACK.lines,
    evidence: Evidence::Seen,
    source: "opencode#24083, pi#3636, 9router#2397; opencode#9397 (older models)",
    check: deepseek_reasoning,
};
const BACK: Words = words! {
    &["deepseek"] => "The `reasoning_content` in the thinking mode must be passed back to the API.",
    &["old"] => "Missing `reasoning_content` field in the assistant message at message index {index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
};

pub(super) const MOONSHOT_REASONING: Rule = Rule {
    name: "moonshot-reasoning",
    status: 400,
    when: "The model thinks, and an assistant message with calls has no or an empty `reasoning_content`.",
    words: MISSING.lines,
    evidence: Evidence::Seen,
    source: "mastra#12592, continue#11600",
    check: moonshot_reasoning,
};
const MISSING: Words = words! {
    &["moonshot"] => "thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}",
};

pub(super) const GROQ_REASONING: Rule = Rule {
    name: "groq-reasoning",
    status: 400,
    when: "A model that does not reason gets `reasoning` back.",
    words: UNREASONED.lines,
    evidence: Evidence::Seen,
    source: "vercel/ai PR#8057",
    check: groq_reasoning,
};
const UNREASONED: Words = words! {
    &["groq"] => "messages[{index}].reasoning: reasoning is not supported with this model",
};

/// Whether the model thinks in this request.
pub(super) fn thinks(request: &Request<'_>) -> bool {
    let asked = request.body.field("thinking").map(|thinking| string(thinking, "type"));
    let enabled = request.body.field("enable_thinking").and_then(Value::as_bool);
    match Profile::of(request).thinks {
        Thinks::Never => false,
        Thinks::WhenAsked => enabled == Some(true) || asked == Some("enabled"),
        Thinks::UnlessTold => enabled != Some(false) && asked != Some("disabled"),
    }
}

fn moonshot_thinking_type(request: &Request<'_>, findings: &mut Findings) {
    let kind = match request.body.field("thinking") {
        None | Some(Value::Null | Value::Object(_)) => return,
        Some(Value::Bool(_)) => "bool",
        Some(Value::String(_)) => "string",
        Some(Value::Number(_)) => "number",
        Some(Value::Array(_)) => "array",
    };
    let refusal =
        Refusal { path: "thinking".into(), fills: &[("kind", kind)], ..Refusal::default() };
    OBJECT.refuse(request, findings, &refusal);
}

fn forced_choice(request: &Request<'_>, findings: &mut Findings) {
    let choice = request.body.field("tool_choice");
    let forced = choice.is_some_and(|choice| choice.is_object() || choice == "required");
    if forced && thinks(request) {
        let refusal = Refusal { path: "tool_choice".into(), ..Refusal::default() };
        FORCED.refuse(request, findings, &refusal);
    }
}

fn qwen_not_streamed(request: &Request<'_>, findings: &mut Findings) {
    if request.body.field("stream") != Some(&Value::Bool(true)) && thinks(request) {
        let refusal = Refusal { path: "enable_thinking".into(), ..Refusal::default() };
        STREAMED.refuse(request, findings, &refusal);
    }
}

fn qwen_json(request: &Request<'_>, findings: &mut Findings) {
    let format = request.body.field("response_format").map_or("", |format| string(format, "type"));
    if format == "json_object" && thinks(request) {
        let refusal = Refusal { path: "response_format".into(), ..Refusal::default() };
        JSON.refuse(request, findings, &refusal);
    }
}

fn deepseek_reasoning(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = BACK.of(request).filter(|_| thinks(request)) else { return };
    let old = Profile::of(request).has(Trait::OldThinkingWords);
    let words = if old { BACK.by("old").unwrap_or(words) } else { words };
    let messages = messages(request);
    for stretch in messages.split(|message| message.is("user")) {
        if !stretch.iter().any(Message::has_calls) {
            continue;
        }
        for message in stretch.iter().filter(|message| message.is("assistant")) {
            let replayed = message.value.field("reasoning_content").is_some_and(Value::is_string);
            if !replayed {
                missing(words, request, findings, message);
            }
        }
    }
}

fn moonshot_reasoning(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = MISSING.of(request).filter(|_| thinks(request)) else { return };
    for message in messages(request).iter().filter(|message| message.has_calls()) {
        if message.text("reasoning_content").is_empty() {
            missing(words, request, findings, message);
        }
    }
}

fn missing(words: &str, request: &Request<'_>, findings: &mut Findings, message: &Message<'_>) {
    let index = message.index.to_string();
    let refusal = Refusal {
        path: message.at("reasoning_content"),
        fills: &[("index", &index)],
        ..Refusal::default()
    };
    refuse(words, request, findings, &refusal);
}

fn groq_reasoning(request: &Request<'_>, findings: &mut Findings) {
    if !Profile::of(request).has(Trait::ReasoningRefused) {
        return;
    }
    for message in messages(request) {
        if message.value.field("reasoning").is_some_and(|reasoning| !reasoning.is_null()) {
            let index = message.index.to_string();
            let refusal = Refusal {
                path: message.at("reasoning"),
                fills: &[("index", &index)],
                ..Refusal::default()
            };
            UNREASONED.refuse(request, findings, &refusal);
        }
    }
}
