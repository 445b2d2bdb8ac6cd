//! Errors, both ways: bodies of every form seen, and the error of a response that failed.

use interlingua_model::{Failure, FailureKind, Retry, Stop};
use interlingua_wire::{Doc, Json, Limits, Node, Text, Writer};

use super::ID;

/// The body of a reply whose status is not 2xx.
pub(super) fn decode(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let doc = Doc::parse((&*text).into(), Limits::default()).ok();
    let mut failure = match doc.as_ref().map(Doc::root) {
        Some(root) if root.is_object() || root.is_array() => of_body(root, Some(status)),
        _ => {
            let kind = kind("", "", &text, Some(status));
            Failure::new(kind, Text::new(&page(status, &text)))
        }
    };
    failure.status = status;
    failure
}

/// What a body that is not JSON says, for a person.
fn page(status: u16, text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return format!("the provider answered {status} with an empty body");
    }
    text.chars().take(LONGEST).collect()
}

fn of_body(root: Node<'_>, status: Option<u16>) -> Failure {
    let root = root.items().next().unwrap_or(root);
    let error = root.get("error").filter(|error| !error.is_null());
    let mut failure = match error {
        Some(error) if error.is_object() => of_error(error, status),
        // The code may stand beside a message that is a plain string.
        Some(_) | None => of_error(root, status),
    };
    failure.written = Some((ID, root.json()));
    failure
}

/// The error of a response that failed, or of an error event.
pub(super) fn of_response(root: Node<'_>) -> Failure {
    let error = root.get("error").filter(|error| error.is_object());
    let mut failure = match error {
        Some(error) => of_error(error, None),
        None => of_error(root, None),
    };
    let written = error.map_or_else(|| without_envelope(root), Node::json);
    failure.written = Some((ID, Json::object(|o| o.json("error", &written))));
    failure
}

/// The error that an event is, without what makes it an event.
fn without_envelope(event: Node<'_>) -> Json {
    Json::object(|o| {
        for field in event.fields() {
            if !matches!(&*field.name(), "type" | "sequence_number") {
                o.key_text(&field.key()).json(&field.value.json());
            }
        }
    })
}

fn of_error(error: Node<'_>, status: Option<u16>) -> Failure {
    let word = |key: &str| {
        let value = error.get(key).filter(|value| !value.is_null());
        value.map(|value| {
            value.text().map_or(value.raw().into(), |text| text.contents().into_owned())
        })
    };
    let message = MESSAGES.iter().find_map(|key| word(key)).unwrap_or_else(|| error.raw().into());
    let provider = error.get("metadata").and_then(|about| about.get("raw")).and_then(Node::text);
    let message = match provider {
        Some(raw) => format!("{message}: {}", raw.contents()),
        None => message,
    };
    let message: String = message.chars().take(LONGEST * 4).collect();
    let (code, class) = (word("code").unwrap_or_default(), word("type").unwrap_or_default());
    let kind = kind(&code, &class, &message, status);
    let mut failure = Failure::new(kind, Text::new(&message));
    if let Some(millis) = wait(&message).filter(|_| failure.retry != Retry::No) {
        failure.retry = Retry::AfterMillis(millis);
    }
    failure
}

/// The code says most, then the type, then the words, then the status.
fn kind(code: &str, class: &str, message: &str, status: Option<u16>) -> FailureKind {
    let known = |word: &str| WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
    if OVERFLOWS.iter().any(|words| message.contains(words)) || code == "context_length_exceeded" {
        return FailureKind::ContextOverflow;
    }
    if code == "invalid_prompt" && class != "invalid_request_error" {
        let flagged = message.contains("flagged") || message.contains("policy");
        let filtered = flagged || class == "content_filter";
        return if filtered { FailureKind::Filtered } else { FailureKind::Shape };
    }
    // A wide word says less than the status does.
    let by_class = known(class).filter(|_| !WIDE.contains(&class));
    by_class.or_else(|| known(code)).unwrap_or_else(|| match status {
        Some(status) => FailureKind::of_status(status),
        None if class == "invalid_request_error" => FailureKind::Shape,
        None => FailureKind::Upstream,
    })
}

