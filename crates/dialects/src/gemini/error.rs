//! Decodes and encodes errors in the envelope of Google APIs.

use bytes::Bytes;
use interlingua_model::{ApiError, ApiErrorKind, RetryAdvice};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, JsonWriter};

use super::field_name;
use super::id::ID;

/// Decodes the body of an error response.
pub(super) fn decode(status: u16, body: &[u8]) -> ApiError {
    let doc = JsonDoc::from_bytes(Bytes::copy_from_slice(body), JsonLimits::default());
    if let Ok(doc) = &doc
        && let Some(error) = find_error(doc.root())
    {
        return decode_object(error, Some(status), doc.root());
    }
    let text = String::from_utf8_lossy(body);
    let message = if text.trim().is_empty() {
        format!("the provider answered {status} with an empty body")
    } else {
        text.trim().chars().take(MAX_EXCERPT_CHARS).collect()
    };
    let mut decoded = ApiError::new(classify("", &message, status), JsonString::new(&message));
    decoded.status = status;
    decoded.original = doc.ok().map(|doc| (ID, doc.root().json()));
    decoded
}

/// Finds the error in a body or chunk, which may be wrapped in a list with one element.
pub(super) fn find_error(root: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let root = if root.is_array() { root.items().next()? } else { root };
    let inner = field_name::get(root, "response").filter(|inner| inner.is_object());
    field_name::get(root, "error").or_else(|| field_name::get(inner?, "error"))
}

/// Decodes an error object; `status` is the HTTP status, if there is one.
pub(super) fn decode_object(
    error: JsonNode<'_>,
    status: Option<u16>,
    original: JsonNode<'_>,
) -> ApiError {
    let code = field_name::get(error, "code")
        .and_then(JsonNode::as_u64)
        .and_then(|code| code.try_into().ok());
    let status_name =
        field_name::get(error, "status").map(JsonNode::str_or_empty).unwrap_or_default();
    let message = field_name::get(error, "message")
        .and_then(JsonNode::json_string)
        .or_else(|| error.json_string());
    let message = message.unwrap_or_else(|| {
        let raw = error.raw();
        JsonString::new(&raw.chars().take(MAX_EXCERPT_CHARS).collect::<String>())
    });
    let http_status = status.filter(|status| *status >= 400).or(code.filter(|code| *code >= 400));
    let kind = classify(&status_name, &message.unescape(), http_status.unwrap_or(0));
    let mut decoded = ApiError::new(kind, message);
    if let Some(http_status) = http_status {
        decoded.status = http_status;
    }
    if let Some(millis) = retry_after_millis(error, &decoded.message.unescape()) {
        decoded.retry = RetryAdvice::AfterMillis(millis);
    }
    decoded.original = Some((ID, original.json()));
    decoded
}

fn classify(status_name: &str, message: &str, status: u16) -> ApiErrorKind {
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrases| message.contains(phrases));
    if contains_any(CONTEXT_OVERFLOW_PHRASES) {
        return ApiErrorKind::ContextOverflow;
    }
    if status == 413 || contains_any(&["payload size exceeds"]) {
        return ApiErrorKind::RequestTooLarge;
    }
    match status_name {
        "INVALID_ARGUMENT"
            if contains_any(&["API key not valid", "API key expired", "API Key not found"]) =>
        {
            ApiErrorKind::Authentication
        }
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE"
            if contains_any(&["illing"]) =>
        {
            ApiErrorKind::Billing
        }
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION"
            if contains_any(&["PROHIBITED_CONTENT", "safety"]) =>
        {
            ApiErrorKind::ContentFiltered
        }
        "INVALID_ARGUMENT"
        | "FAILED_PRECONDITION"
        | "OUT_OF_RANGE"
        | "ALREADY_EXISTS"
        | "UNIMPLEMENTED" => ApiErrorKind::InvalidRequest,
        "UNAUTHENTICATED" => ApiErrorKind::Authentication,
        "PERMISSION_DENIED" if contains_any(&["illing"]) => ApiErrorKind::Billing,
        "PERMISSION_DENIED" => ApiErrorKind::Permission,
        "NOT_FOUND" => ApiErrorKind::NotFound,
        "RESOURCE_EXHAUSTED" => ApiErrorKind::RateLimit,
        "UNAVAILABLE" => ApiErrorKind::Overloaded,
        "DEADLINE_EXCEEDED" => ApiErrorKind::Timeout,
        "INTERNAL" | "UNKNOWN" | "DATA_LOSS" | "ABORTED" | "CANCELLED" => ApiErrorKind::ServerError,
        _ => ApiErrorKind::from_status(status),
    }
}

