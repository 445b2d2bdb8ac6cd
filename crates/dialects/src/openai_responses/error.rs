//! Decodes errors of all known forms and of failed responses, and encodes errors.

use interlingua_model::{ApiError, ApiErrorKind, RetryAdvice, Stop};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, JsonWriter, RawJson};

use super::id::ID;

/// Decodes the body of an error response.
pub(super) fn decode(status: u16, body: &[u8]) -> ApiError {
    let text = String::from_utf8_lossy(body);
    let doc = JsonDoc::parse((&*text).into(), JsonLimits::default()).ok();
    let mut error = match doc.as_ref().map(JsonDoc::root) {
        Some(root) if root.is_object() || root.is_array() => decode_body(root, Some(status)),
        _ => {
            let kind = classify("", "", &text, Some(status));
            ApiError::new(kind, JsonString::new(&excerpt(status, &text)))
        }
    };
    error.status = status;
    error
}

/// The readable excerpt of a body that is not JSON.
fn excerpt(status: u16, text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return format!("the provider answered {status} with an empty body");
    }
    text.chars().take(MAX_EXCERPT_CHARS).collect()
}

fn decode_body(root: JsonNode<'_>, status: Option<u16>) -> ApiError {
    let root = root.items().next().unwrap_or(root);
    let error = root.get("error").filter(|error| !error.is_null());
    let mut decoded = match error {
        Some(error) if error.is_object() => decode_object(error, status),
        // The code may be next to a message that is a plain string.
        Some(_) | None => decode_object(root, status),
    };
    decoded.original = Some((ID, root.json()));
    decoded
}

/// Decodes the error of a failed response or of an error event.
pub(super) fn decode_failed_response(root: JsonNode<'_>) -> ApiError {
    let error = root.get("error").filter(|error| error.is_object());
    let mut decoded = match error {
        Some(error) => decode_object(error, None),
        None => decode_object(root, None),
    };
    let error_json = error.map_or_else(|| strip_event_fields(root), JsonNode::json);
    decoded.original = Some((ID, RawJson::object(|o| o.json("error", &error_json))));
    decoded
}

/// The error of an event, without the event's own fields.
fn strip_event_fields(event: JsonNode<'_>) -> RawJson {
    RawJson::object(|o| {
        for field in event.fields() {
            if !matches!(&*field.key(), "type" | "sequence_number") {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    })
}

fn decode_object(error: JsonNode<'_>, status: Option<u16>) -> ApiError {
    let text_field = |key: &str| {
        let value = error.get(key).filter(|value| !value.is_null());
        value.map(|value| {
            value.json_string().map_or(value.raw().into(), |text| text.unescape().into_owned())
        })
    };
    let message =
        MESSAGE_KEYS.iter().find_map(|key| text_field(key)).unwrap_or_else(|| error.raw().into());
    let provider = error
        .get("metadata")
        .and_then(|metadata| metadata.get("raw"))
        .and_then(JsonNode::json_string);
    let message = match provider {
        Some(raw) => format!("{message}: {}", raw.unescape()),
        None => message,
    };
    let message: String = message.chars().take(MAX_EXCERPT_CHARS * 4).collect();
    let (code, error_type) =
        (text_field("code").unwrap_or_default(), text_field("type").unwrap_or_default());
    let kind = classify(&code, &error_type, &message, status);
    let mut decoded = ApiError::new(kind, JsonString::new(&message));
    if let Some(millis) = retry_after_millis(&message).filter(|_| decoded.retry != RetryAdvice::No)
    {
        decoded.retry = RetryAdvice::AfterMillis(millis);
    }
    decoded
}

/// Priority: context overflow phrases, then the type, the code, and the status.
fn classify(code: &str, error_type: &str, message: &str, status: Option<u16>) -> ApiErrorKind {
    let find_code = |code_or_type: &str| {
        ERROR_CODES.iter().find(|(find_code, _)| *find_code == code_or_type).map(|(_, kind)| *kind)
    };
    if CONTEXT_OVERFLOW_PHRASES.iter().any(|phrase| message.contains(phrase))
        || code == "context_length_exceeded"
    {
        return ApiErrorKind::ContextOverflow;
    }
    if code == "invalid_prompt" && error_type != "invalid_request_error" {
        let is_flagged = message.contains("flagged") || message.contains("policy");
        let is_filtered = is_flagged || error_type == "content_filter";
        return if is_filtered {
            ApiErrorKind::ContentFiltered
        } else {
            ApiErrorKind::InvalidRequest
        };
    }
    // A generic type is less specific than the status.
    let by_type = find_code(error_type).filter(|_| !GENERIC_TYPES.contains(&error_type));
    by_type.or_else(|| find_code(code)).unwrap_or_else(|| match status {
        Some(status) => ApiErrorKind::from_status(status),
        None if error_type == "invalid_request_error" => ApiErrorKind::InvalidRequest,
        None => ApiErrorKind::ServerError,
    })
}

/// The delay in a message such as `try again in 1.5s` or `in 20ms`.
fn retry_after_millis(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once("try again in ")?;
    let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = rest[..number_end].trim_end_matches('.').parse().ok()?;
    let unit = &rest[number_end..];
    let factor = if unit.starts_with("ms") {
        1.0
    } else if unit.trim_start().starts_with('m') {
        60_000.0
    } else {
        1_000.0
    };
    let millis = (number * factor).ceil();
    #[expect(
        clippy::cast_sign_loss,
        reason = "a number without a sign, checked to be small enough to hold"
    )]
    (0.0..1e12).contains(&millis).then_some(millis as u64)
}

