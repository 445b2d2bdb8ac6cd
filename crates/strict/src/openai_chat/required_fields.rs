//! Rules about missing fields, and fields that require another.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages};
use super::flavor::{
    DEFAULT_ERROR_FLAVORS, FIRST_PARTY, ROUTER_ANTHROPIC, ROUTER_GOOGLE, responder,
};
use super::view::{Message, bracket_path, messages};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const MISSING_PARAMETER: Rule = Rule {
    name: "missing-parameter",
    status: 400,
    condition: "A required field is missing: messages, model, a role, a part's type, a field of a call or tool, the name of a file with data.",
    error_message: MISSING_PARAMETER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "langgraphjs#370; openai-agents-python PR#1513 (the name of a file); openai SDK shared_params/function_definition.py",
    check: missing_parameter,
};
const MISSING_PARAMETER_ERRORS: ErrorMessages =
    error_messages! { DEFAULT_ERROR_FLAVORS => "Missing required parameter: '{at}'." };

pub(super) const LLAMA_CPP_MISSING: Rule = Rule {
    name: "llama-cpp-missing",
    status: 400,
    condition: "The messages, a message's role or a part's type is missing, on llama.cpp.",
    error_message: LLAMA_CPP_MISSING_ERRORS.all,
    evidence: Evidence::Documented,
    source: "llama.cpp source",
    check: llama_cpp_missing,
};
const LLAMA_CPP_MISSING_ERRORS: ErrorMessages = error_messages! {
    &["llama.cpp"] => "'messages' is required",
    &["role"] => "Missing 'role' in message: {found}",
    &["type"] => "Missing content part type: {found}",
};

pub(super) const MISTRAL_MISSING: Rule = Rule {
    name: "mistral-missing",
    status: 422,
    condition: "The messages or a message's role is missing, on Mistral.",
    error_message: MISTRAL_MISSING_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "mistralai 3.7.0; worded as its validation errors",
    check: mistral_missing,
};
const MISTRAL_MISSING_ERRORS: ErrorMessages = error_messages! { &["mistral"] => "Field required" };

pub(super) const EMPTY_ARRAY: Rule = Rule {
    name: "empty-array",
    status: 400,
    condition: "Messages, tools or tool_calls is an empty list.",
    error_message: EMPTY_ARRAY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "openai-node PR#1341, vllm PR#39780",
    check: empty_array,
};
const EMPTY_ARRAY_ERRORS: ErrorMessages = error_messages! {
    EMPTY_ARRAY_RESPONDERS => "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    &["vllm"] => "`{at}` must not be an empty array. Either provide at least one tool or omit the field entirely.",
};

pub(super) const CHOICE_WITHOUT_TOOLS: Rule = Rule {
    name: "choice-without-tools",
    status: 400,
    condition: "There is a tool_choice without tools, or a function_call without functions. vLLM accepts `none`.",
    error_message: CHOICE_WITHOUT_TOOLS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "opencode PR#48857, writer-framework PR#1013; vLLM source",
    check: choice_without_tools,
};
const CHOICE_WITHOUT_TOOLS_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    &["old"] => "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.",
    &["vllm", "generic"] => "When using `tool_choice`, `tools` must be set.",
};

pub(super) const STREAM_OPTIONS: Rule = Rule {
    name: "stream-options",
    status: 400,
    condition: "There are stream_options and the reply is not streamed.",
    error_message: STREAM_OPTIONS_ERRORS.all,
    evidence: Evidence::Observed,
    source: "litellm#5803, lobehub#6735; vLLM source",
    check: stream_options,
};
const STREAM_OPTIONS_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    &["vllm", "generic"] => "Stream options can only be defined when `stream=True`.",
};

/// Names of required fields.
type RequiredFields = &'static [&'static str];