/// How long to wait, from words such as `try again in 1.5s` or `in 20ms`.
fn wait(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once("try again in ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = rest[..digits].trim_end_matches('.').parse().ok()?;
    let unit = &rest[digits..];
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

/// The body of an error reply.
pub(super) fn encode(failure: &Failure) -> Vec<u8> {
    if let Some((ID, json)) = &failure.written {
        return json.as_str().into();
    }
    let (class, code) = words(failure.kind);
    let mut out = Writer::default();
    out.object(|o| {
        o.object("error", |o| {
            o.text("message", &message(failure));
            o.word("type", class);
            match failure.kind {
                FailureKind::ContextOverflow => o.known("param", "input"),
                _ => o.null("param"),
            }
            match failure.kind {
                FailureKind::Shape => o.null("code"),
                _ => o.word("code", code),
            }
        });
    });
    out.into_bytes()
}

/// The error of a response that failed while it was streamed.
pub(super) fn in_stream(failure: &Failure) -> Json {
    if let Some((ID, json)) = &failure.written {
        let doc = json.doc();
        let error = doc.root().get("error").filter(|error| error.get("code").is_some());
        if let Some(error) = error {
            return error.json();
        }
    }
    let (class, code) = words(failure.kind);
    Json::object(|o| {
        o.word("code", code);
        o.text("message", &message(failure));
        o.word("type", class);
    })
}

/// The error of a reply that ended in one its provider did not describe.
pub(super) fn of_stop(stop: &Stop) -> Json {
    let what = "the provider ended the reply with an error";
    let message = match &stop.message {
        Some(message) => Text::new(&format!("{what}: {message}")),
        None => Text::word(what),
    };
    in_stream(&Failure::new(FailureKind::Upstream, message))
}

/// What is said to a person, in the words that clients look for.
fn message(failure: &Failure) -> Text {
    let said = failure.message.contents();
    match (failure.kind, failure.retry) {
        (FailureKind::ContextOverflow, _) if !said.contains(TOO_LONG) => {
            Text::new(&format!("{TOO_LONG}. Please adjust your input and try again. ({said})"))
        }
        (FailureKind::RateLimit, Retry::AfterMillis(millis)) if wait(&said).is_none() => {
            let seconds = format!("{}.{:03}", millis / 1000, millis % 1000);
            Text::new(&format!("{said} Please try again in {seconds}s."))
        }
        _ => failure.message.clone(),
    }
}

/// The type and the code. Codex gives up on `server_is_overloaded`, though to retry is right: what
/// passes by itself is a `server_error`, and its type tells which.
fn words(kind: FailureKind) -> (&'static str, &'static str) {
    match kind {
        FailureKind::Shape => ("invalid_request_error", "invalid_prompt"),
        FailureKind::Auth => ("authentication_error", "invalid_api_key"),
        FailureKind::Permission => ("permission_error", "permission_denied"),
        FailureKind::NotFound => ("not_found_error", "not_found"),
        FailureKind::Billing => ("insufficient_quota", "insufficient_quota"),
        FailureKind::RateLimit => ("rate_limit_error", "rate_limit_exceeded"),
        FailureKind::Overloaded => ("overloaded_error", "server_error"),
        FailureKind::ContextOverflow => ("invalid_request_error", "context_length_exceeded"),
        FailureKind::TooLarge => ("invalid_request_error", "request_too_large"),
        FailureKind::Filtered => ("content_filter", "invalid_prompt"),
        FailureKind::Timeout => ("timeout", "server_error"),
        FailureKind::Upstream => ("server_error", "server_error"),
    }
}

const LONGEST: usize = 500;
const TOO_LONG: &str = "Your input exceeds the context window of this model";
const MESSAGES: &[&str] = &["message", "detail", "error", "msg"];
/// Types that many kinds of errors share.
const WIDE: &[&str] = &["server_error", "api_error"];

const OVERFLOWS: &[&str] = &[
    "exceeds the context window",
    "maximum context length",
    "context_length_exceeded",
    "longer than the model's context length",
    "reduce the length of the messages",
    "prompt is too long",
];

const WORDS: &[(&str, FailureKind)] = &[
    ("authentication_error", FailureKind::Auth),
    ("invalid_api_key", FailureKind::Auth),
    ("permission_error", FailureKind::Permission),
    ("permission_denied", FailureKind::Permission),
    ("not_found_error", FailureKind::NotFound),
    ("not_found", FailureKind::NotFound),
    ("model_not_found", FailureKind::NotFound),
    ("previous_response_not_found", FailureKind::NotFound),
    ("insufficient_quota", FailureKind::Billing),
    ("billing_hard_limit_reached", FailureKind::Billing),
    ("billing_not_active", FailureKind::Billing),
    ("usage_not_included", FailureKind::Billing),
    ("rate_limit_error", FailureKind::RateLimit),
    ("rate_limit_exceeded", FailureKind::RateLimit),
    ("overloaded_error", FailureKind::Overloaded),
    ("server_is_overloaded", FailureKind::Overloaded),
    ("slow_down", FailureKind::Overloaded),
    ("request_too_large", FailureKind::TooLarge),
    ("content_filter", FailureKind::Filtered),
    ("content_policy_violation", FailureKind::Filtered),
    ("image_content_policy_violation", FailureKind::Filtered),
    ("bio_policy", FailureKind::Filtered),
    ("cyber_policy", FailureKind::Filtered),
    ("misalignment_policy_violation", FailureKind::Filtered),
    ("timeout", FailureKind::Timeout),
    ("server_error", FailureKind::Upstream),
    ("api_error", FailureKind::Upstream),
    ("vector_store_timeout", FailureKind::Timeout),
];
