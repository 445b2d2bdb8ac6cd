//! Failures, both ways: in a body, and as the exception that ends a stream.

use interlingua_model::{Failure, FailureKind};
use interlingua_wire::{Doc, Json, Limits, Node, Text};

use super::ID;

/// The body of a reply that is no success.
pub(super) fn decode(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    match Doc::parse(text.as_ref().into(), Limits::default()) {
        Ok(doc) if doc.root().is_object() => of_json(Some(status), "", doc.root()),
        _ => {
            let shown: String = text.trim().chars().take(LONGEST).collect();
            let message = if shown.is_empty() {
                format!("the provider answered {status} with an empty body")
            } else {
                format!("the provider answered {status}: {shown}")
            };
            failure(FailureKind::of_status(status), status, Text::new(&message))
        }
    }
}

/// The error in a body that came as a success, if it is one.
pub(super) fn within_reply(root: Node<'_>) -> Option<Failure> {
    let is_reply = ["output", "stopReason", "usage"].iter().any(|key| root.get(key).is_some());
    let is_error = !name(root).is_empty() || said(root).is_some();
    (!is_reply && is_error).then(|| of_json(None, "", root))
}

/// An exception that ends a stream; `name` is its type.
pub(super) fn of_exception(name: &str, data: Option<&str>) -> Failure {
    let doc = data.and_then(|data| Doc::parse(data.into(), Limits::default()).ok());
    if let Some(root) = doc.as_ref().map(Doc::root).filter(|root| root.is_object()) {
        return of_json(None, name, root);
    }
    let (kind, status) = row(name).unwrap_or((FailureKind::Upstream, 500));
    let words = data.filter(|data| !data.is_empty()).unwrap_or(name);
    failure(kind, status, Text::new(&words.chars().take(LONGEST).collect::<String>()))
}

fn of_json(status: Option<u16>, event: &str, root: Node<'_>) -> Failure {
    let name = if event.is_empty() { name(root) } else { event.to_owned() };
    let message = said(root).unwrap_or_else(|| {
        let whole = if name.is_empty() { root.raw() } else { &name };
        Text::new(&whole.chars().take(LONGEST).collect::<String>())
    });
    let row = row(&name);
    let usual = row.map_or(500, |(_, status)| status);
    let status = status.unwrap_or(usual);
    let mut kind = row.map_or_else(|| FailureKind::of_status(status), |(kind, _)| kind);
    // What the model's own server refused is the client's to mend.
    let original = root.get("originalStatusCode").and_then(Node::count);
    if let Some(original @ 400..=499) = original {
        kind = FailureKind::of_status(original as u16);
    }
    if kind == FailureKind::Shape {
        kind = by_words(&message.contents().to_ascii_lowercase());
    }
    let mut failure = failure(kind, status, message);
    failure.written = Some((ID, root.json()));
    failure
}

fn failure(kind: FailureKind, status: u16, message: Text) -> Failure {
    Failure { status, ..Failure::new(kind, message) }
}

/// The name of the exception, without its namespace and without what follows a colon.
fn name(root: Node<'_>) -> String {
    let inner = root.get("Output").unwrap_or(root);
    let word = ["__type", "code"].iter().find_map(|key| {
        let word = inner.get(key)?.word();
        (!word.is_empty()).then_some(word)
    });
    let word = word.unwrap_or_default();
    let bare = word.rsplit('#').next().unwrap_or_default();
    bare.split(':').next().unwrap_or_default().to_owned()
}

fn said(root: Node<'_>) -> Option<Text> {
    let error = root.get("error");
    let inner = error.and_then(|error| error.get("message")).or(error);
    let spellings = ["message", "Message", "errorMessage", "originalMessage"];
    let found = spellings.iter().find_map(|key| root.get(key)?.text());
    found.or_else(|| inner?.text()).filter(|text| !text.is_empty())
}

fn row(name: &str) -> Option<(FailureKind, u16)> {
    let bare = name.strip_suffix("Exception").unwrap_or(name);
    let row = EXCEPTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(bare));
    row.map(|(_, kind, status)| (*kind, *status))
}

