//! Decodes and encodes errors, in bodies and as the exception event that ends a stream.

use interlingua_model::{ApiError, ApiErrorKind};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

use super::id::ID;

/// Decodes the body of an error response.
pub(super) fn decode(status: u16, body: &[u8]) -> ApiError {
    let text = String::from_utf8_lossy(body);
    match JsonDoc::parse(text.as_ref().into(), JsonLimits::default()) {
        Ok(doc) if doc.root().is_object() => decode_object(Some(status), "", doc.root()),
        _ => {
            let excerpt: String = text.trim().chars().take(MAX_EXCERPT_CHARS).collect();
            let message = if excerpt.is_empty() {
                format!("the provider answered {status} with an empty body")
            } else {
                format!("the provider answered {status}: {excerpt}")
            };
            error_with_status(ApiErrorKind::from_status(status), status, JsonString::new(&message))
        }
    }
}

/// Decodes the error in a 2xx body, if it is one.
pub(super) fn decode_embedded(root: JsonNode<'_>) -> Option<ApiError> {
    let is_reply = ["output", "stopReason", "usage"].iter().any(|key| root.get(key).is_some());
    let is_error = !exception_name(root).is_empty() || error_message(root).is_some();
    (!is_reply && is_error).then(|| decode_object(None, "", root))
}

/// Decodes an exception event that ends a stream; `name` is its type.
pub(super) fn decode_exception(name: &str, data: Option<&str>) -> ApiError {
    let doc = data.and_then(|data| JsonDoc::parse(data.into(), JsonLimits::default()).ok());
    if let Some(root) = doc.as_ref().map(JsonDoc::root).filter(|root| root.is_object()) {
        return decode_object(None, name, root);
    }
    let (kind, status) = find_exception(name).unwrap_or((ApiErrorKind::ServerError, 500));
    let text = data.filter(|data| !data.is_empty()).unwrap_or(name);
    error_with_status(
        kind,
        status,
        JsonString::new(&text.chars().take(MAX_EXCERPT_CHARS).collect::<String>()),
    )
}

fn decode_object(status: Option<u16>, event_name: &str, root: JsonNode<'_>) -> ApiError {
    let name = if event_name.is_empty() { exception_name(root) } else { event_name.to_owned() };
    let message = error_message(root).unwrap_or_else(|| {
        let text = if name.is_empty() { root.raw() } else { &name };
        JsonString::new(&text.chars().take(MAX_EXCERPT_CHARS).collect::<String>())
    });
    let known_exception = find_exception(&name);
    let default_status = known_exception.map_or(500, |(_, status)| status);
    let status = status.unwrap_or(default_status);
    let mut kind =
        known_exception.map_or_else(|| ApiErrorKind::from_status(status), |(kind, _)| kind);
    // A 4xx status of the model's own server is an error of the client's request.
    let original = root.get("originalStatusCode").and_then(JsonNode::as_u64);
    if let Some(original @ 400..=499) = original {
        kind = ApiErrorKind::from_status(original as u16);
    }
    if kind == ApiErrorKind::InvalidRequest {
        kind = classify_message(&message.unescape().to_ascii_lowercase());
    }
    let mut error = error_with_status(kind, status, message);
    error.original = Some((ID, root.json()));
    error
}

fn error_with_status(kind: ApiErrorKind, status: u16, message: JsonString) -> ApiError {
    ApiError { status, ..ApiError::new(kind, message) }
}

/// The name of the exception, without its namespace and without the part after a colon.
fn exception_name(root: JsonNode<'_>) -> String {
    let inner = root.get("Output").unwrap_or(root);
    let type_name = ["__type", "code"].iter().find_map(|key| {
        let type_name = inner.get(key)?.str_or_empty();
        (!type_name.is_empty()).then_some(type_name)
    });
    let type_name = type_name.unwrap_or_default();
    let without_namespace = type_name.rsplit('#').next().unwrap_or_default();
    without_namespace.split(':').next().unwrap_or_default().to_owned()
}

fn error_message(root: JsonNode<'_>) -> Option<JsonString> {
    let error = root.get("error");
    let inner = error.and_then(|error| error.get("message")).or(error);
    let spellings = ["message", "Message", "errorMessage", "originalMessage"];
    let message = spellings.iter().find_map(|key| root.get(key)?.json_string());
    message.or_else(|| inner?.json_string()).filter(|text| !text.is_empty())
}

fn find_exception(name: &str) -> Option<(ApiErrorKind, u16)> {
    let short_name = name.strip_suffix("Exception").unwrap_or(name);
    let exception = EXCEPTIONS
        .iter()
        .find(|(name_in_table, ..)| name_in_table.eq_ignore_ascii_case(short_name));
    exception.map(|(_, kind, status)| (*kind, *status))
}

fn classify_message(message: &str) -> ApiErrorKind {
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrases| message.contains(phrases));
    if contains_any(CONTEXT_OVERFLOW_PHRASES) {
        ApiErrorKind::ContextOverflow
    } else if contains_any(CONTENT_FILTER_PHRASES) {
        ApiErrorKind::ContentFiltered
    } else {
        ApiErrorKind::InvalidRequest
    }
}

