//! Decodes errors of all known envelopes, and encodes them in `OpenAI`'s.

use interlingua_model::{ApiError, ApiErrorKind, RetryAdvice};
use interlingua_wire::{JsonDoc, JsonKind, JsonLimits, JsonNode, JsonString, RawJson};

use super::id::ID;

/// The content of an error, independent of its envelope.
#[derive(Default)]
struct ErrorDetails {
    message: JsonString,
    /// Types, codes and similar fields.
    codes: Vec<String>,
    /// A status inside the body.
    status: Option<u16>,
}

pub(super) fn decode(status: u16, body: &[u8]) -> ApiError {
    let text = String::from_utf8_lossy(body);
    if let Ok(doc) = JsonDoc::parse(text.as_ref().into(), JsonLimits::default()) {
        let details = parse_error(doc.root()).unwrap_or_else(|| ErrorDetails {
            message: JsonString::new(&truncate_excerpt(doc.root().raw())),
            ..ErrorDetails::default()
        });
        build_error(Some(status), details, doc.root())
    } else {
        let kind = classify(Some(status), &[], &text.to_lowercase());
        let message = if text.trim().is_empty() {
            format!("the provider answered {status} with an empty body")
        } else {
            format!(
                "the provider answered {status} with a body that is not JSON: {}",
                truncate_excerpt(text.trim())
            )
        };
        ApiError { status, ..ApiError::new(kind, JsonString::new(&message)) }
    }
}

/// Decodes an error in a 2xx reply or chunk.
pub(super) fn decode_embedded(root: JsonNode<'_>) -> Option<ApiError> {
    let [choices, usage, error, message, detail, groq, has_message, base_response] =
        root.get_many([
            "choices",
            "usage",
            "error",
            "message",
            "detail",
            "x_groq",
            "error_msg",
            "base_resp",
        ]);
    let error = error.or_else(|| groq?.get("error"));
    let is_error = match error.map(|error| (error.kind(), error)) {
        Some((JsonKind::Object, error)) => !error.is_empty(),
        Some((JsonKind::String, error)) => !error.str_or_empty().is_empty(),
        Some((JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::Array, _)) | None => {
            let has_no_reply = choices.is_none() && usage.is_none();
            let has_message = message.or(detail).or(has_message).is_some();
            let status_code =
                base_response.and_then(|base_response| base_response.get("status_code")?.as_u64());
            root.is_array() && parse_error(root).is_some()
                || (has_no_reply && has_message && root.is_object())
                || status_code.is_some_and(|code| code > 0)
        }
    };
    is_error.then(|| {
        let inner = root.get("error").is_none().then(|| root.get("x_groq")).flatten();
        build_error(None, parse_error(inner.unwrap_or(root)).unwrap_or_default(), root)
    })
}

/// Decodes the error inside a choice that its provider aborted.
pub(super) fn decode_in_choice(choice: JsonNode<'_>) -> Option<ApiError> {
    let error = choice.get("error")?;
    let is_error = error.is_object() && !error.is_empty();
    let details = is_error.then(|| parse_error(choice)).flatten()?;
    Some(ApiError { original: None, ..build_error(None, details, choice) })
}

fn build_error(status: Option<u16>, details: ErrorDetails, root: JsonNode<'_>) -> ApiError {
    let status = status.or(details.status);
    let lower = details.message.unescape().to_lowercase();
    let kind = classify(status, &details.codes, &lower);
    let mut error = ApiError::new(kind, details.message);
    error.status = status.filter(|status| *status >= 400).unwrap_or(error.status);
    if let (ApiErrorKind::RateLimit, Some(millis)) = (kind, retry_after_millis(&lower)) {
        error.retry = RetryAdvice::AfterMillis(millis);
    }
    error.original = Some((ID, root.json()));
    error
}

/// Parses the known envelopes: an object or a string under `error`, `detail`, a flat object, a
/// list. Relays embed the error they received as JSON in a string; the innermost error counts.
fn parse_error(node: JsonNode<'_>) -> Option<ErrorDetails> {
    parse_nested_error(node, MAX_NESTED_ERRORS)
}

