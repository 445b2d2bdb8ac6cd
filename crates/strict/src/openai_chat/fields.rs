//! Rules about unknown fields, with the known fields of each object.

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages};
use super::flavor::FIRST_PARTY;
use super::profile::{ModelFlag, Profile};
use super::view::{Message, bracket_path, messages, object_keys};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field};
use crate::{Evidence, Request, Rule};

pub(super) const UNKNOWN_PARAMETER: Rule = Rule {
    name: "unknown-parameter",
    status: 400,
    condition: "The request has a field that is unknown to the API or the model (openai, azure, groq, generic).",
    error_message: UNKNOWN_PARAMETER_ERRORS.all,
    evidence: Evidence::Observed,
    source: "langchain_dart#712, open-responses-server#41, nadekobot#34; gpt-5.6 probe notes",
    check: unknown_parameter,
};
const UNKNOWN_PARAMETER_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unknown parameter: '{name}'.",
    LEGACY_ERROR_FLAVORS => "Unrecognized request argument supplied: {name}",
    &["groq"] => "property '{name}' is unsupported",
};

pub(super) const UNKNOWN_MESSAGE_FIELD: Rule = Rule {
    name: "unknown-message-field",
    status: 400,
    condition: "A message, part, call or tool has an unknown field (openai, azure, generic).",
    error_message: UNKNOWN_MESSAGE_FIELD_ERRORS.all,
    evidence: Evidence::Observed,
    source: "agentic#531; gpt-5.6 probe notes",
    check: unknown_message_field,
};
const UNKNOWN_MESSAGE_FIELD_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Unknown parameter: '{at}'.",
    LEGACY_ERROR_FLAVORS => "Additional properties are not allowed ('{name}' was unexpected) - '{place}'",
};
/// Older models, and the servers that copied them.
const LEGACY_ERROR_FLAVORS: &[&str] = &["old", "generic"];

pub(super) const MISTRAL_EXTRA_FIELD: Rule = Rule {
    name: "mistral-extra-field",
    status: 422,
    condition: "The request, a message, call or tool has a field that is unknown to Mistral, such as `stream_options` or `reasoning_content`.",
    error_message: MISTRAL_EXTRA_FIELD_ERRORS.all,
    evidence: Evidence::Observed,
    source: "mistralai_client_dart#44, crush#1590, litellm#30835",
    check: mistral_extra_field,
};
const MISTRAL_EXTRA_FIELD_ERRORS: ErrorMessages =
    error_messages! { &["mistral"] => "Extra inputs are not permitted" };

pub(super) const GROQ_UNSUPPORTED_PROPERTY: Rule = Rule {
    name: "groq-unsupported-property",
    status: 400,
    condition: "A message has a field that is unknown to Groq, such as `reasoning_content`.",
    error_message: GROQ_UNSUPPORTED_PROPERTY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Kai#265, jan#8136, ServiceStack/llms#17",
    check: groq_unsupported_property,
};
const GROQ_UNSUPPORTED_PROPERTY_ERRORS: ErrorMessages = error_messages! {
    &["groq"] => "'{at}' : for 'role:{role}' the following must be satisfied[('{at}' : property '{name}' is unsupported)]",
};

pub(super) const CEREBRAS_UNSUPPORTED_PROPERTY: Rule = Rule {
    name: "cerebras-unsupported-property",
    status: 400,
    condition: "A message has a field that is unknown to Cerebras, such as `reasoning_content`.",
    error_message: CEREBRAS_UNSUPPORTED_PROPERTY_ERRORS.all,
    evidence: Evidence::Observed,
    source: "kilocode#10375",
    check: cerebras_unsupported_property,
};
const CEREBRAS_UNSUPPORTED_PROPERTY_ERRORS: ErrorMessages = error_messages! {
    &["cerebras"] => "messages.{index}.{role}.{name}: property 'messages.{index}.{role}.{name}' is unsupported",
};

/// The known fields of an object.
type KnownFields = &'static [&'static str];
/// The known fields by role of a message or type of a part.
type FieldsByTag = &'static [(&'static str, KnownFields)];

