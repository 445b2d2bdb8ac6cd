//! Errors, both ways.

use bytes::Bytes;
use interlingua_model::{Failure, FailureKind, Retry};
use interlingua_wire::{Doc, Json, Limits, Node, Text, Writer};

use super::ID;

/// The body of a reply whose status says it failed, whatever it is.
pub(super) fn decode(status: u16, body: &[u8]) -> Failure {
    if let Ok(doc) = Doc::from_bytes(Bytes::copy_from_slice(body), Limits::default()) {
        let mut failure = of_node(doc.root(), Some(status));
        failure.written = Some((ID, doc.whole()));
        return failure;
    }
    let page = String::from_utf8_lossy(body);
    let mut message: String = page.trim().chars().take(LONGEST).collect();
    if message.is_empty() {
        message = format!("the provider answered {status} without a body");
    }
    with_status(kind(status, "", &message), Text::new(&message), status)
}

/// The error in a body or an event that should hold something else.
pub(super) fn in_body(root: Node<'_>) -> Option<Failure> {
    let is_error = root.get("type").is_some_and(|kind| kind.word() == "error")
        || root.get("error").is_some_and(|error| !error.is_null());
    is_error.then(|| {
        let mut failure = of_node(root, None);
        failure.written = Some((ID, root.json()));
        failure
    })
}

/// Without a status the kind tells it.
fn of_node(root: Node<'_>, status: Option<u16>) -> Failure {
    let error = root.get("error").filter(|error| !error.is_null()).unwrap_or(root);
    let message = ["message", "detail", "Message"].iter().find_map(|key| error.get(key)?.text());
    let message = message
        .or_else(|| error.text())
        .unwrap_or_else(|| Text::new(&error.raw().chars().take(LONGEST).collect::<String>()));
    // Some hosts put the whole error as a string into one of their own.
    if let Some(inner) = inner_error(&message) {
        return of_node(inner.root(), status);
    }
    let word = error.get("type").map(Node::word).unwrap_or_default();
    let coded = error.get("code").and_then(Node::count).and_then(|code| u16::try_from(code).ok());
    let status = status.or(coded.filter(|code| (400..600).contains(code)));
    let kind = kind(status.unwrap_or(0), &word, &message.contents());
    match status {
        Some(status) => with_status(kind, message, status),
        None => Failure::new(kind, message),
    }
}

fn inner_error(message: &Text) -> Option<Doc> {
    let contents = message.contents();
    if !contents.starts_with('{') {
        return None;
    }
    let doc = Doc::parse(contents.into_owned().into(), Limits::default()).ok()?;
    doc.root().get("error").is_some_and(Node::is_object).then_some(doc)
}

fn with_status(kind: FailureKind, message: Text, status: u16) -> Failure {
    let mut failure = Failure::new(kind, message);
    failure.status = status;
    // A conflict with another request passes; clients of this dialect try again.
    if status == 409 {
        failure.retry = Retry::Yes;
    }
    failure
}

/// The words come first: hosts of this dialect do not agree on the status.
fn kind(status: u16, word: &str, message: &str) -> FailureKind {
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    if says(TOO_LONG) {
        return FailureKind::ContextOverflow;
    }
    if says(NO_MONEY) {
        return FailureKind::Billing;
    }
    if let Some((kind, _)) = TYPES.iter().find(|(_, known)| *known == word) {
        return *kind;
    }
    match word {
        "policy_blocked" => FailureKind::Filtered,
        "conflict_error" | "not_supported" => FailureKind::Shape,
        _ if status == 0 => FailureKind::Upstream,
        _ => FailureKind::of_status(status),
    }
}

pub(super) fn encode(failure: &Failure) -> Vec<u8> {
    let mut out = Writer::default();
    match failure.written.as_ref().filter(|(from, _)| *from == ID) {
        Some((_, json)) => out.json(json),
        None => write(failure, &mut out),
    }
    out.into_bytes()
}

/// Writes the event of a stream that fails. Its form is fixed, whatever the host's own is.
pub(super) fn write_event(failure: &Failure, out: &mut Writer) {
    let written = failure.written.as_ref().filter(|(from, _)| *from == ID);
    match written.filter(|(_, json)| is_envelope(json)) {
        Some((_, json)) => out.json(json),
        None => write(failure, out),
    }
}

fn write(failure: &Failure, out: &mut Writer) {
    out.object(|o| {
        o.known("type", "error");
        o.object("error", |o| {
            let known = TYPES.iter().find(|(kind, _)| *kind == failure.kind);
            o.word("type", known.map_or("invalid_request_error", |(_, word)| word));
            match failure.kind {
                FailureKind::ContextOverflow => o.word("message", &too_long(&failure.message)),
                FailureKind::Shape
                | FailureKind::Auth
                | FailureKind::Permission
                | FailureKind::NotFound
                | FailureKind::Billing
                | FailureKind::RateLimit
                | FailureKind::Overloaded
                | FailureKind::TooLarge
                | FailureKind::Filtered
                | FailureKind::Timeout
                | FailureKind::Upstream => o.text("message", &failure.message),
            }
        });
        match &failure.request {
            Some(request) => o.text("request_id", request),
            None => o.null("request_id"),
        }
    });
}

/// The envelope clients know; hosts wrap it in others.
fn is_envelope(json: &Json) -> bool {
    let doc = json.doc();
    doc.root().get("type").is_some_and(|kind| kind.word() == "error")
        && doc.root().get("error").is_some_and(Node::is_object)
}

/// Clients shorten their conversation when they read these words, by the two numbers if they can.
fn too_long(message: &Text) -> String {
    let message = message.contents();
    if message.contains(TOO_LONG[0]) {
        return message.into_owned();
    }
    match limit_and_length(&message) {
        Some((limit, length)) => format!("{}: {length} tokens > {limit} maximum", TOO_LONG[0]),
        None => format!("{}: {message}", TOO_LONG[0]),
    }
}

/// The number after `maximum` or `limit`, and the largest there is beyond it.
fn limit_and_length(message: &str) -> Option<(u64, u64)> {
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

/// As much of a page as a person reads.
const LONGEST: usize = 500;

/// The first is the one to write.
const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "exceed context limit",
    "prompt_too_long",
    "max_tokens_context_overflow",
    "Input is too long for requested model",
];
const NO_MONEY: &[&str] = &["credit balance is too low", "specified API usage limits"];

/// The dialect's word for each kind; two kinds are said as a bad request.
const TYPES: &[(FailureKind, &str)] = &[
    (FailureKind::Shape, "invalid_request_error"),
    (FailureKind::Auth, "authentication_error"),
    (FailureKind::Permission, "permission_error"),
    (FailureKind::NotFound, "not_found_error"),
    (FailureKind::Billing, "billing_error"),
    (FailureKind::RateLimit, "rate_limit_error"),
    (FailureKind::Overloaded, "overloaded_error"),
    (FailureKind::TooLarge, "request_too_large"),
    (FailureKind::Timeout, "timeout_error"),
    (FailureKind::Upstream, "api_error"),
];
