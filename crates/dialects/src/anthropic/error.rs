//! Decodes and encodes errors.

use bytes::Bytes;
use interlingua_model::{ApiError, ApiErrorKind, RetryAdvice};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, JsonWriter, RawJson};

use super::id::ID;

/// Decodes the body of an error response: JSON, an HTML page or nothing.
pub(super) fn decode(status: u16, body: &[u8]) -> ApiError {
    if let Ok(doc) = JsonDoc::from_bytes(Bytes::copy_from_slice(body), JsonLimits::default()) {
        let mut error = decode_object(doc.root(), Some(status));
        error.original = Some((ID, doc.to_json()));
        return error;
    }
    let page = String::from_utf8_lossy(body);
    let mut message: String = page.trim().chars().take(MAX_EXCERPT_CHARS).collect();
    if message.is_empty() {
        message = format!("the provider answered {status} without a body");
    }
    error_with_status(classify(status, "", &message), JsonString::new(&message), status)
}

/// Decodes an error in a 2xx body or in a stream event.
pub(super) fn decode_embedded(root: JsonNode<'_>) -> Option<ApiError> {
    let is_error = root.get("type").is_some_and(|kind| kind.str_or_empty() == "error")
        || root.get("error").is_some_and(|error| !error.is_null());
    is_error.then(|| {
        let mut decoded = decode_object(root, None);
        decoded.original = Some((ID, root.json()));
        decoded
    })
}

/// Without an HTTP status, the status comes from the error's `code` or kind.
fn decode_object(root: JsonNode<'_>, status: Option<u16>) -> ApiError {
    let error = root.get("error").filter(|error| !error.is_null()).unwrap_or(root);
    let message =
        ["message", "detail", "Message"].iter().find_map(|key| error.get(key)?.json_string());
    let message = message.or_else(|| error.json_string()).unwrap_or_else(|| {
        JsonString::new(&error.raw().chars().take(MAX_EXCERPT_CHARS).collect::<String>())
    });
    // Some hosts put the whole error object as a string into their own message.
    if let Some(inner) = parse_nested_error(&message) {
        return decode_object(inner.root(), status);
    }
    let error_type = error.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let code_status =
        error.get("code").and_then(JsonNode::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = status.or(code_status.filter(|code| (400..600).contains(code)));
    let kind = classify(status.unwrap_or(0), &error_type, &message.unescape());
    match status {
        Some(status) => error_with_status(kind, message, status),
        None => ApiError::new(kind, message),
    }
}

fn parse_nested_error(message: &JsonString) -> Option<JsonDoc> {
    let contents = message.unescape();
    if !contents.starts_with('{') {
        return None;
    }
    let doc = JsonDoc::parse(contents.into_owned().into(), JsonLimits::default()).ok()?;
    doc.root().get("error").is_some_and(JsonNode::is_object).then_some(doc)
}

fn error_with_status(kind: ApiErrorKind, message: JsonString, status: u16) -> ApiError {
    let mut error = ApiError::new(kind, message);
    error.status = status;
    // A conflict with another request is transient: clients of this dialect retry it.
    if status == 409 {
        error.retry = RetryAdvice::Yes;
    }
    error
}

/// Checks the message before the status, because hosts disagree on the status.
fn classify(status: u16, error_type: &str, message: &str) -> ApiErrorKind {
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrases| message.contains(phrases));
    if contains_any(CONTEXT_OVERFLOW_PHRASES) {
        return ApiErrorKind::ContextOverflow;
    }
    if contains_any(BILLING_PHRASES) {
        return ApiErrorKind::Billing;
    }
    if let Some((kind, _)) = ERROR_TYPES.iter().find(|(_, known)| *known == error_type) {
        return *kind;
    }
    match error_type {
        "policy_blocked" => ApiErrorKind::ContentFiltered,
        "conflict_error" | "not_supported" => ApiErrorKind::InvalidRequest,
        _ if status == 0 => ApiErrorKind::ServerError,
        _ => ApiErrorKind::from_status(status),
    }
}

pub(super) fn encode(error: &ApiError) -> Vec<u8> {
    let mut out = JsonWriter::default();
    match error.original.as_ref().filter(|(from, _)| *from == ID) {
        Some((_, json)) => out.json(json),
        None => write_error(error, &mut out),
    }
    out.into_bytes()
}

