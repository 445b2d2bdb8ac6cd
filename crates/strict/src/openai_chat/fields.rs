//! Fields that nobody has heard of: what each closed shape holds, and who closes it.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::profile::{Profile, Trait};
use super::view::{Message, bracketed, keys, messages};
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, items};
use crate::{Evidence, Request, Rule};

pub(super) const UNKNOWN_PARAMETER: Rule = Rule {
    name: "unknown-parameter",
    status: 400,
    when: "The request has a field that the API or the model does not know (openai, azure, groq, generic).",
    words: PARAMETER.lines,
    evidence: Evidence::Seen,
    source: "langchain_dart#712, open-responses-server#41, nadekobot#34; gpt-5.6 probe notes",
    check: unknown_parameter,
};
const PARAMETER: Words = words! {
    INVENTOR => "Unknown parameter: '{name}'.",
    OLD => "Unrecognized request argument supplied: {name}",
    &["groq"] => "property '{name}' is unsupported",
};

pub(super) const UNKNOWN_MESSAGE_FIELD: Rule = Rule {
    name: "unknown-message-field",
    status: 400,
    when: "A message, part, call or tool has a field that the API does not know (openai, azure, generic).",
    words: FIELD.lines,
    evidence: Evidence::Seen,
    source: "agentic#531; gpt-5.6 probe notes",
    check: unknown_message_field,
};
const FIELD: Words = words! {
    INVENTOR => "Unknown parameter: '{at}'.",
    OLD => "Additional properties are not allowed ('{name}' was unexpected) - '{place}'",
};
/// Older models, and the many who copied them.
const OLD: &[&str] = &["old", "generic"];

pub(super) const MISTRAL_EXTRA_FIELD: Rule = Rule {
    name: "mistral-extra-field",
    status: 422,
    when: "The request, a message, call or tool has a field that Mistral does not know, `stream_options` and `reasoning_content` among them.",
    words: EXTRA.lines,
    evidence: Evidence::Seen,
    source: "mistralai_client_dart#44, crush#1590, litellm#30835",
    check: mistral_extra_field,
};
const EXTRA: Words = words! { &["mistral"] => "Extra inputs are not permitted" };

pub(super) const GROQ_UNSUPPORTED_PROPERTY: Rule = Rule {
    name: "groq-unsupported-property",
    status: 400,
    when: "A message has a field that Groq does not know, `reasoning_content` among them.",
    words: PROPERTY.lines,
    evidence: Evidence::Seen,
    source: "Kai#265, jan#8136, ServiceStack/llms#17",
    check: groq_unsupported_property,
};
const PROPERTY: Words = words! {
    &["groq"] => "'{at}' : for 'role:{role}' the following must be satisfied[('{at}' : property '{name}' is unsupported)]",
};

pub(super) const CEREBRAS_UNSUPPORTED_PROPERTY: Rule = Rule {
    name: "cerebras-unsupported-property",
    status: 400,
    when: "A message has a field that Cerebras does not know, `reasoning_content` among them.",
    words: PROPERTY_HERE.lines,
    evidence: Evidence::Seen,
    source: "kilocode#10375",
    check: cerebras_unsupported_property,
};
const PROPERTY_HERE: Words = words! {
    &["cerebras"] => "messages.{index}.{role}.{name}: property 'messages.{index}.{role}.{name}' is unsupported",
};

/// The fields of something, closed.
type Shape = &'static [&'static str];
/// The fields of messages, by role.
type Roles = &'static [(&'static str, Shape)];

fn unknown_parameter(request: &Request<'_>, findings: &mut Findings) {
    let profile = Profile::of(request);
    let known = if request.flavor == "groq" { GROQ } else { PARAMETERS };
    let old = profile.has(Trait::OldWords);
    let words = if old { PARAMETER.by("old") } else { PARAMETER.of(request) };
    let Some(words) = words.filter(|_| PARAMETER.of(request).is_some()) else { return };
    for name in keys(request.body) {
        let late = LATE.contains(&name.as_str()) && !profile.has(Trait::CacheBreakpoints);
        let effort = name == "reasoning_effort" && !profile.has(Trait::TakesEffort);
        let azures = request.flavor == "azure" && AZURE.contains(&name.as_str());
        let known = (known.contains(&name.as_str()) || azures)
            && !(INVENTOR.contains(&request.flavor) && (late || effort));
        if !known {
            let refusal = Refusal {
                path: name.clone(),
                fills: &[("name", name)],
                param: Some(name).filter(|_| !old).map(String::as_str),
                code: Some("unknown_parameter").filter(|_| !old && request.flavor != "groq"),
            };
            super::words::refuse(words, request, findings, &refusal);
        }
    }
}