fn unknown_parameter(request: &Request<'_>, cx: &mut CheckContext) {
    let profile = Profile::for_request(request);
    let is_known = if request.flavor == "groq" { GROQ_PARAMETERS } else { OPENAI_PARAMETERS };
    let is_legacy = profile.has(ModelFlag::LegacyUnknownFieldError);
    let template = if is_legacy {
        UNKNOWN_PARAMETER_ERRORS.for_responder("old")
    } else {
        UNKNOWN_PARAMETER_ERRORS.for_request(request)
    };
    let Some(template) =
        template.filter(|_| UNKNOWN_PARAMETER_ERRORS.for_request(request).is_some())
    else {
        return;
    };
    for name in object_keys(request.body) {
        let is_unsupported = NEWEST_MODEL_PARAMETERS.contains(&name.as_str())
            && !profile.has(ModelFlag::CacheBreakpoints);
        let is_unsupported_effort =
            name == "reasoning_effort" && !profile.has(ModelFlag::ReasoningEffort);
        let is_azure_parameter =
            request.flavor == "azure" && AZURE_PARAMETERS.contains(&name.as_str());
        let is_known = (is_known.contains(&name.as_str()) || is_azure_parameter)
            && !(FIRST_PARTY.contains(&request.flavor)
                && (is_unsupported || is_unsupported_effort));
        if !is_known {
            let details = ViolationDetails {
                path: name.clone(),
                placeholders: &[("name", name)],
                param: Some(name).filter(|_| !is_legacy).map(String::as_str),
                code: Some("unknown_parameter").filter(|_| !is_legacy && request.flavor != "groq"),
            };
            super::error_messages::reject(template, request, cx, &details);
        }
    }
}

fn unknown_message_field(request: &Request<'_>, cx: &mut CheckContext) {
    let profile = Profile::for_request(request);
    let is_legacy = profile.has(ModelFlag::LegacyUnknownFieldError);
    let Some(template) = UNKNOWN_MESSAGE_FIELD_ERRORS.for_request(request) else { return };
    let template = if is_legacy {
        UNKNOWN_MESSAGE_FIELD_ERRORS.for_responder("old").unwrap_or(template)
    } else {
        template
    };
    let has_breakpoints = profile.has(ModelFlag::CacheBreakpoints);
    let mut extra = Vec::new();
    for message in messages(request) {
        let allowed =
            if request.flavor == "generic" { BASIC_MESSAGE_FIELDS } else { OPENAI_MESSAGE_FIELDS };
        collect_unknown_fields(
            message.value,
            &message.path(),
            fields_of(allowed, message.role),
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
        let code = Some("unknown_parameter").filter(|_| !is_legacy && request.flavor != "generic");
        let details = ViolationDetails {
            path,
            placeholders: &placeholders,
            param: code.map(|_| at.as_str()),
            code,
        };
        super::error_messages::reject(template, request, cx, &details);
    }
}

fn mistral_extra_field(request: &Request<'_>, cx: &mut CheckContext) {
    if MISTRAL_EXTRA_FIELD_ERRORS.for_request(request).is_none() {
        return;
    }
    let mut extra = Vec::new();
    collect_unknown_fields(request.body, "", Some(MISTRAL_PARAMETERS), &mut extra);
    let mut located: Vec<_> = extra.into_iter().map(|(_, name)| (name.clone(), name)).collect();
    for message in messages(request) {
        let mut extra = Vec::new();
        let shape = fields_of(MISTRAL_MESSAGE_FIELDS, message.role);
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
        MISTRAL_EXTRA_FIELD_ERRORS.reject(request, cx, &details);
    }
}

fn groq_unsupported_property(request: &Request<'_>, cx: &mut CheckContext) {
    for (message, name) in unknown_message_fields(request, GROQ_MESSAGE_FIELDS) {
        let at = message.path();
        let details = ViolationDetails {
            path: message.field_path(name),
            placeholders: &[("at", &at), ("role", message.role), ("name", name)],
            ..ViolationDetails::default()
        };
        GROQ_UNSUPPORTED_PROPERTY_ERRORS.reject(request, cx, &details);
    }
}

fn cerebras_unsupported_property(request: &Request<'_>, cx: &mut CheckContext) {
    for (message, name) in unknown_message_fields(request, BASIC_MESSAGE_FIELDS) {
        let index = message.index.to_string();
        let details = ViolationDetails {
            path: message.field_path(name),
            placeholders: &[("index", &index), ("role", message.role), ("name", name)],
            code: Some("wrong_api_format"),
            ..ViolationDetails::default()
        };
        CEREBRAS_UNSUPPORTED_PROPERTY_ERRORS.reject(request, cx, &details);
    }
}

fn unknown_message_fields<'v>(
    request: &Request<'v>,
    roles: FieldsByTag,
) -> impl Iterator<Item = (Message<'v>, &'v String)> {
    messages(request).into_iter().flat_map(move |message| {
        let shape = fields_of(roles, message.role).unwrap_or_default();
        let is_closed = !shape.is_empty();
        object_keys(message.value)
            .filter(move |name| is_closed && !shape.contains(&name.as_str()))
            .map(move |name| (message, name))
    })
}