fn parse_nested_error(node: JsonNode<'_>, remaining: u8) -> Option<ErrorDetails> {
    if node.is_array() {
        return node.items().find_map(|node| parse_nested_error(node, remaining));
    }
    let mut details = ErrorDetails::default();
    details.collect_codes(node);
    let error = node.get("error").filter(|error| !error.is_null());
    let object = error.filter(|error| error.is_object());
    let subobject = |key: &str| object.and_then(|error| error.get(key));
    let base_response = node.get("base_resp");
    for subobject in [object, subobject("metadata"), subobject("innererror"), base_response]
        .into_iter()
        .flatten()
    {
        details.collect_codes(subobject);
    }
    details.message = match error {
        Some(error) if error.is_object() => {
            error_message(error).unwrap_or_else(|| JsonString::new(error.raw()))
        }
        Some(error) => error.json_string().unwrap_or_else(|| JsonString::new(error.raw())),
        None => error_message(node).or_else(|| error_message(base_response?))?,
    };
    let raw = object.unwrap_or(node).get("metadata").and_then(|metadata| metadata.get("raw"));
    let inner = remaining.checked_sub(1).and_then(|remaining| {
        let from_metadata = raw.and_then(|raw| parse_raw_metadata(raw, remaining));
        from_metadata.or_else(|| parse_error_in_text(&details.message, remaining))
    });
    Some(match inner {
        Some(inner) => details.merge_outer(inner),
        None => details,
    })
}

/// The message of an error object.
fn error_message(node: JsonNode<'_>) -> Option<JsonString> {
    let field = MESSAGE_KEYS.iter().find_map(|key| node.get(key));
    field.filter(|field| !field.is_null()).map(|field| {
        let inner = field.get("message").unwrap_or(field);
        inner.json_string().unwrap_or_else(|| JsonString::new(inner.raw()))
    })
}

/// Decodes `metadata.raw`: JSON in a string, JSON, or text.
fn parse_raw_metadata(raw: JsonNode<'_>, remaining: u8) -> Option<ErrorDetails> {
    let Some(text) = raw.json_string() else { return parse_nested_error(raw, remaining) };
    let as_message = || ErrorDetails { message: text.clone(), ..ErrorDetails::default() };
    parse_error_in_text(&text, remaining)
        .or_else(|| Some(as_message()).filter(|_| !text.is_blank()))
}

/// Decodes the error in a message that ends with JSON.
fn parse_error_in_text(message: &JsonString, remaining: u8) -> Option<ErrorDetails> {
    let contents = message.unescape();
    let json = contents.get(contents.find('{')?..)?;
    let doc = JsonDoc::parse(json.into(), JsonLimits::default()).ok()?;
    let is_error_type =
        |key: &str| doc.root().get(key).is_some_and(|value| value.str_or_empty() == "error");
    let is_error =
        doc.root().get("error").is_some() || is_error_type("object") || is_error_type("type");
    is_error.then(|| parse_nested_error(doc.root(), remaining)).flatten()
}

impl ErrorDetails {
    fn collect_codes(&mut self, node: JsonNode<'_>) {
        for key in ["type", "code", "status", "object", "error_type", "error_code", "status_code"] {
            match node.get(key).map(|value| (value.kind(), value)) {
                Some((JsonKind::String, value)) => {
                    self.status =
                        self.status.or(value.str_or_empty().parse().ok().and_then(to_error_status));
                    self.codes.push(value.str_or_empty().to_lowercase());
                }
                Some((JsonKind::Number, value)) => {
                    self.status = self.status.or(value.as_u64().and_then(to_error_status));
                    self.codes.push(value.raw().to_owned());
                }
                Some(_) | None => {}
            }
        }
    }

    /// Adds the fields of an outer error to the inner one; the codes of both determine the kind.
    fn merge_outer(self, mut inner: Self) -> Self {
        inner.codes.extend(self.codes);
        inner.status = self.status.or(inner.status);
        inner
    }
}