fn unknown_message_field(request: &Request<'_>, findings: &mut Findings) {
    let profile = Profile::of(request);
    let old = profile.has(Trait::OldWords);
    let Some(words) = FIELD.of(request) else { return };
    let words = if old { FIELD.by("old").unwrap_or(words) } else { words };
    let breakpoints = profile.has(Trait::CacheBreakpoints);
    let mut extra = Vec::new();
    for message in messages(request) {
        let allowed = if request.flavor == "generic" { PLAIN_MESSAGES } else { MESSAGES };
        unknown(message.value, &message.path(), fields_of(allowed, message.role), &mut extra);
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.at(&format!("content.{at}"));
            let shape = fields_of(PARTS, part.field("type").and_then(Value::as_str).unwrap_or(""));
            let known = |name: &str| breakpoints && name == "prompt_cache_breakpoint";
            let mut found = Vec::new();
            unknown(part, &path, shape, &mut found);
            extra.extend(found.into_iter().filter(|(_, name)| !known(name)));
        }
        for (at, call) in message.calls().iter().enumerate() {
            unknown(call, &message.at(&format!("tool_calls.{at}")), Some(CALL), &mut extra);
        }
    }
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let path = format!("tools.{at}");
        unknown(tool, &path, Some(TOOL), &mut extra);
        if let Some(function) = tool.field("function") {
            unknown(function, &format!("{path}.function"), Some(FUNCTION), &mut extra);
        }
    }
    for (place, name) in extra {
        let path = format!("{place}.{name}");
        let at = bracketed(&path);
        let fills = [("at", at.as_str()), ("name", name.as_str()), ("place", place.as_str())];
        let code = Some("unknown_parameter").filter(|_| !old && request.flavor != "generic");
        let refusal = Refusal { path, fills: &fills, param: code.map(|_| at.as_str()), code };
        super::words::refuse(words, request, findings, &refusal);
    }
}

fn mistral_extra_field(request: &Request<'_>, findings: &mut Findings) {
    if EXTRA.of(request).is_none() {
        return;
    }
    let mut extra = Vec::new();
    unknown(request.body, "", Some(MISTRAL), &mut extra);
    let mut places: Vec<_> = extra.into_iter().map(|(_, name)| (name.clone(), name)).collect();
    for message in messages(request) {
        let mut extra = Vec::new();
        let shape = fields_of(MISTRAL_MESSAGES, message.role);
        unknown(message.value, "", shape, &mut extra);
        for (at, call) in message.calls().iter().enumerate() {
            unknown(call, &format!("tool_calls.{at}"), Some(MISTRAL_CALL), &mut extra);
        }
        places.extend(extra.into_iter().map(|(place, name)| {
            let inner = if place.is_empty() { name } else { format!("{place}.{name}") };
            let Message { index, role, .. } = message;
            (message.at(&inner), format!("messages.{index}.{role}.{inner}"))
        }));
    }
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let mut extra = Vec::new();
        unknown(tool, &format!("tools.{at}"), Some(TOOL), &mut extra);
        if let Some(function) = tool.field("function") {
            unknown(function, &format!("tools.{at}.function"), Some(FUNCTION), &mut extra);
        }
        places.extend(extra.into_iter().map(|(place, name)| {
            let path = format!("{place}.{name}");
            (path.clone(), path)
        }));
    }
    for (path, place) in places {
        let refusal = Refusal {
            path,
            param: Some(&place),
            code: Some("extra_forbidden"),
            ..Refusal::default()
        };
        EXTRA.refuse(request, findings, &refusal);
    }
}

fn groq_unsupported_property(request: &Request<'_>, findings: &mut Findings) {
    for (message, name) in unknown_in_messages(request, GROQ_MESSAGES) {
        let at = message.path();
        let refusal = Refusal {
            path: message.at(name),
            fills: &[("at", &at), ("role", message.role), ("name", name)],
            ..Refusal::default()
        };
        PROPERTY.refuse(request, findings, &refusal);
    }
}

fn cerebras_unsupported_property(request: &Request<'_>, findings: &mut Findings) {
    for (message, name) in unknown_in_messages(request, PLAIN_MESSAGES) {
        let index = message.index.to_string();
        let refusal = Refusal {
            path: message.at(name),
            fills: &[("index", &index), ("role", message.role), ("name", name)],
            code: Some("wrong_api_format"),
            ..Refusal::default()
        };
        PROPERTY_HERE.refuse(request, findings, &refusal);
    }
}