/// Collects the fields of `value` that are not known, with the path of the object.
fn collect_unknown_fields(
    value: &Value,
    path: &str,
    shape: Option<KnownFields>,
    extra: &mut Vec<(String, String)>,
) {
    let Some(shape) = shape else { return };
    let names = object_keys(value).filter(|name| !shape.contains(&name.as_str()));
    extra.extend(names.map(|name| (path.to_owned(), name.clone())));
}

/// The known fields for a role or type; `None` for unknown ones, which another rule rejects.
fn fields_of(shapes: FieldsByTag, name: &str) -> Option<KnownFields> {
    shapes.iter().find(|(tag, _)| *tag == name).map(|(_, shape)| *shape)
}

#[rustfmt::skip]
const OPENAI_PARAMETERS: KnownFields = &[
    "model", "messages", "max_completion_tokens", "max_tokens", "reasoning_effort", "verbosity",
    "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "logit_bias",
    "logprobs", "top_logprobs", "n", "stop", "stream", "stream_options", "tools", "tool_choice",
    "parallel_tool_calls", "response_format", "modalities", "audio", "prediction", "store",
    "metadata", "service_tier", "safety_identifier", "prompt_cache_key", "user",
    "prompt_cache_options", "prompt_cache_retention", "moderation", "web_search_options",
    "functions", "function_call",
];
/// Only the newest models support these.
const NEWEST_MODEL_PARAMETERS: KnownFields = &["prompt_cache_options"];
const AZURE_PARAMETERS: KnownFields = &["data_sources", "user_security_context"];
#[rustfmt::skip]
const GROQ_PARAMETERS: KnownFields = &[
    "model", "messages", "citation_options", "compound_custom", "disable_tool_validation",
    "documents", "exclude_domains", "frequency_penalty", "function_call", "functions",
    "include_domains", "include_reasoning", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "metadata", "n", "parallel_tool_calls", "presence_penalty", "reasoning_effort",
    "reasoning_format", "response_format", "search_settings", "seed", "service_tier", "stop",
    "store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs",
    "top_p", "user",
];
#[rustfmt::skip]
const MISTRAL_PARAMETERS: KnownFields = &[
    "model", "messages", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed",
    "metadata", "response_format", "tools", "tool_choice", "presence_penalty", "frequency_penalty",
    "n", "prediction", "parallel_tool_calls", "prompt_mode", "reasoning_effort", "guardrails",
    "prompt_cache_key", "safe_prompt",
];

const NAMED_MESSAGE_FIELDS: KnownFields = &["role", "content", "name"];
const OPENAI_MESSAGE_FIELDS: FieldsByTag = &[
    ("system", NAMED_MESSAGE_FIELDS),
    ("developer", NAMED_MESSAGE_FIELDS),
    ("user", NAMED_MESSAGE_FIELDS),
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
    ("function", NAMED_MESSAGE_FIELDS),
];
const BASIC_MESSAGE_FIELDS: FieldsByTag = &[
    ("system", NAMED_MESSAGE_FIELDS),
    ("user", NAMED_MESSAGE_FIELDS),
    ("assistant", &["role", "content", "name", "tool_calls"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
];
const GROQ_MESSAGE_FIELDS: FieldsByTag = &[
    ("system", NAMED_MESSAGE_FIELDS),
    ("developer", NAMED_MESSAGE_FIELDS),
    ("user", NAMED_MESSAGE_FIELDS),
    ("assistant", &["role", "content", "name", "tool_calls", "function_call", "reasoning"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
    ("function", NAMED_MESSAGE_FIELDS),
];
const MISTRAL_MESSAGE_FIELDS: FieldsByTag = &[
    ("system", &["role", "content"]),
    ("user", &["role", "content"]),
    ("assistant", &["role", "content", "tool_calls", "prefix"]),
    ("tool", &["role", "content", "name", "tool_call_id"]),
];
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
