//! Values of another type than the API's schema has them.

use serde_json::Value;

use super::flavor::{COPIES, INVENTOR, ROUTED_ANTHROPIC, ROUTED_GOOGLE, voice};
use super::tools::NAME_PATTERN;
use super::view::{Message, bracketed, kind, messages};
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const WRONG_TYPE: Rule = Rule {
    name: "wrong-type",
    status: 400,
    when: "A field has a value of another type.",
    words: TYPE.lines,
    evidence: Evidence::Inferred,
    source: "code `invalid_type`; API reference",
    check: wrong_type,
};
const TYPE: Words = words! {
    ANYONE => "Invalid type for '{at}': expected {wanted}, but got {found} instead.",
};

/// What was found: the path, what is wanted there, and what stands there.
type Found<'v> = Vec<(String, &'static str, &'v Value)>;

fn wrong_type(request: &Request<'_>, findings: &mut Findings) {
    let mut found = Vec::new();
    typed(request.body, "", TYPES, &mut found);
    if COPIES.contains(&request.flavor) {
        typed(request.body, "", PROBABLE, &mut found);
    }
    if INVENTOR.contains(&request.flavor) {
        typed(request.body, "", INVENTORS, &mut found);
    }
    if request.flavor == "mistral" {
        typed(request.body, "", MISTRALS, &mut found);
    }
    for message in messages(request) {
        of_message(request, &message, &mut found);
    }
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let path = format!("tools.{at}");
        object(tool, &path, &mut found);
        typed(tool, &path, TOOL_TYPES, &mut found);
        if let Some(function) = tool.field("function") {
            named(request, function, &format!("{path}.function"), &mut found);
        }
        let custom = tool.field("custom").filter(|_| string(tool, "type") == "custom");
        if let Some(custom) = custom.filter(|_| NAME_PATTERN.contains(&voice(request))) {
            named(request, custom, &format!("{path}.custom"), &mut found);
        }
    }
    for (path, wanted, value) in found {
        let at = bracketed(&path);
        let fills = [("at", at.as_str()), ("wanted", wanted), ("found", kind(value))];
        let refusal = Refusal { path, fills: &fills, param: Some(&at), code: Some("invalid_type") };
        TYPE.refuse(request, findings, &refusal);
    }
}

fn of_message<'v>(request: &Request<'_>, message: &Message<'v>, found: &mut Found<'v>) {
    object(message.value, &message.path(), found);
    typed(message.value, &message.path(), MESSAGE_TYPES, found);
    for (at, part) in message.parts().iter().enumerate() {
        let path = message.at(&format!("content.{at}"));
        object(part, &path, found);
        typed(part, &path, PART_TYPES, found);
        let inventor = INVENTOR.contains(&request.flavor);
        let bare = part.field("image_url").filter(|image| inventor && image.is_string());
        let is_image = string(part, "type") == "image_url";
        if let Some(bare) = bare.filter(|_| is_image) {
            found.push((format!("{path}.image_url"), "an object", bare));
        }
        let refusal = part.as_object().and_then(|part| part.get("refusal"));
        let is_one = string(part, "type") == "refusal" && inventor;
        if let Some(refusal) = refusal.filter(|refusal| is_one && !refusal.is_string()) {
            found.push((format!("{path}.refusal"), "a string", refusal));
        }
    }
    for (at, call) in message.calls().iter().enumerate() {
        let path = message.at(&format!("tool_calls.{at}"));
        object(call, &path, found);
        typed(call, &path, CALL_TYPES, found);
        let id = call.as_object().and_then(|call| call.get("id"));
        if let Some(odd) = id.filter(|id| !id.is_string() && super::pairing::reads_ids(request)) {
            found.push((format!("{path}.id"), "a string", odd));
        }
        // What was called stands there, where somebody looks for it.
        let custom = call.field("custom").filter(|_| string(call, "type") == "custom");
        if let Some(custom) = custom.filter(|_| super::shape::reads_calls(request)) {
            let path = format!("{path}.custom");
            object(custom, &path, found);
            for field in ["name", "input"] {
                let value = custom.as_object().and_then(|custom| custom.get(field));
                let odd = value.filter(|value| !value.is_string());
                found.extend(odd.map(|odd| (format!("{path}.{field}"), "a string", odd)));
            }
        }
        let Some(function) = call.field("function") else { continue };
        named(request, function, &format!("{path}.function"), found);
        let read =
            request.flavor == "vllm" && function.field("arguments").is_some_and(Value::is_null);
        let loose = LOOSE_ARGUMENTS.contains(&request.flavor);
        if let Some(arguments) = function.field("arguments").filter(|value| !value.is_string())
            && !(loose && arguments.is_object() || read)
        {
            found.push((format!("{path}.function.arguments"), "a string", arguments));
        }
    }
}