fn by_words(message: &str) -> FailureKind {
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    if says(OVERFLOW) {
        FailureKind::ContextOverflow
    } else if says(FILTERED) {
        FailureKind::Filtered
    } else {
        FailureKind::Shape
    }
}

pub(super) fn encode(failure: &Failure) -> Vec<u8> {
    if let Some((_, json)) = failure.written.as_ref().filter(|(from, _)| *from == ID) {
        return json.as_str().as_bytes().to_vec();
    }
    let name = match failure.kind {
        FailureKind::Auth => "UnrecognizedClientException",
        FailureKind::Permission => "AccessDeniedException",
        FailureKind::NotFound => "ResourceNotFoundException",
        FailureKind::Billing => "ServiceQuotaExceededException",
        FailureKind::RateLimit => "ThrottlingException",
        FailureKind::Overloaded => "ServiceUnavailableException",
        FailureKind::Timeout => "ModelTimeoutException",
        FailureKind::Upstream => "InternalServerException",
        FailureKind::Shape
        | FailureKind::ContextOverflow
        | FailureKind::TooLarge
        | FailureKind::Filtered => "ValidationException",
    };
    let body = Json::object(|o| {
        o.word("__type", name);
        o.text("message", &message(failure));
    });
    body.as_str().as_bytes().to_vec()
}

/// The name of the exception that ends a stream, and its body.
pub(super) fn encode_exception(failure: &Failure) -> (&'static str, Json) {
    let name = match failure.kind {
        FailureKind::RateLimit => "exception:throttlingException",
        FailureKind::Overloaded => "exception:serviceUnavailableException",
        FailureKind::Timeout => "exception:modelStreamErrorException",
        FailureKind::Upstream => "exception:internalServerException",
        FailureKind::Auth
        | FailureKind::Permission
        | FailureKind::NotFound
        | FailureKind::Billing
        | FailureKind::Shape
        | FailureKind::ContextOverflow
        | FailureKind::TooLarge
        | FailureKind::Filtered => "exception:validationException",
    };
    let own = failure.written.as_ref().filter(|(from, _)| *from == ID).map(|(_, json)| json);
    let body = own.cloned();
    let said = || Json::object(|o| o.text("message", &message(failure)));
    (name, body.unwrap_or_else(said))
}

/// Clients know a conversation that is too long by the provider's words.
fn message(failure: &Failure) -> Text {
    let message = &failure.message;
    let known = message.contents().to_ascii_lowercase().contains("input is too long");
    if failure.kind == FailureKind::ContextOverflow && !known {
        return Text::join([&Text::word("Input is too long for requested model."), message], " ");
    }
    message.clone()
}

/// Exceptions without the word, what they mean, and the status they come with.
const EXCEPTIONS: &[(&str, FailureKind, u16)] = &[
    ("Throttling", FailureKind::RateLimit, 429),
    ("TooManyRequests", FailureKind::RateLimit, 429),
    ("ServiceQuotaExceeded", FailureKind::Billing, 400),
    ("Validation", FailureKind::Shape, 400),
    ("Serialization", FailureKind::Shape, 400),
    ("ModelTimeout", FailureKind::Timeout, 408),
    ("ModelError", FailureKind::Upstream, 424),
    ("ModelStreamError", FailureKind::Upstream, 424),
    ("ModelNotReady", FailureKind::Overloaded, 429),
    ("ServiceUnavailable", FailureKind::Overloaded, 503),
    ("InternalServer", FailureKind::Upstream, 500),
    ("InternalFailure", FailureKind::Upstream, 500),
    ("AccessDenied", FailureKind::Permission, 403),
    ("ResourceNotFound", FailureKind::NotFound, 404),
    ("UnknownOperation", FailureKind::NotFound, 404),
    ("UnrecognizedClient", FailureKind::Auth, 403),
    ("InvalidSignature", FailureKind::Auth, 403),
    ("IncompleteSignature", FailureKind::Auth, 403),
    ("MissingAuthenticationToken", FailureKind::Auth, 403),
    ("ExpiredToken", FailureKind::Auth, 403),
];

/// Words of a conversation that is too long, in lower case.
const OVERFLOW: &[&str] = &[
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
const FILTERED: &[&str] = &["content filtering policy", "blocked by guardrail"];
const LONGEST: usize = 500;