/// The number, if it is an HTTP error status.
fn to_error_status(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

fn classify(status: Option<u16>, codes: &[String], message: &str) -> ApiErrorKind {
    let by_code =
        ERROR_CODES.iter().find(|(code, _)| codes.iter().any(|own_code| own_code == code));
    let by_phrase = ERROR_PHRASES.iter().find(|(phrase, _)| message.contains(phrase));
    let by_status = status.map(ApiErrorKind::from_status);
    match (by_code, by_phrase, by_status) {
        (Some((_, kind)), ..) | (None, Some((_, kind)), _) => *kind,
        (None, None, Some(kind)) => kind,
        (None, None, None) if codes.iter().any(|code| code == "invalid_request_error") => {
            ApiErrorKind::InvalidRequest
        }
        (None, None, None) => ApiErrorKind::ServerError,
    }
}

/// The delay in a message such as "Please try again in 1.5s".
fn retry_after_millis(message: &str) -> Option<u64> {
    let rest = message.split_once("try again in ")?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = rest.split_at(end);
    let number: f64 = number.parse().ok()?;
    let factor = match unit {
        unit if unit.starts_with("ms") => 1.0,
        unit if unit.starts_with('s') => 1000.0,
        unit if unit.starts_with('m') => 60_000.0,
        _ => return None,
    };
    #[expect(clippy::cast_sign_loss, reason = "digits and a point make no negative number")]
    Some((number * factor) as u64)
}

fn truncate_excerpt(text: &str) -> String {
    text.chars().take(500).collect()
}

/// Encodes an error response body.
pub(super) fn encode(error: &ApiError) -> RawJson {
    if let Some((_, original)) = error.original.as_ref().filter(|(dialect, _)| *dialect == ID) {
        return original.clone();
    }
    let (kind, code) = type_and_code(error.kind);
    let message = error.message.unescape();
    let is_overflow = error.kind == ApiErrorKind::ContextOverflow;
    // Clients match this phrase or the code.
    let has_phrase =
        !is_overflow || message.contains("context length") || message.contains("context_length");
    let message = if has_phrase {
        error.message.clone()
    } else {
        JsonString::new(&format!("This model's maximum context length was exceeded: {message}"))
    };
    RawJson::object(|o| {
        o.object("error", |o| {
            o.json_string("message", &message);
            o.str("type", kind);
            o.null("param");
            match code {
                Some(code) => o.str("code", code),
                None => o.null("code"),
            }
        });
    })
}

fn type_and_code(kind: ApiErrorKind) -> (&'static str, Option<&'static str>) {
    match kind {
        ApiErrorKind::InvalidRequest => ("invalid_request_error", None),
        ApiErrorKind::Authentication => ("authentication_error", Some("invalid_api_key")),
        ApiErrorKind::Permission => ("permission_error", Some("permission_denied")),
        ApiErrorKind::NotFound => ("invalid_request_error", Some("not_found")),
        ApiErrorKind::Billing => ("insufficient_quota", Some("insufficient_quota")),
        ApiErrorKind::RateLimit => ("rate_limit_error", Some("rate_limit_exceeded")),
        ApiErrorKind::Overloaded => ("server_error", Some("overloaded")),
        ApiErrorKind::ContextOverflow => ("invalid_request_error", Some("context_length_exceeded")),
        ApiErrorKind::RequestTooLarge => ("invalid_request_error", Some("payload_too_large")),
        ApiErrorKind::ContentFiltered => ("invalid_request_error", Some("content_filter")),
        ApiErrorKind::Timeout => ("server_error", Some("timeout")),
        ApiErrorKind::ServerError => ("server_error", None),
    }
}

/// Keys of the message in an error object.
const MESSAGE_KEYS: &[&str] = &["message", "msg", "detail", "error", "error_msg", "status_msg"];

/// Maximum depth of errors embedded in errors.
const MAX_NESTED_ERRORS: u8 = 5;

/// Types and codes that are more specific than the status; the first match counts.
const ERROR_CODES: &[(&str, ApiErrorKind)] = &[
    ("context_length_exceeded", ApiErrorKind::ContextOverflow),
    ("exceed_context_size_error", ApiErrorKind::ContextOverflow),
    ("token_limit_exceeded", ApiErrorKind::ContextOverflow),
    ("model_max_prompt_tokens_exceeded", ApiErrorKind::ContextOverflow),
    ("1261", ApiErrorKind::ContextOverflow),
    ("insufficient_quota", ApiErrorKind::Billing),
    ("billing_hard_limit_reached", ApiErrorKind::Billing),
    ("payment_required", ApiErrorKind::Billing),
    ("1113", ApiErrorKind::Billing),
    ("content_filter", ApiErrorKind::ContentFiltered),
    ("content_policy_violation", ApiErrorKind::ContentFiltered),
    ("responsibleaipolicyviolation", ApiErrorKind::ContentFiltered),
    ("data_inspection_failed", ApiErrorKind::ContentFiltered),
    ("1301", ApiErrorKind::ContentFiltered),
    ("rate_limit_exceeded", ApiErrorKind::RateLimit),
    ("rate_limit_error", ApiErrorKind::RateLimit),
    ("rate_limit_reached_error", ApiErrorKind::RateLimit),
    ("1302", ApiErrorKind::RateLimit),
    ("engine_overloaded_error", ApiErrorKind::Overloaded),
    ("provider_overloaded", ApiErrorKind::Overloaded),
    ("overloaded", ApiErrorKind::Overloaded),
    ("overloaded_error", ApiErrorKind::Overloaded),
    ("invalid_api_key", ApiErrorKind::Authentication),
    ("authentication", ApiErrorKind::Authentication),
    ("authentication_error", ApiErrorKind::Authentication),
    ("permission_denied", ApiErrorKind::Permission),
    ("permission_error", ApiErrorKind::Permission),
    ("model_not_found", ApiErrorKind::NotFound),
    ("not_found", ApiErrorKind::NotFound),
    ("payload_too_large", ApiErrorKind::RequestTooLarge),
    ("timeout", ApiErrorKind::Timeout),
    ("provider_unavailable", ApiErrorKind::Overloaded),
];

/// Phrases of messages that are more specific than the status.
const ERROR_PHRASES: &[(&str, ApiErrorKind)] = &[
    ("maximum context length", ApiErrorKind::ContextOverflow),
    ("context_length_exceeded", ApiErrorKind::ContextOverflow),
    ("exceeds the context window", ApiErrorKind::ContextOverflow),
    ("exceed context window", ApiErrorKind::ContextOverflow),
    ("model's context length", ApiErrorKind::ContextOverflow),
    ("available context size", ApiErrorKind::ContextOverflow),
    ("reduce the length of the messages", ApiErrorKind::ContextOverflow),
    ("prompt is too long", ApiErrorKind::ContextOverflow),
    ("prompt exceeds max length", ApiErrorKind::ContextOverflow),
    ("range of input length should be", ApiErrorKind::ContextOverflow),
    ("maximum prompt length", ApiErrorKind::ContextOverflow),
    ("input token count", ApiErrorKind::ContextOverflow),
    ("prompt token count of", ApiErrorKind::ContextOverflow),
    ("exceeded model token limit", ApiErrorKind::ContextOverflow),
    ("exceeds the context length", ApiErrorKind::ContextOverflow),
    ("exceeds context size", ApiErrorKind::ContextOverflow),
    ("context size has been exceeded", ApiErrorKind::ContextOverflow),
    ("when context the overflows", ApiErrorKind::ContextOverflow),
    ("context window exceeds limit", ApiErrorKind::ContextOverflow),
    ("`inputs` tokens + `max_new_tokens` must be", ApiErrorKind::ContextOverflow),
    ("`inputs` must have less than", ApiErrorKind::ContextOverflow),
    ("tokens in the prompt cannot exceed", ApiErrorKind::ContextOverflow),
    ("exceeded your current quota", ApiErrorKind::Billing),
    ("insufficient balance", ApiErrorKind::Billing),
    ("insufficient credits", ApiErrorKind::Billing),
    ("content management policy", ApiErrorKind::ContentFiltered),
    ("requires moderation", ApiErrorKind::ContentFiltered),
    ("rate limit reached", ApiErrorKind::RateLimit),
    // A chat template raises this, and the server reports an internal error.
    ("conversation roles must alternate", ApiErrorKind::InvalidRequest),
    ("overloaded", ApiErrorKind::Overloaded),
];