/// The name of a tool is a string. Who looks at its characters does not take null for one.
fn named<'v>(request: &Request<'_>, function: &'v Value, path: &str, found: &mut Found<'v>) {
    typed(function, path, NAMED, found);
    let null = function.field("name").filter(|name| name.is_null());
    if let Some(null) = null.filter(|_| NAME_PATTERN.contains(&voice(request))) {
        found.push((format!("{path}.name"), "a string", null));
    }
}

fn object<'v>(value: &'v Value, path: &str, found: &mut Found<'v>) {
    if !value.is_object() {
        found.push((path.to_owned(), "an object", value));
    }
}

/// The fields of an object that are of another type. Null stands for a field that is left out, unless
/// there must be one.
fn typed<'v>(value: &'v Value, path: &str, types: &[Typed], found: &mut Found<'v>) {
    for (field, wanted, is) in types {
        let Some(value) = value.as_object().and_then(|object| object.get(*field)) else { continue };
        if !is(value) && (!value.is_null() || NEVER_NULL.contains(field)) {
            let dot = if path.is_empty() { "" } else { "." };
            found.push((format!("{path}{dot}{field}"), wanted, value));
        }
    }
}

fn whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
}

fn address(value: &Value) -> bool {
    value.is_object() || value.is_string()
}

type Typed = (&'static str, &'static str, fn(&Value) -> bool);

const TYPES: &[Typed] = &[
    ("model", "a string", Value::is_string),
    ("messages", "an array of objects", Value::is_array),
    ("tools", "an array of objects", Value::is_array),
    ("stream", "a boolean", Value::is_boolean),
    ("temperature", "a decimal", Value::is_number),
    ("top_p", "a decimal", Value::is_number),
    ("presence_penalty", "a decimal", Value::is_number),
    ("frequency_penalty", "a decimal", Value::is_number),
    ("max_tokens", "an integer", whole),
    ("max_completion_tokens", "an integer", whole),
    ("n", "an integer", whole),
    ("seed", "an integer", whole),
    ("parallel_tool_calls", "a boolean", Value::is_boolean),
    ("response_format", "an object", Value::is_object),
    ("tool_choice", "one of a string or object", |value| value.is_string() || value.is_object()),
    ("stop", "one of a string or array of strings", |value| value.is_string() || value.is_array()),
    ("reasoning_effort", "a string", Value::is_string),
];
/// What others may not even look at.
const INVENTORS: &[Typed] = &[("metadata", "an object", Value::is_object)];
/// Its name for the seed.
const MISTRALS: &[Typed] = &[("random_seed", "an integer", whole)];
const PROBABLE: &[Typed] = &[("top_logprobs", "an integer", whole)];
const MESSAGE_TYPES: &[Typed] = &[
    ("role", "a string", Value::is_string),
    ("content", "one of a string or array of objects", |value| {
        value.is_string() || value.is_array()
    }),
    ("tool_calls", "an array of objects", Value::is_array),
    ("tool_call_id", "a string", Value::is_string),
    ("name", "a string", Value::is_string),
];
const PART_TYPES: &[Typed] = &[
    ("type", "a string", Value::is_string),
    ("text", "a string", Value::is_string),
    // Some take the address alone.
    ("image_url", "an object", address),
    ("input_audio", "an object", Value::is_object),
    ("file", "an object", Value::is_object),
];
const CALL_TYPES: &[Typed] =
    &[("type", "a string", Value::is_string), ("function", "an object", Value::is_object)];
const TOOL_TYPES: &[Typed] =
    &[("type", "a string", Value::is_string), ("function", "an object", Value::is_object)];
const NAMED: &[Typed] = &[("name", "a string", Value::is_string)];
const NEVER_NULL: &[&str] =
    &["model", "messages", "role", "type", "text", "image_url", "input_audio", "file", "function"];
/// Who takes arguments as an object, too.
const LOOSE_ARGUMENTS: &[&str] = &["mistral", "llama.cpp"];
const ANYONE: &[&str] = &[
    "openai",
    "azure",
    "openrouter",
    ROUTED_ANTHROPIC,
    ROUTED_GOOGLE,
    "deepseek",
    "mistral",
    "groq",
    "moonshot",
    "xai",
    "qwen",
    "glm",
    "cerebras",
    "vllm",
    "ollama",
    "llama.cpp",
    "lm-studio",
    "gemini-compat",
    "generic",
];
