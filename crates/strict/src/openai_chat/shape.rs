//! Fields that are missing, or of another type than they must be.

use serde_json::Value;

use super::flavor::{COPIES, INVENTOR, MOST, ROUTED_ANTHROPIC, ROUTED_GOOGLE};
use super::view::{Message, bracketed, kind, messages};
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, items};
use crate::{Evidence, Request, Rule};

pub(super) const MISSING_PARAMETER: Rule = Rule {
    name: "missing-parameter",
    status: 400,
    when: "A required field is not there: messages, model, a role, the type of a part, what a call or a tool is made of.",
    words: MISSING.lines,
    evidence: Evidence::Seen,
    source: "langgraphjs#370",
    check: missing,
};
const MISSING: Words = words! { MOST => "Missing required parameter: '{at}'." };

pub(super) const WRONG_TYPE: Rule = Rule {
    name: "wrong-type",
    status: 400,
    when: "A field has a value of another type.",
    words: TYPE.lines,
    evidence: Evidence::Inferred,
    source: "code `invalid_type`",
    check: wrong_type,
};
const TYPE: Words = words! {
    ANYONE => "Invalid type for '{at}': expected {wanted}, but got {found} instead.",
};

pub(super) const EMPTY_ARRAY: Rule = Rule {
    name: "empty-array",
    status: 400,
    when: "Messages, tools or tool_calls is an empty list.",
    words: EMPTY.lines,
    evidence: Evidence::Seen,
    source: "openai-node PR#1341, vllm PR#39780",
    check: empty,
};
const EMPTY: Words = words! {
    COPIES => "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    &["vllm"] => "`{at}` must not be an empty array. Either provide at least one tool or omit the field entirely.",
};

pub(super) const CHOICE_WITHOUT_TOOLS: Rule = Rule {
    name: "choice-without-tools",
    status: 400,
    when: "There is a tool_choice and there are no tools. vLLM takes `none`.",
    words: CHOICE.lines,
    evidence: Evidence::Seen,
    source: "opencode PR#48857, writer-framework PR#1013; vLLM source",
    check: choice_without_tools,
};
const CHOICE: Words = words! {
    INVENTOR => "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    &["vllm", "generic"] => "When using `tool_choice`, `tools` must be set.",
};

pub(super) const STREAM_OPTIONS: Rule = Rule {
    name: "stream-options",
    status: 400,
    when: "There are stream_options and the answer is not streamed.",
    words: OPTIONS.lines,
    evidence: Evidence::Seen,
    source: "litellm#5803, lobehub#6735; vLLM source",
    check: stream_options,
};
const OPTIONS: Words = words! {
    INVENTOR => "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    &["vllm", "generic"] => "Stream options can only be defined when `stream=True`.",
};

/// What a list of fields must hold.
type Required = &'static [&'static str];

fn missing(request: &Request<'_>, findings: &mut Findings) {
    let mut lacking = Vec::new();
    lack(request.body, "", &["model", "messages"], &mut lacking);
    for message in messages(request) {
        lack(message.value, &message.path(), required(&message), &mut lacking);
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.at(&format!("content.{at}"));
            lack(part, &path, &["type"], &mut lacking);
            let kind = part.field("type").and_then(Value::as_str).unwrap_or_default();
            let fields = PARTS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, f)| *f);
            for field in fields {
                inner(part, &path, field, &mut lacking);
            }
        }
        let calls = if LOOSE_CALLS.contains(&request.flavor) { &[][..] } else { message.calls() };
        for (at, call) in calls.iter().enumerate() {
            made_of(call, &message.at(&format!("tool_calls.{at}")), CALL, &mut lacking);
        }
    }
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        made_of(tool, &format!("tools.{at}"), TOOL, &mut lacking);
    }
    for path in lacking {
        let at = bracketed(&path);
        let refusal = Refusal {
            fills: &[("at", &at)],
            param: Some(&at),
            code: Some("missing_required_parameter"),
            path,
        };
        MISSING.refuse(request, findings, &refusal);
    }
}

fn required(message: &Message<'_>) -> Required {
    match message.role {
        "tool" => &["role", "tool_call_id"],
        "function" => &["role", "name"],
        _ => &["role"],
    }
}

/// A call or a tool: its own fields, then those of the function or custom tool.
fn made_of(value: &Value, path: &str, own: Required, lacking: &mut Vec<String>) {
    lack(value, path, own, lacking);
    let fields: Required = match value.field("type").and_then(Value::as_str) {
        Some("function") if own == CALL => &["function.name", "function.arguments"],
        Some("function") => &["function.name"],
        Some("custom") if own == CALL => &["custom.name", "custom.input"],
        Some("custom") => &["custom.name"],
        _ => &[],
    };
    for field in fields {
        inner(value, path, field, lacking);
    }
}

/// A field of a field: what is missing is the outer one, if that is not there.
fn inner(value: &Value, path: &str, field: &str, lacking: &mut Vec<String>) {
    let Some((outer, field)) = field.split_once('.') else {
        lack(value, path, &[field], lacking);
        return;
    };
    match value.get(outer) {
        Some(object @ Value::Object(_)) => {
            lack(object, &format!("{path}.{outer}"), &[field], lacking);
        }
        Some(_) => {}
        None => lacking.push(format!("{path}.{outer}")),
    }
}