fn unknown_in_messages<'v>(
    request: &Request<'v>,
    roles: Roles,
) -> impl Iterator<Item = (Message<'v>, &'v String)> {
    messages(request).into_iter().flat_map(move |message| {
        let shape = fields_of(roles, message.role).unwrap_or_default();
        let closed = !shape.is_empty();
        keys(message.value)
            .filter(move |name| closed && !shape.contains(&name.as_str()))
            .map(move |name| (message, name))
    })
}

/// The fields of `value` that the shape does not hold, with where they stand.
fn unknown(value: &Value, place: &str, shape: Option<Shape>, extra: &mut Vec<(String, String)>) {
    let Some(shape) = shape else { return };
    let names = keys(value).filter(|name| !shape.contains(&name.as_str()));
    extra.extend(names.map(|name| (place.to_owned(), name.clone())));
}

/// A role or type of part nobody knows is refused by another rule.
fn fields_of(shapes: Roles, name: &str) -> Option<Shape> {
    shapes.iter().find(|(one, _)| *one == name).map(|(_, shape)| *shape)
}

#[rustfmt::skip]
const PARAMETERS: Shape = &[
    "model", "messages", "max_completion_tokens", "max_tokens", "reasoning_effort", "verbosity",
    "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias",
    "logprobs", "top_logprobs", "n", "stop", "stream", "stream_options", "tools", "tool_choice",
    "parallel_tool_calls", "response_format", "modalities", "audio", "prediction", "store",
    "metadata", "service_tier", "safety_identifier", "prompt_cache_key", "user",
    "prompt_cache_options", "prompt_cache_retention", "moderation", "web_search_options",
    "functions", "function_call",
];
/// Known to the newest models only.
const LATE: Shape = &["prompt_cache_options"];
const AZURE: Shape = &["data_sources", "user_security_context"];
#[rustfmt::skip]
const GROQ: Shape = &[
    "model", "messages", "citation_options", "compound_custom", "disable_tool_validation",
    "documents", "exclude_domains", "frequency_penalty", "function_call", "functions",
    "include_domains", "include_reasoning", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "metadata", "n", "parallel_tool_calls", "presence_penalty", "reasoning_effort",
    "reasoning_format", "response_format", "search_settings", "seed", "service_tier", "stop",
    "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs",
    "top_p", "user",
];
#[rustfmt::skip]
const MISTRAL: Shape = &[
    "model", "messages", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed",
    "metadata", "response_format", "tools", "tool_choice", "presence_penalty", "frequency_penalty",
    "n", "prediction", "parallel_tool_calls", "prompt_mode", "reasoning_effort", "guardrails",
    "prompt_cache_key", "safe_prompt",
];

const NAMED: Shape = &["role", "content", "name"];
const MESSAGES: Roles = &[
    ("system", NAMED),
    ("developer", NAMED),
    ("user", NAMED),
    (
        "assistant",
        &[
            "role",
            "content",
            "name",
            "refusal",
            "tool_calls",
            "function_call",
            "audio",
            "annotations",
        ],
    ),
    ("tool", &["role", "content", "name", "tool_call_id"]),
    ("function", NAMED),
];
const PLAIN_MESSAGES: Roles = &[
    ("system", NAMED),
    ("user", NAMED),
    ("assistant", &["role", "content", "name", "tool_calls"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
];
const GROQ_MESSAGES: Roles = &[
    ("system", NAMED),
    ("developer", NAMED),
    ("user", NAMED),
    ("assistant", &["role", "content", "name", "tool_calls", "function_call", "reasoning"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
    ("function", NAMED),
];
const MISTRAL_MESSAGES: Roles = &[
    ("system", &["role", "content"]),
    ("user", &["role", "content"]),
    ("assistant", &["role", "content", "tool_calls", "prefix"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
];
const MISTRAL_CALL: Shape = &["id", "type", "function", "index"];
const PARTS: Roles = &[
    ("text", &["type", "text"]),
    ("image_url", &["type", "image_url"]),
    ("input_audio", &["type", "input_audio"]),
    ("file", &["type", "file"]),
    ("refusal", &["type", "refusal"]),
];
const CALL: Shape = &["id", "type", "function", "custom"];
const TOOL: Shape = &["type", "function", "custom"];
const FUNCTION: Shape = &["name", "description", "parameters", "strict"];