/// Writes the error event of a stream. Clients need the standard envelope, even if the host sent
/// another form.
pub(super) fn write_event(error: &ApiError, out: &mut JsonWriter) {
    let original = error.original.as_ref().filter(|(dialect, _)| *dialect == ID);
    match original.filter(|(_, json)| is_error_envelope(json)) {
        Some((_, json)) => out.json(json),
        None => write_error(error, out),
    }
}

fn write_error(error: &ApiError, out: &mut JsonWriter) {
    out.object(|o| {
        o.static_str("type", "error");
        o.object("error", |o| {
            let entry = ERROR_TYPES.iter().find(|(kind, _)| *kind == error.kind);
            o.str("type", entry.map_or("invalid_request_error", |(_, type_name)| type_name));
            match error.kind {
                ApiErrorKind::ContextOverflow => {
                    o.str("message", &context_overflow_message(&error.message));
                }
                ApiErrorKind::InvalidRequest
                | ApiErrorKind::Authentication
                | ApiErrorKind::Permission
                | ApiErrorKind::NotFound
                | ApiErrorKind::Billing
                | ApiErrorKind::RateLimit
                | ApiErrorKind::Overloaded
                | ApiErrorKind::RequestTooLarge
                | ApiErrorKind::ContentFiltered
                | ApiErrorKind::Timeout
                | ApiErrorKind::ServerError => o.json_string("message", &error.message),
            }
        });
        match &error.request_id {
            Some(request) => o.json_string("request_id", request),
            None => o.null("request_id"),
        }
    });
}

/// Returns whether the JSON has the envelope that clients parse. Some hosts wrap it in another one.
fn is_error_envelope(json: &RawJson) -> bool {
    let doc = json.to_doc();
    doc.root().get("type").is_some_and(|kind| kind.str_or_empty() == "error")
        && doc.root().get("error").is_some_and(JsonNode::is_object)
}

/// Clients compact their conversation when they match this message. They also parse the two
/// numbers.
fn context_overflow_message(message: &JsonString) -> String {
    let message = message.unescape();
    if message.contains(CONTEXT_OVERFLOW_PHRASES[0]) {
        return message.into_owned();
    }
    match parse_limit_and_length(&message) {
        Some((limit, length)) => {
            format!("{}: {length} tokens > {limit} maximum", CONTEXT_OVERFLOW_PHRASES[0])
        }
        None => format!("{}: {message}", CONTEXT_OVERFLOW_PHRASES[0]),
    }
}

/// Finds the number after `maximum` or `limit`, and the largest number above it.
fn parse_limit_and_length(message: &str) -> Option<(u64, u64)> {
    let numbers = |text: &str| -> Vec<u64> {
        let plain = text.replace(',', "");
        plain.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    let lower = message.to_lowercase();
    let at = lower.find("maximum").or_else(|| lower.find("limit"))?;
    let limit = *numbers(&lower[at..]).iter().find(|number| **number >= 1000)?;
    let length = numbers(&lower).into_iter().filter(|number| *number > limit).max()?;
    Some((limit, length))
}

/// Maximum characters quoted from an error page.
const MAX_EXCERPT_CHARS: usize = 500;

/// The first phrase is the one that is written.
const CONTEXT_OVERFLOW_PHRASES: &[&str] = &[
    "prompt is too long",
    "exceed context limit",
    "prompt_too_long",
    "max_tokens_context_overflow",
    "Input is too long for requested model",
];
const BILLING_PHRASES: &[&str] = &["credit balance is too low", "specified API usage limits"];

/// Error type of each kind. Two kinds have no type and are written as `invalid_request_error`.
const ERROR_TYPES: &[(ApiErrorKind, &str)] = &[
    (ApiErrorKind::InvalidRequest, "invalid_request_error"),
    (ApiErrorKind::Authentication, "authentication_error"),
    (ApiErrorKind::Permission, "permission_error"),
    (ApiErrorKind::NotFound, "not_found_error"),
    (ApiErrorKind::Billing, "billing_error"),
    (ApiErrorKind::RateLimit, "rate_limit_error"),
    (ApiErrorKind::Overloaded, "overloaded_error"),
    (ApiErrorKind::RequestTooLarge, "request_too_large"),
    (ApiErrorKind::Timeout, "timeout_error"),
    (ApiErrorKind::ServerError, "api_error"),
];