/// When to retry, from the error details or otherwise from the message.
fn retry_after_millis(error: JsonNode<'_>, message: &str) -> Option<u64> {
    let details = field_name::get(error, "details").into_iter().flat_map(JsonNode::items);
    let retry_delay = details.filter_map(|detail| field_name::get(detail, "retryDelay")).last();
    retry_delay.and_then(|delay| parse_duration_millis(&delay.str_or_empty())).or_else(|| {
        let (_, rest) = message.split_once("Please retry in ")?;
        parse_duration_millis(rest.split_whitespace().next()?.trim_end_matches('.'))
    })
}

fn parse_duration_millis(duration: &str) -> Option<u64> {
    if let Some(millis) = duration.strip_suffix("ms") {
        return millis.split('.').next()?.parse().ok();
    }
    let seconds = duration.strip_suffix('s')?;
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    let millis: u64 = digits.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(millis)
}

pub(super) fn encode(error: &ApiError) -> Vec<u8> {
    match &error.original {
        Some((ID, json)) => json.as_str().as_bytes().to_vec(),
        _ => encode_chunk(error),
    }
}

/// Encodes the error as a stream chunk: clients recognize it by its first key `error`.
pub(super) fn encode_chunk(api_error: &ApiError) -> Vec<u8> {
    let mut out = JsonWriter::default();
    if let Some((ID, json)) = &api_error.original
        && let Some(error) = find_error(json.to_doc().root())
    {
        out.object(|object| object.json("error", &error.json()));
        return out.into_bytes();
    }
    out.object(|object| object.object("error", |error| write_error(api_error, error)));
    out.into_bytes()
}

fn write_error(api_error: &ApiError, object: &mut ObjectWriter<'_>) {
    let (status_name, code) = match api_error.kind {
        ApiErrorKind::InvalidRequest
        | ApiErrorKind::ContextOverflow
        | ApiErrorKind::RequestTooLarge
        | ApiErrorKind::ContentFiltered => ("INVALID_ARGUMENT", api_error.status),
        ApiErrorKind::Authentication => ("UNAUTHENTICATED", api_error.status),
        ApiErrorKind::Permission => ("PERMISSION_DENIED", api_error.status),
        ApiErrorKind::NotFound => ("NOT_FOUND", api_error.status),
        ApiErrorKind::Billing => ("FAILED_PRECONDITION", api_error.status),
        ApiErrorKind::RateLimit => ("RESOURCE_EXHAUSTED", api_error.status),
        // 529 is a status of another provider; this API uses 503.
        ApiErrorKind::Overloaded if api_error.status == 529 => ("UNAVAILABLE", 503),
        ApiErrorKind::Overloaded => ("UNAVAILABLE", api_error.status),
        ApiErrorKind::Timeout => ("DEADLINE_EXCEEDED", api_error.status),
        ApiErrorKind::ServerError => ("INTERNAL", api_error.status),
    };
    object.number("code", u64::from(code));
    object.json_string("message", &client_message(api_error));
    object.str("status", status_name);
    if let RetryAdvice::AfterMillis(millis) = api_error.retry {
        object.array("details", |details| {
            details.object(|detail| {
                detail.static_str("@type", "type.googleapis.com/google.rpc.RetryInfo");
                let (seconds, rest_millis) = (millis / 1000, millis % 1000);
                let delay = if rest_millis == 0 {
                    format!("{seconds}s")
                } else {
                    format!("{seconds}.{rest_millis:03}s")
                };
                detail.str("retryDelay", &delay);
            });
        });
    }
}

/// Clients recognize some errors only by the message.
fn client_message(error: &ApiError) -> JsonString {
    let contents = error.message.unescape();
    let phrases = match error.kind {
        ApiErrorKind::ContextOverflow => CONTEXT_OVERFLOW_PHRASES,
        ApiErrorKind::RequestTooLarge => &["Request payload size exceeds the limit"],
        _ => return error.message.clone(),
    };
    if phrases.iter().any(|phrases| contents.contains(phrases)) {
        return error.message.clone();
    }
    let default_message = match error.kind {
        ApiErrorKind::ContextOverflow => {
            "The input token count exceeds the maximum number of tokens allowed."
        }
        _ => "Request payload size exceeds the limit.",
    };
    if contents.is_empty() {
        JsonString::from_static(default_message)
    } else {
        JsonString::new(&format!("{default_message} ({contents})"))
    }
}

/// The first phrases are the provider's own: "The input token count (1196265) exceeds the maximum
/// number of tokens allowed (1048575)."
const CONTEXT_OVERFLOW_PHRASES: &[&str] =
    &["exceeds the maximum number of tokens allowed", "input token count exceeds"];

/// Maximum characters quoted from an error page.
const MAX_EXCERPT_CHARS: usize = 500;