/// Encodes an error response body.
pub(super) fn encode(error: &ApiError) -> Vec<u8> {
    if let Some((ID, json)) = &error.original {
        return json.as_str().into();
    }
    let (error_type, code) = type_and_code(error.kind);
    let mut out = JsonWriter::default();
    out.object(|o| {
        o.object("error", |o| {
            o.json_string("message", &client_message(error));
            o.str("type", error_type);
            match error.kind {
                ApiErrorKind::ContextOverflow => o.static_str("param", "input"),
                _ => o.null("param"),
            }
            match error.kind {
                ApiErrorKind::InvalidRequest => o.null("code"),
                _ => o.str("code", code),
            }
        });
    });
    out.into_bytes()
}

/// Encodes the error of a response that failed during streaming.
pub(super) fn encode_object(api_error: &ApiError) -> RawJson {
    if let Some((ID, json)) = &api_error.original {
        let doc = json.to_doc();
        let error = doc.root().get("error").filter(|error| error.get("code").is_some());
        if let Some(error) = error {
            return error.json();
        }
    }
    let (error_type, code) = type_and_code(api_error.kind);
    RawJson::object(|o| {
        o.str("code", code);
        o.json_string("message", &client_message(api_error));
        o.str("type", error_type);
    })
}

/// The error of a reply that its provider ended without a description.
pub(super) fn encode_stop_error(stop: &Stop) -> RawJson {
    let description = "the provider ended the reply with an error";
    let message = match &stop.message {
        Some(message) => JsonString::new(&format!("{description}: {message}")),
        None => JsonString::from_static(description),
    };
    encode_object(&ApiError::new(ApiErrorKind::ServerError, message))
}

/// The message with the phrases that clients match.
fn client_message(error: &ApiError) -> JsonString {
    let message = error.message.unescape();
    match (error.kind, error.retry) {
        (ApiErrorKind::ContextOverflow, _) if !message.contains(CONTEXT_OVERFLOW_MESSAGE) => {
            JsonString::new(&format!(
                "{CONTEXT_OVERFLOW_MESSAGE}. Please adjust your input and try again. ({message})"
            ))
        }
        (ApiErrorKind::RateLimit, RetryAdvice::AfterMillis(millis))
            if retry_after_millis(&message).is_none() =>
        {
            let seconds = format!("{}.{:03}", millis / 1000, millis % 1000);
            JsonString::new(&format!("{message} Please try again in {seconds}s."))
        }
        _ => error.message.clone(),
    }
}