fn missing_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let mut missing = Vec::new();
    missing_fields(request.body, "", &["model", "messages"], &mut missing);
    for message in messages(request) {
        missing_fields(
            message.value,
            &message.path(),
            required_message_fields(&message),
            &mut missing,
        );
        // A null name counts as missing in a function's result.
        if message.has_role("function") && message.value.get("name").is_some_and(Value::is_null) {
            missing.push(message.field_path("name"));
        }
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.field_path(&format!("content.{at}"));
            missing_fields(part, &path, &["type"], &mut missing);
            let kind = part.field("type").and_then(Value::as_str).unwrap_or_default();
            let fields =
                PART_FIELDS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, f)| *f);
            for field in fields {
                missing_nested(part, &path, field, &mut missing);
            }
            if FIRST_PARTY.contains(&request.flavor) && lacks_file_name(part) {
                missing.push(format!("{path}.file.file_id"));
            }
        }
        let calls = if validates_calls(request) { message.tool_calls() } else { &[][..] };
        for (at, call) in calls.iter().enumerate() {
            check_function(
                call,
                &message.field_path(&format!("tool_calls.{at}")),
                CALL_FIELDS,
                &mut missing,
            );
        }
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        check_function(tool, &format!("tools.{at}"), TOOL_FIELDS, &mut missing);
    }
    for path in missing {
        let at = bracket_path(&path);
        let details = ViolationDetails {
            placeholders: &[("at", &at)],
            param: Some(&at),
            code: Some("missing_required_parameter"),
            path,
        };
        MISSING_PARAMETER_ERRORS.reject(request, cx, &details);
    }
}

/// Whether a PDF is given as data without a name.
fn lacks_file_name(part: &Value) -> bool {
    let Some(file) = part.field("file").filter(|_| str_field(part, "type") == "file") else {
        return false;
    };
    // Values that are no strings count as missing.
    let is_set = |name| file.field(name).is_some_and(Value::is_string);
    let is_data = str_field(file, "file_data").starts_with("data:application/pdf;base64,");
    is_data && !is_set("filename") && !is_set("file_id")
}

/// Whether the fields of tool calls are checked.
pub(super) fn validates_calls(request: &Request<'_>) -> bool {
    MISSING_PARAMETER_ERRORS.for_request(request).is_some()
        && !UNVALIDATED_CALL_FLAVORS.contains(&request.flavor)
}

fn llama_cpp_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = LLAMA_CPP_MISSING_ERRORS.for_request(request) else { return };
    let mut violations = Vec::new();
    if request.body.get("messages").is_none() {
        violations.push(("messages".to_owned(), template, String::new()));
    }
    for message in messages(request).iter().filter(|message| message.value.is_object()) {
        if message.value.get("role").is_none() {
            let template = LLAMA_CPP_MISSING_ERRORS.for_responder("role").unwrap_or(template);
            violations.push((message.field_path("role"), template, message.value.to_string()));
        }
        for (at, part) in message.parts().iter().enumerate() {
            if part.is_object() && part.get("type").is_none() {
                let template = LLAMA_CPP_MISSING_ERRORS.for_responder("type").unwrap_or(template);
                violations.push((
                    message.field_path(&format!("content.{at}.type")),
                    template,
                    part.to_string(),
                ));
            }
        }
    }
    for (path, template, violations) in violations {
        let details = ViolationDetails {
            path,
            placeholders: &[("found", &violations)],
            ..ViolationDetails::default()
        };
        super::error_messages::reject(template, request, cx, &details);
    }
}

fn mistral_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let mut missing = Vec::new();
    missing_fields(request.body, "", &["messages"], &mut missing);
    for message in messages(request) {
        missing_fields(message.value, &message.path(), &["role"], &mut missing);
    }
    for path in missing {
        let param = path.clone();
        let details = ViolationDetails {
            path,
            param: Some(&param),
            code: Some("missing"),
            ..ViolationDetails::default()
        };
        MISTRAL_MISSING_ERRORS.reject(request, cx, &details);
    }
}

fn required_message_fields(message: &Message<'_>) -> RequiredFields {
    match message.role {
        "tool" => &["role", "tool_call_id"],
        "function" => &["role", "name"],
        _ => &["role"],
    }
}

/// Checks the required fields of a call or tool, then those of its function or custom tool.
fn check_function(
    value: &Value,
    path: &str,
    own_fields: RequiredFields,
    missing: &mut Vec<String>,
) {
    missing_fields(value, path, own_fields, missing);
    let fields: RequiredFields = match value.field("type").and_then(Value::as_str) {
        Some("custom") if own_fields == CALL_FIELDS => &["custom.name", "custom.input"],
        Some("custom") => &["custom.name"],
        // Any type but custom is validated as a function call.
        Some(_) if own_fields == CALL_FIELDS => &["function.name", "function.arguments"],
        Some("function") => &["function.name"],
        // A function requires a name, whatever the tool's type.
        Some(_) if value.get("function").is_some_and(Value::is_object) => &["function.name"],
        _ => &[],
    };
    for field in fields {
        missing_nested(value, path, field, missing);
    }
}