fn lack(value: &Value, path: &str, fields: &[&str], lacking: &mut Vec<String>) {
    for field in fields.iter().filter(|field| value.is_object() && value.get(**field).is_none()) {
        let dot = if path.is_empty() { "" } else { "." };
        let missing = format!("{path}{dot}{field}");
        if !lacking.contains(&missing) {
            lacking.push(missing);
        }
    }
}

fn wrong_type(request: &Request<'_>, findings: &mut Findings) {
    let mut refuse = |path: String, wanted: &str, found: &Value| {
        let at = bracketed(&path);
        let fills = [("at", at.as_str()), ("wanted", wanted), ("found", kind(found))];
        let refusal = Refusal { path, fills: &fills, param: Some(&at), code: Some("invalid_type") };
        TYPE.refuse(request, findings, &refusal);
    };
    for (field, wanted, is) in TYPES {
        if let Some(value) = request.body.get(*field)
            && !is(value)
            && !(value.is_null() && *field != "messages" && *field != "model")
        {
            refuse((*field).to_owned(), wanted, value);
        }
    }
    for message in messages(request) {
        if !message.value.is_object() {
            refuse(message.path(), "an object", message.value);
            continue;
        }
        for (field, wanted, is) in MESSAGE_TYPES {
            if let Some(value) = message.value.get(*field).filter(|value| !value.is_null())
                && !is(value)
            {
                refuse(message.at(field), wanted, value);
            }
        }
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.at(&format!("content.{at}"));
            if !part.is_object() {
                refuse(path, "an object", part);
            } else if let Some(text) = part.field("text").filter(|text| !text.is_string()) {
                refuse(format!("{path}.text"), "a string", text);
            }
        }
        for (at, call) in message.calls().iter().enumerate() {
            let arguments = call.field("function").and_then(|call| call.field("arguments"));
            let read = request.flavor == "vllm" && arguments.is_some_and(Value::is_null);
            let loose = LOOSE_ARGUMENTS.contains(&request.flavor);
            if let Some(arguments) = arguments.filter(|value| !value.is_string())
                && !(loose && arguments.is_object() || read)
            {
                let path = message.at(&format!("tool_calls.{at}.function.arguments"));
                refuse(path, "a string", arguments);
            }
        }
    }
}

fn empty(request: &Request<'_>, findings: &mut Findings) {
    let mut refuse = |path: String| {
        let at = bracketed(&path);
        let refusal =
            Refusal { path, fills: &[("at", &at)], param: Some(&at), code: Some("empty_array") };
        EMPTY.refuse(request, findings, &refusal);
    };
    let is_empty = |value: Option<&Value>| value == Some(&Value::Array(Vec::new()));
    if request.flavor != "vllm" {
        if is_empty(request.body.field("messages")) {
            refuse("messages".into());
        }
        for message in messages(request) {
            if is_empty(message.value.field("tool_calls")) {
                refuse(message.at("tool_calls"));
            }
        }
    }
    if is_empty(request.body.field("tools")) {
        refuse("tools".into());
    }
}

fn choice_without_tools(request: &Request<'_>, findings: &mut Findings) {
    let choice = request.body.field("tool_choice").filter(|choice| !choice.is_null());
    let Some(choice) = choice.filter(|_| items(request.body, "tools").is_empty()) else { return };
    if choice == "none" && !INVENTOR.contains(&request.flavor) {
        return;
    }
    let refusal =
        Refusal { path: "tool_choice".into(), param: Some("tool_choice"), ..Refusal::default() };
    CHOICE.refuse(request, findings, &refusal);
}

fn stream_options(request: &Request<'_>, findings: &mut Findings) {
    let given = request.body.field("stream_options").is_some_and(|options| !options.is_null());
    if given && request.body.field("stream") != Some(&Value::Bool(true)) {
        let refusal = Refusal {
            path: "stream_options".into(),
            param: Some("stream_options"),
            ..Refusal::default()
        };
        OPTIONS.refuse(request, findings, &refusal);
    }
}

fn whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64()
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
const MESSAGE_TYPES: &[Typed] = &[
    ("role", "a string", Value::is_string),
    ("content", "one of a string or array of objects", |value| {
        value.is_string() || value.is_array()
    }),
    ("tool_calls", "an array of objects", Value::is_array),
    ("tool_call_id", "a string", Value::is_string),
    ("name", "a string", Value::is_string),
];
/// Who takes arguments as an object, too.
const LOOSE_ARGUMENTS: &[&str] = &["mistral", "llama.cpp"];
/// Who asks for nothing in particular in a replayed call.
const LOOSE_CALLS: &[&str] = &["vllm", "ollama", "lm-studio", "gemini-compat"];
const CALL: Required = &["id", "type"];
const TOOL: Required = &["type"];
const PARTS: &[(&str, Required)] = &[
    ("text", &["text"]),
    ("image_url", &["image_url.url"]),
    ("input_audio", &["input_audio.data", "input_audio.format"]),
    ("file", &["file"]),
    ("refusal", &["refusal"]),
];
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