pub(super) fn encode(error: &ApiError) -> Vec<u8> {
    if let Some((_, json)) = error.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        return json.as_str().as_bytes().to_vec();
    }
    let name = match error.kind {
        ApiErrorKind::Authentication => "UnrecognizedClientException",
        ApiErrorKind::Permission => "AccessDeniedException",
        ApiErrorKind::NotFound => "ResourceNotFoundException",
        ApiErrorKind::Billing => "ServiceQuotaExceededException",
        ApiErrorKind::RateLimit => "ThrottlingException",
        ApiErrorKind::Overloaded => "ServiceUnavailableException",
        ApiErrorKind::Timeout => "ModelTimeoutException",
        ApiErrorKind::ServerError => "InternalServerException",
        ApiErrorKind::InvalidRequest
        | ApiErrorKind::ContextOverflow
        | ApiErrorKind::RequestTooLarge
        | ApiErrorKind::ContentFiltered => "ValidationException",
    };
    let body = RawJson::object(|o| {
        o.str("__type", name);
        o.json_string("message", &client_message(error));
    });
    body.as_str().as_bytes().to_vec()
}

/// The event type of the exception that ends a stream, and its body.
pub(super) fn encode_exception(error: &ApiError) -> (&'static str, RawJson) {
    let name = match error.kind {
        ApiErrorKind::RateLimit => "exception:throttlingException",
        ApiErrorKind::Overloaded => "exception:serviceUnavailableException",
        ApiErrorKind::Timeout => "exception:modelStreamErrorException",
        ApiErrorKind::ServerError => "exception:internalServerException",
        ApiErrorKind::Authentication
        | ApiErrorKind::Permission
        | ApiErrorKind::NotFound
        | ApiErrorKind::Billing
        | ApiErrorKind::InvalidRequest
        | ApiErrorKind::ContextOverflow
        | ApiErrorKind::RequestTooLarge
        | ApiErrorKind::ContentFiltered => "exception:validationException",
    };
    let original =
        error.original.as_ref().filter(|(dialect, _)| *dialect == ID).map(|(_, json)| json);
    let body = original.cloned();
    let default_body = || RawJson::object(|o| o.json_string("message", &client_message(error)));
    (name, body.unwrap_or_else(default_body))
}

/// Clients recognize a context overflow by the provider's message.
fn client_message(error: &ApiError) -> JsonString {
    let message = &error.message;
    let has_phrase = message.unescape().to_ascii_lowercase().contains("input is too long");
    if error.kind == ApiErrorKind::ContextOverflow && !has_phrase {
        return JsonString::join(
            [&JsonString::from_static("Input is too long for requested model."), message],
            " ",
        );
    }
    message.clone()
}

/// Exception names without the suffix `Exception`, with their kind and HTTP status.
const EXCEPTIONS: &[(&str, ApiErrorKind, u16)] = &[
    ("Throttling", ApiErrorKind::RateLimit, 429),
    ("TooManyRequests", ApiErrorKind::RateLimit, 429),
    ("ServiceQuotaExceeded", ApiErrorKind::Billing, 400),
    ("Validation", ApiErrorKind::InvalidRequest, 400),
    ("Serialization", ApiErrorKind::InvalidRequest, 400),
    ("ModelTimeout", ApiErrorKind::Timeout, 408),
    ("ModelError", ApiErrorKind::ServerError, 424),
    ("ModelStreamError", ApiErrorKind::ServerError, 424),
    ("ModelNotReady", ApiErrorKind::Overloaded, 429),
    ("ServiceUnavailable", ApiErrorKind::Overloaded, 503),
    ("InternalServer", ApiErrorKind::ServerError, 500),
    ("InternalFailure", ApiErrorKind::ServerError, 500),
    ("AccessDenied", ApiErrorKind::Permission, 403),
    ("ResourceNotFound", ApiErrorKind::NotFound, 404),
    ("UnknownOperation", ApiErrorKind::NotFound, 404),
    ("UnrecognizedClient", ApiErrorKind::Authentication, 403),
    ("InvalidSignature", ApiErrorKind::Authentication, 403),
    ("IncompleteSignature", ApiErrorKind::Authentication, 403),
    ("MissingAuthenticationToken", ApiErrorKind::Authentication, 403),
    ("ExpiredToken", ApiErrorKind::Authentication, 403),
];

/// Phrases that mean a context overflow, in lower case.
const CONTEXT_OVERFLOW_PHRASES: &[&str] = &[
    "input is too long",
    "prompt is too long",
    "too many input tokens",
    "input tokens exceed",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "exceeds the model's maximum",
    "maximum context length",
    "context_length_exceeded",
    "longer than the model's context length",
    "reduce the length of the",
];
const CONTENT_FILTER_PHRASES: &[&str] = &["content filtering policy", "blocked by guardrail"];
const MAX_EXCERPT_CHARS: usize = 500;
