//! Rules about unknown fields, with the known fields of each object.

use serde_json::Value;

use super::error_messages::{ViolationDetails, reject, reject_as, standard_message};
use super::profile::{ModelFlag, Profile};
use super::provider::{Trait, provider_of, provider_or_vendor};
use super::view::{Message, bracket_path, messages, object_keys};
use crate::Request;
use crate::check_context::CheckContext;
use crate::form::ObjectFields;
use crate::json::{JsonExt as _, array_field};

/// The fields of `OpenAI`'s objects.
pub(super) fn object_fields() -> ObjectFields {
    let vendor = provider_or_vendor(super::registry::FLAVORS[0]);
    let mut out = ObjectFields::new();
    let mut add = |path: String, fields: &mut dyn Iterator<Item = &str>| {
        out.insert(path, fields.map(|name| (name.to_owned(), false)).collect());
    };
    add(String::new(), &mut vendor.parameters.iter().map(String::as_str));
    for (role, fields) in &vendor.message_fields {
        add(format!(".messages[]({role})"), &mut fields.iter().map(String::as_str));
    }
    for (kind, fields) in PART_FIELDS {
        let role = if *kind == "refusal" { "assistant" } else { "user" };
        add(format!(".messages[]({role}).content[]({kind})"), &mut fields.iter().copied());
    }
    add(".messages[](assistant).tool_calls[]".into(), &mut CALL_FIELDS.iter().copied());
    add(".tools[]".into(), &mut TOOL_FIELDS.iter().copied());
    add(".tools[](function).function".into(), &mut FUNCTION_FIELDS.iter().copied());
    out
}

/// The known fields of an object.
type KnownFields = &'static [&'static str];
/// The known fields by role of a message or type of a part.
type FieldsByTag = &'static [(&'static str, KnownFields)];

pub(super) fn unknown_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let (profile, provider) = (Profile::for_request(request), provider_of(request));
    let is_first_party = provider.has(Trait::FirstParty);
    let is_legacy = profile.has(ModelFlag::LegacyUnknownFieldError);
    let template = if is_legacy { cx.case("old") } else { standard_message(request, cx) };
    for name in object_keys(request.body) {
        let is_unsupported = NEWEST_MODEL_PARAMETERS.contains(&name.as_str())
            && !profile.has(ModelFlag::CacheBreakpoints);
        let is_unsupported_effort =
            name == "reasoning_effort" && !profile.has(ModelFlag::ReasoningEffort);
        let mut known = provider.parameters.iter().chain(&provider.extra_parameters);
        let is_known = known.any(|known| known == name)
            && !(is_first_party && (is_unsupported || is_unsupported_effort));
        if !is_known {
            let details = ViolationDetails {
                path: name.clone(),
                placeholders: &[("name", name)],
                param: Some(name).filter(|_| !is_legacy).map(String::as_str),
                code: Some("unknown_parameter").filter(|_| !is_legacy),
            };
            reject_as(template, request, cx, &details);
        }
    }
}

pub(super) fn unknown_message_field(request: &Request<'_>, cx: &mut CheckContext) {
    let profile = Profile::for_request(request);
    let is_legacy = profile.has(ModelFlag::LegacyUnknownFieldError);
    let template = if is_legacy { cx.case("old") } else { standard_message(request, cx) };
    let has_code = !is_legacy && provider_of(request).has(Trait::FirstParty);
    let has_breakpoints = profile.has(ModelFlag::CacheBreakpoints);
    let mut extra = Vec::new();
    for message in messages(request) {
        collect_unknown_fields(
            message.value,
            &message.path(),
            known_message_fields(request, message.role),
            &mut extra,
        );
        for (at, part) in message.parts().iter().enumerate() {
            let path = message.field_path(&format!("content.{at}"));
            let shape =
                fields_of(PART_FIELDS, part.field("type").and_then(Value::as_str).unwrap_or(""));
            let is_known = |name: &str| has_breakpoints && name == "prompt_cache_breakpoint";
            let mut part_fields = Vec::new();
            collect_unknown_fields(part, &path, shape, &mut part_fields);
            extra.extend(part_fields.into_iter().filter(|(_, name)| !is_known(name)));
        }
        for (at, call) in message.tool_calls().iter().enumerate() {
            collect_unknown_fields(
                call,
                &message.field_path(&format!("tool_calls.{at}")),
                Some(CALL_FIELDS),
                &mut extra,
            );
        }
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let path = format!("tools.{at}");
        collect_unknown_fields(tool, &path, Some(TOOL_FIELDS), &mut extra);
        if let Some(function) = tool.field("function") {
            collect_unknown_fields(
                function,
                &format!("{path}.function"),
                Some(FUNCTION_FIELDS),
                &mut extra,
            );
        }
    }
    for (object_path, name) in extra {
        let path = format!("{object_path}.{name}");
        let at = bracket_path(&path);
        let placeholders =
            [("at", at.as_str()), ("name", name.as_str()), ("place", object_path.as_str())];
        let code = Some("unknown_parameter").filter(|_| has_code);
        let details = ViolationDetails {
            path,
            placeholders: &placeholders,
            param: code.map(|_| at.as_str()),
            code,
        };
        reject_as(template, request, cx, &details);
    }
}

