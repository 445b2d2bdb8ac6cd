//! Rules about missing fields, and fields that require another.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, standard_message};
use super::provider::{Trait, provider_of};
use super::view::{Message, bracket_path, messages};
use crate::Request;
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};

/// Names of required fields.
type RequiredFields = &'static [&'static str];

pub(super) fn missing_parameter(request: &Request<'_>, cx: &mut CheckContext) {
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
            if provider_of(request).has(Trait::FirstParty) && lacks_file_name(part) {
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
        reject(request, cx, &details);
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
    let provider = provider_of(request);
    provider.has_rule("missing-parameter") && !provider.has(Trait::UnvalidatedCalls)
}

pub(super) fn llama_cpp_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let template = standard_message(request, cx);
    let mut violations = Vec::new();
    if request.body.get("messages").is_none() {
        violations.push(("messages".to_owned(), template, String::new()));
    }
    for message in messages(request).iter().filter(|message| message.value.is_object()) {
        if message.value.get("role").is_none() {
            let template = cx.case("role");
            violations.push((message.field_path("role"), template, message.value.to_string()));
        }
        for (at, part) in message.parts().iter().enumerate() {
            if part.is_object() && part.get("type").is_none() {
                let template = cx.case("type");
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
        reject_as(template, request, cx, &details);
    }
}

pub(super) fn mistral_missing(request: &Request<'_>, cx: &mut CheckContext) {
    let mut missing = Vec::new();
    missing_fields(request.body, "", &["messages"], &mut missing);
    for message in messages(request) {
        missing_fields(message.value, &message.path(), &["role"], &mut missing);
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        if let Some(function) = tool.field("function").filter(|function| function.is_object()) {
            let path = format!("tools.{at}.function");
            missing_fields(function, &path, &["parameters"], &mut missing);
        }
    }
    for path in missing {
        let param = path.clone();
        let details = ViolationDetails {
            path,
            param: Some(&param),
            code: Some("missing"),
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
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

pub(super) fn empty_array(request: &Request<'_>, cx: &mut CheckContext) {
    let mut reject_path = |path: String| {
        let at = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("at", &at)],
            param: Some(&at),
            code: Some("empty_array"),
        };
        reject(request, cx, &details);
    };
    let is_checked =
        |name: &str| provider_of(request).empty_arrays.iter().any(|array| array == name);
    let is_empty = |value: Option<&Value>| value == Some(&Value::Array(Vec::new()));
    if is_checked("messages") && is_empty(request.body.field("messages")) {
        reject_path("messages".into());
    }
    for message in messages(request).iter().filter(|_| is_checked("tool_calls")) {
        if is_empty(message.value.field("tool_calls")) {
            reject_path(message.field_path("tool_calls"));
        }
    }
    if is_checked("tools") && is_empty(request.body.field("tools")) {
        reject_path("tools".into());
    }
}

pub(super) fn choice_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let function_call = request.body.field("function_call").filter(|choice| !choice.is_null());
    let is_first_party = provider_of(request).has(Trait::FirstParty);
    if function_call.is_some()
        && is_first_party
        && array_field(request.body, "functions").is_empty()
    {
        let details = ViolationDetails {
            path: "function_call".into(),
            param: Some("function_call"),
            ..ViolationDetails::default()
        };
        reject_as(cx.case("old"), request, cx, &details);
    }
    let choice = request.body.field("tool_choice").filter(|choice| !choice.is_null());
    let Some(choice) = choice.filter(|_| array_field(request.body, "tools").is_empty()) else {
        return;
    };
    if choice == "none" && !provider_of(request).has(Trait::FirstParty) {
        return;
    }
    let details = ViolationDetails {
        path: "tool_choice".into(),
        param: Some("tool_choice"),
        ..ViolationDetails::default()
    };
    reject(request, cx, &details);
}

pub(super) fn stream_options(request: &Request<'_>, cx: &mut CheckContext) {
    let is_set = request.body.field("stream_options").is_some_and(|options| !options.is_null());
    if is_set && request.body.field("stream") != Some(&Value::Bool(true)) {
        let details = ViolationDetails {
            path: "stream_options".into(),
            param: Some("stream_options"),
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

const CALL_FIELDS: RequiredFields = &["id", "type"];
const TOOL_FIELDS: RequiredFields = &["type"];
const PART_FIELDS: &[(&str, RequiredFields)] = &[
    ("text", &["text"]),
    ("image_url", &["image_url.url"]),
    ("input_audio", &["input_audio.data", "input_audio.format"]),
    ("file", &["file"]),
    ("refusal", &["refusal"]),
];