/// Checks a nested field; if the outer field is missing, only that is reported.
fn missing_nested(value: &Value, path: &str, field: &str, missing: &mut Vec<String>) {
    let Some((outer, field)) = field.split_once('.') else {
        missing_fields(value, path, &[field], missing);
        return;
    };
    match value.get(outer) {
        Some(object @ Value::Object(_)) => {
            missing_fields(object, &format!("{path}.{outer}"), &[field], missing);
        }
        Some(_) => {}
        None => missing.push(format!("{path}.{outer}")),
    }
}

fn missing_fields(value: &Value, path: &str, fields: &[&str], missing_paths: &mut Vec<String>) {
    for field in fields.iter().filter(|field| value.is_object() && value.get(**field).is_none()) {
        let dot = if path.is_empty() { "" } else { "." };
        let missing_path = format!("{path}{dot}{field}");
        if !missing_paths.contains(&missing_path) {
            missing_paths.push(missing_path);
        }
    }
}

/// Routers reject an empty list of messages for every upstream provider.
const EMPTY_ARRAY_RESPONDERS: &[&str] =
    &["openai", "azure", "openrouter", ROUTER_ANTHROPIC, ROUTER_GOOGLE, "generic"];

fn empty_array(request: &Request<'_>, cx: &mut CheckContext) {
    let mut reject = |path: String| {
        let at = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("at", &at)],
            param: Some(&at),
            code: Some("empty_array"),
        };
        EMPTY_ARRAY_ERRORS.reject(request, cx, &details);
    };
    let is_routed = [ROUTER_ANTHROPIC, ROUTER_GOOGLE].contains(&responder(request));
    let is_empty = |value: Option<&Value>| value == Some(&Value::Array(Vec::new()));
    if request.flavor != "vllm" {
        if is_empty(request.body.field("messages")) {
            reject("messages".into());
        }
        for message in messages(request).iter().filter(|_| !is_routed) {
            if is_empty(message.value.field("tool_calls")) {
                reject(message.field_path("tool_calls"));
            }
        }
    }
    if !is_routed && is_empty(request.body.field("tools")) {
        reject("tools".into());
    }
}

fn choice_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let function_call = request.body.field("function_call").filter(|choice| !choice.is_null());
    let is_first_party = FIRST_PARTY.contains(&request.flavor);
    if function_call.is_some()
        && is_first_party
        && array_field(request.body, "functions").is_empty()
    {
        let details = ViolationDetails {
            path: "function_call".into(),
            param: Some("function_call"),
            ..ViolationDetails::default()
        };
        super::error_messages::reject(
            CHOICE_WITHOUT_TOOLS_ERRORS.for_responder("old").unwrap_or_default(),
            request,
            cx,
            &details,
        );
    }
    let choice = request.body.field("tool_choice").filter(|choice| !choice.is_null());
    let Some(choice) = choice.filter(|_| array_field(request.body, "tools").is_empty()) else {
        return;
    };
    if choice == "none" && !FIRST_PARTY.contains(&request.flavor) {
        return;
    }
    let details = ViolationDetails {
        path: "tool_choice".into(),
        param: Some("tool_choice"),
        ..ViolationDetails::default()
    };
    CHOICE_WITHOUT_TOOLS_ERRORS.reject(request, cx, &details);
}

fn stream_options(request: &Request<'_>, cx: &mut CheckContext) {
    let is_set = request.body.field("stream_options").is_some_and(|options| !options.is_null());
    if is_set && request.body.field("stream") != Some(&Value::Bool(true)) {
        let details = ViolationDetails {
            path: "stream_options".into(),
            param: Some("stream_options"),
            ..ViolationDetails::default()
        };
        STREAM_OPTIONS_ERRORS.reject(request, cx, &details);
    }
}

/// Flavors that do not validate replayed calls.
const UNVALIDATED_CALL_FLAVORS: &[&str] = &["vllm", "ollama", "lm-studio", "gemini-compat"];
const CALL_FIELDS: RequiredFields = &["id", "type"];
const TOOL_FIELDS: RequiredFields = &["type"];
const PART_FIELDS: &[(&str, RequiredFields)] = &[
    ("text", &["text"]),
    ("image_url", &["image_url.url"]),
    ("input_audio", &["input_audio.data", "input_audio.format"]),
    ("file", &["file"]),
    ("refusal", &["refusal"]),
];