/// Type and code of each kind. Codex does not retry `server_is_overloaded`, although a retry is
/// right: transient errors get the code `server_error`, and the type tells them apart.
fn type_and_code(kind: ApiErrorKind) -> (&'static str, &'static str) {
    match kind {
        ApiErrorKind::InvalidRequest => ("invalid_request_error", "invalid_prompt"),
        ApiErrorKind::Authentication => ("authentication_error", "invalid_api_key"),
        ApiErrorKind::Permission => ("permission_error", "permission_denied"),
        ApiErrorKind::NotFound => ("not_found_error", "not_found"),
        ApiErrorKind::Billing => ("insufficient_quota", "insufficient_quota"),
        ApiErrorKind::RateLimit => ("rate_limit_error", "rate_limit_exceeded"),
        ApiErrorKind::Overloaded => ("overloaded_error", "server_error"),
        ApiErrorKind::ContextOverflow => ("invalid_request_error", "context_length_exceeded"),
        ApiErrorKind::RequestTooLarge => ("invalid_request_error", "request_too_large"),
        ApiErrorKind::ContentFiltered => ("content_filter", "invalid_prompt"),
        ApiErrorKind::Timeout => ("timeout", "server_error"),
        ApiErrorKind::ServerError => ("server_error", "server_error"),
    }
}

const MAX_EXCERPT_CHARS: usize = 500;
const CONTEXT_OVERFLOW_MESSAGE: &str = "Your input exceeds the context window of this model";
const MESSAGE_KEYS: &[&str] = &["message", "detail", "error", "msg"];
/// Types that many kinds of errors share.
const GENERIC_TYPES: &[&str] = &["server_error", "api_error"];

const CONTEXT_OVERFLOW_PHRASES: &[&str] = &[
    "exceeds the context window",
    "maximum context length",
    "context_length_exceeded",
    "longer than the model's context length",
    "reduce the length of the messages",
    "prompt is too long",
];

const ERROR_CODES: &[(&str, ApiErrorKind)] = &[
    ("authentication_error", ApiErrorKind::Authentication),
    ("invalid_api_key", ApiErrorKind::Authentication),
    ("permission_error", ApiErrorKind::Permission),
    ("permission_denied", ApiErrorKind::Permission),
    ("not_found_error", ApiErrorKind::NotFound),
    ("not_found", ApiErrorKind::NotFound),
    ("model_not_found", ApiErrorKind::NotFound),
    ("previous_response_not_found", ApiErrorKind::NotFound),
    ("insufficient_quota", ApiErrorKind::Billing),
    ("billing_hard_limit_reached", ApiErrorKind::Billing),
    ("billing_not_active", ApiErrorKind::Billing),
    ("usage_not_included", ApiErrorKind::Billing),
    ("rate_limit_error", ApiErrorKind::RateLimit),
    ("rate_limit_exceeded", ApiErrorKind::RateLimit),
    ("overloaded_error", ApiErrorKind::Overloaded),
    ("server_is_overloaded", ApiErrorKind::Overloaded),
    ("slow_down", ApiErrorKind::Overloaded),
    ("request_too_large", ApiErrorKind::RequestTooLarge),
    ("content_filter", ApiErrorKind::ContentFiltered),
    ("content_policy_violation", ApiErrorKind::ContentFiltered),
    ("image_content_policy_violation", ApiErrorKind::ContentFiltered),
    ("bio_policy", ApiErrorKind::ContentFiltered),
    ("cyber_policy", ApiErrorKind::ContentFiltered),
    ("misalignment_policy_violation", ApiErrorKind::ContentFiltered),
    ("timeout", ApiErrorKind::Timeout),
    ("server_error", ApiErrorKind::ServerError),
    ("api_error", ApiErrorKind::ServerError),
    ("vector_store_timeout", ApiErrorKind::Timeout),
];