pub(super) fn mistral_extra_field(request: &Request<'_>, cx: &mut CheckContext) {
    let mut extra = Vec::new();
    collect_unknown_fields(
        request.body,
        "",
        Some(provider_of(request).parameters.as_slice()),
        &mut extra,
    );
    let mut located: Vec<_> = extra.into_iter().map(|(_, name)| (name.clone(), name)).collect();
    for message in messages(request) {
        let mut extra = Vec::new();
        let shape = known_message_fields(request, message.role);
        collect_unknown_fields(message.value, "", shape, &mut extra);
        for (at, call) in message.tool_calls().iter().enumerate() {
            collect_unknown_fields(
                call,
                &format!("tool_calls.{at}"),
                Some(MISTRAL_CALL_FIELDS),
                &mut extra,
            );
        }
        located.extend(extra.into_iter().map(|(path_text, name)| {
            let inner = if path_text.is_empty() { name } else { format!("{path_text}.{name}") };
            let Message { index, role, .. } = message;
            (message.field_path(&inner), format!("messages.{index}.{role}.{inner}"))
        }));
    }
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let mut extra = Vec::new();
        collect_unknown_fields(tool, &format!("tools.{at}"), Some(TOOL_FIELDS), &mut extra);
        if let Some(function) = tool.field("function") {
            collect_unknown_fields(
                function,
                &format!("tools.{at}.function"),
                Some(FUNCTION_FIELDS),
                &mut extra,
            );
        }
        located.extend(extra.into_iter().map(|(path_text, name)| {
            let path = format!("{path_text}.{name}");
            (path.clone(), path)
        }));
    }
    for (path, path_text) in located {
        let details = ViolationDetails {
            path,
            param: Some(&path_text),
            code: Some("extra_forbidden"),
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

pub(super) fn groq_unsupported_property(request: &Request<'_>, cx: &mut CheckContext) {
    for (message, name) in unknown_message_fields(request) {
        let at = message.path();
        let details = ViolationDetails {
            path: message.field_path(name),
            placeholders: &[("at", &at), ("role", message.role), ("name", name)],
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

pub(super) fn cerebras_unsupported_property(request: &Request<'_>, cx: &mut CheckContext) {
    for (message, name) in unknown_message_fields(request) {
        let index = message.index.to_string();
        let details = ViolationDetails {
            path: message.field_path(name),
            placeholders: &[("index", &index), ("role", message.role), ("name", name)],
            code: Some("wrong_api_format"),
            ..ViolationDetails::default()
        };
        reject(request, cx, &details);
    }
}

fn unknown_message_fields<'v>(
    request: &Request<'v>,
) -> impl Iterator<Item = (Message<'v>, &'v String)> {
    messages(request).into_iter().flat_map(|message| {
        let known = known_message_fields(request, message.role);
        object_keys(message.value)
            .filter(move |name| known.is_some_and(|known| !known.contains(name)))
            .map(move |name| (message, name))
    })
}

/// The known fields for a role; `None` for unknown roles, which another rule rejects.
fn known_message_fields(request: &Request<'_>, role: &str) -> Option<&'static [String]> {
    provider_of(request).message_fields.get(role).map(Vec::as_slice)
}

/// Collects the fields of `value` that are not known, with the path of the object.
fn collect_unknown_fields(
    value: &Value,
    path: &str,
    known: Option<&[impl AsRef<str>]>,
    extra: &mut Vec<(String, String)>,
) {
    let Some(known) = known else { return };
    let names = object_keys(value).filter(|name| known.iter().all(|known| known.as_ref() != *name));
    extra.extend(names.map(|name| (path.to_owned(), name.clone())));
}

/// The known fields for a role or type; `None` for unknown ones, which another rule rejects.
fn fields_of(shapes: FieldsByTag, name: &str) -> Option<KnownFields> {
    shapes.iter().find(|(tag, _)| *tag == name).map(|(_, shape)| *shape)
}

/// Only the newest models support these.
const NEWEST_MODEL_PARAMETERS: KnownFields = &["prompt_cache_options"];
const MISTRAL_CALL_FIELDS: KnownFields = &["id", "type", "function", "index"];
const PART_FIELDS: FieldsByTag = &[
    ("text", &["type", "text"]),
    ("image_url", &["type", "image_url"]),
    ("input_audio", &["type", "input_audio"]),
    ("file", &["type", "file"]),
    ("refusal", &["type", "refusal"]),
];
const CALL_FIELDS: KnownFields = &["id", "type", "function", "custom"];
const TOOL_FIELDS: KnownFields = &["type", "function", "custom"];
const FUNCTION_FIELDS: KnownFields = &["name", "description", "parameters", "strict"];
