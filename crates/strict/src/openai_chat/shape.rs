//! Fields that are missing, or are there without what they go with.

use serde_json::Value;

use super::flavor::{INVENTOR, MOST, ROUTED_ANTHROPIC, ROUTED_GOOGLE, voice};
use super::view::{Message, bracketed, messages};
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const MISSING_PARAMETER: Rule = Rule {
    name: "missing-parameter",
    status: 400,
    when: "A required field is not there: messages, model, a role, the type of a part, what a call or a tool is made of, the name of a file that is given as data.",
    words: MISSING.lines,
    evidence: Evidence::Seen,
    source: "langgraphjs#370; openai-agents-python PR#1513 (the name of a file); openai SDK shared_params/function_definition.py",
    check: missing,
};
const MISSING: Words = words! { MOST => "Missing required parameter: '{at}'." };

pub(super) const LLAMA_CPP_MISSING: Rule = Rule {
    name: "llama-cpp-missing",
    status: 400,
    when: "llama.cpp gets no messages, a message without a role, or a part without a type.",
    words: LLAMA.lines,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: llama_cpp_missing,
};
const LLAMA: Words = words! {
    &["llama.cpp"] => "'messages' is required",
    &["role"] => "Missing 'role' in message: {found}",
    &["type"] => "Missing content part type: {found}",
};

pub(super) const MISTRAL_MISSING: Rule = Rule {
    name: "mistral-missing",
    status: 422,
    when: "Mistral gets no messages, or a message without a role.",
    words: REQUIRED.lines,
    evidence: Evidence::Inferred,
    source: "mistralai 3.7.0; the words are those of its validation",
    check: mistral_missing,
};
const REQUIRED: Words = words! { &["mistral"] => "Field required" };

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
    COPIES_AND_ROUTED => "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    &["vllm"] => "`{at}` must not be an empty array. Either provide at least one tool or omit the field entirely.",
};

pub(super) const CHOICE_WITHOUT_TOOLS: Rule = Rule {
    name: "choice-without-tools",
    status: 400,
    when: "There is a tool_choice and there are no tools; or a function_call, and no functions. vLLM takes `none`.",
    words: CHOICE.lines,
    evidence: Evidence::Seen,
    source: "opencode PR#48857, writer-framework PR#1013; vLLM source",
    check: choice_without_tools,
};
const CHOICE: Words = words! {
    INVENTOR => "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    &["old"] => "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.",
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
        // Of what it is the result, null does not say.
        if message.is("function") && message.value.get("name").is_some_and(Value::is_null) {
            lacking.push(message.at("name"));
        }
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.at(&format!("content.{at}"));
            lack(part, &path, &["type"], &mut lacking);
            let kind = part.field("type").and_then(Value::as_str).unwrap_or_default();
            let fields = PARTS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, f)| *f);
            for field in fields {
                inner(part, &path, field, &mut lacking);
            }
            if INVENTOR.contains(&request.flavor) && lacks_name(part) {
                lacking.push(format!("{path}.file.file_id"));
            }
        }
        let calls = if reads_calls(request) { message.calls() } else { &[][..] };
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

/// A PDF that is given as data, and has no name.
fn lacks_name(part: &Value) -> bool {
    let Some(file) = part.field("file").filter(|_| string(part, "type") == "file") else {
        return false;
    };
    // What is no text is no name.
    let given = |name| file.field(name).is_some_and(Value::is_string);
    let is_data = string(file, "file_data").starts_with("data:application/pdf;base64,");
    is_data && !given("filename") && !given("file_id")
}

/// Whether it is looked at what calls are made of.
pub(super) fn reads_calls(request: &Request<'_>) -> bool {
    MISSING.of(request).is_some() && !LOOSE_CALLS.contains(&request.flavor)
}

fn llama_cpp_missing(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = LLAMA.of(request) else { return };
    let mut found = Vec::new();
    if request.body.get("messages").is_none() {
        found.push(("messages".to_owned(), words, String::new()));
    }
    for message in messages(request).iter().filter(|message| message.value.is_object()) {
        if message.value.get("role").is_none() {
            let words = LLAMA.by("role").unwrap_or(words);
            found.push((message.at("role"), words, message.value.to_string()));
        }
        for (at, part) in message.parts().iter().enumerate() {
            if part.is_object() && part.get("type").is_none() {
                let words = LLAMA.by("type").unwrap_or(words);
                found.push((message.at(&format!("content.{at}.type")), words, part.to_string()));
            }
        }
    }
    for (path, words, found) in found {
        let refusal = Refusal { path, fills: &[("found", &found)], ..Refusal::default() };
        super::words::refuse(words, request, findings, &refusal);
    }
}

fn mistral_missing(request: &Request<'_>, findings: &mut Findings) {
    let mut lacking = Vec::new();
    lack(request.body, "", &["messages"], &mut lacking);
    for message in messages(request) {
        lack(message.value, &message.path(), &["role"], &mut lacking);
    }
    for path in lacking {
        let place = path.clone();
        let refusal =
            Refusal { path, param: Some(&place), code: Some("missing"), ..Refusal::default() };
        REQUIRED.refuse(request, findings, &refusal);
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
        Some("custom") if own == CALL => &["custom.name", "custom.input"],
        Some("custom") => &["custom.name"],
        // Whatever else it calls itself, a call is one of a function.
        Some(_) if own == CALL => &["function.name", "function.arguments"],
        Some("function") => &["function.name"],
        // A function has a name, whatever the tool calls itself.
        Some(_) if value.get("function").is_some_and(Value::is_object) => &["function.name"],
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

/// Behind a router, an empty list of messages is refused whoever answers.
const COPIES_AND_ROUTED: &[&str] =
    &["openai", "azure", "openrouter", ROUTED_ANTHROPIC, ROUTED_GOOGLE, "generic"];

fn empty(request: &Request<'_>, findings: &mut Findings) {
    let mut refuse = |path: String| {
        let at = bracketed(&path);
        let refusal =
            Refusal { path, fills: &[("at", &at)], param: Some(&at), code: Some("empty_array") };
        EMPTY.refuse(request, findings, &refusal);
    };
    let routed = [ROUTED_ANTHROPIC, ROUTED_GOOGLE].contains(&voice(request));
    let is_empty = |value: Option<&Value>| value == Some(&Value::Array(Vec::new()));
    if request.flavor != "vllm" {
        if is_empty(request.body.field("messages")) {
            refuse("messages".into());
        }
        for message in messages(request).iter().filter(|_| !routed) {
            if is_empty(message.value.field("tool_calls")) {
                refuse(message.at("tool_calls"));
            }
        }
    }
    if !routed && is_empty(request.body.field("tools")) {
        refuse("tools".into());
    }
}

fn choice_without_tools(request: &Request<'_>, findings: &mut Findings) {
    let old = request.body.field("function_call").filter(|choice| !choice.is_null());
    let inventor = INVENTOR.contains(&request.flavor);
    if old.is_some() && inventor && items(request.body, "functions").is_empty() {
        let refusal = Refusal {
            path: "function_call".into(),
            param: Some("function_call"),
            ..Refusal::default()
        };
        super::words::refuse(CHOICE.by("old").unwrap_or_default(), request, findings, &refusal);
    }
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
