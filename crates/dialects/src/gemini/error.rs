//! Errors, both ways: the envelope of Google APIs.

use bytes::Bytes;
use interlingua_model::{Failure, FailureKind, Retry};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Limits, Node, Text, Writer};

use super::{ID, names};

/// A body of any kind that came with a status that is not 2xx.
pub(super) fn decode(status: u16, body: &[u8]) -> Failure {
    let doc = Doc::from_bytes(Bytes::copy_from_slice(body), Limits::default());
    if let Ok(doc) = &doc
        && let Some(error) = envelope(doc.root())
    {
        return of(error, Some(status), doc.root());
    }
    let text = String::from_utf8_lossy(body);
    let message = if text.trim().is_empty() {
        format!("the provider answered {status} with an empty body")
    } else {
        text.trim().chars().take(LONGEST).collect()
    };
    let mut failure = Failure::new(kind_of("", &message, status), Text::new(&message));
    failure.status = status;
    failure.written = doc.ok().map(|doc| (ID, doc.root().json()));
    failure
}

/// The error inside a body or chunk, which may be wrapped in a list of one.
pub(super) fn envelope(root: Node<'_>) -> Option<Node<'_>> {
    let root = if root.is_array() { root.items().next()? } else { root };
    let inner = names::get(root, "response").filter(|inner| inner.is_object());
    names::get(root, "error").or_else(|| names::get(inner?, "error"))
}

/// The failure that an error tells; `status` is what HTTP said, where it said anything.
pub(super) fn of(error: Node<'_>, status: Option<u16>, written: Node<'_>) -> Failure {
    let code =
        names::get(error, "code").and_then(Node::count).and_then(|code| code.try_into().ok());
    let word = names::get(error, "status").map(Node::word).unwrap_or_default();
    let message = names::get(error, "message").and_then(Node::text).or_else(|| error.text());
    let message = message.unwrap_or_else(|| {
        let raw = error.raw();
        Text::new(&raw.chars().take(LONGEST).collect::<String>())
    });
    let said = status.filter(|status| *status >= 400).or(code.filter(|code| *code >= 400));
    let kind = kind_of(&word, &message.contents(), said.unwrap_or(0));
    let mut failure = Failure::new(kind, message);
    if let Some(said) = said {
        failure.status = said;
    }
    if let Some(millis) = delay(error, &failure.message.contents()) {
        failure.retry = Retry::AfterMillis(millis);
    }
    failure.written = Some((ID, written.json()));
    failure
}

fn kind_of(word: &str, message: &str, status: u16) -> FailureKind {
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    if says(OVERFLOW) {
        return FailureKind::ContextOverflow;
    }
    if status == 413 || says(&["payload size exceeds"]) {
        return FailureKind::TooLarge;
    }
    match word {
        "INVALID_ARGUMENT"
            if says(&["API key not valid", "API key expired", "API Key not found"]) =>
        {
            FailureKind::Auth
        }
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" if says(&["illing"]) => {
            FailureKind::Billing
        }
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" if says(&["PROHIBITED_CONTENT", "safety"]) => {
            FailureKind::Filtered
        }
        "INVALID_ARGUMENT"
        | "FAILED_PRECONDITION"
        | "OUT_OF_RANGE"
        | "ALREADY_EXISTS"
        | "UNIMPLEMENTED" => FailureKind::Shape,
        "UNAUTHENTICATED" => FailureKind::Auth,
        "PERMISSION_DENIED" if says(&["illing"]) => FailureKind::Billing,
        "PERMISSION_DENIED" => FailureKind::Permission,
        "NOT_FOUND" => FailureKind::NotFound,
        "RESOURCE_EXHAUSTED" => FailureKind::RateLimit,
        "UNAVAILABLE" => FailureKind::Overloaded,
        "DEADLINE_EXCEEDED" => FailureKind::Timeout,
        "INTERNAL" | "UNKNOWN" | "DATA_LOSS" | "ABORTED" | "CANCELLED" => FailureKind::Upstream,
        _ => FailureKind::of_status(status),
    }
}

/// When to try again, from the details or, where they do not say, from the words.
fn delay(error: Node<'_>, message: &str) -> Option<u64> {
    let details = names::get(error, "details").into_iter().flat_map(Node::items);
    let told = details.filter_map(|detail| names::get(detail, "retryDelay")).last();
    told.and_then(|delay| millis(&delay.word())).or_else(|| {
        let (_, after) = message.split_once("Please retry in ")?;
        millis(after.split_whitespace().next()?.trim_end_matches('.'))
    })
}

/// A duration such as `34.07s` or `250ms`.
fn millis(duration: &str) -> Option<u64> {
    if let Some(millis) = duration.strip_suffix("ms") {
        return millis.split('.').next()?.parse().ok();
    }
    let seconds = duration.strip_suffix('s')?;
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    let millis: u64 = digits.parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(millis)
}

pub(super) fn encode(failure: &Failure) -> Vec<u8> {
    match &failure.written {
        Some((ID, json)) => json.as_str().as_bytes().to_vec(),
        _ => chunk(failure),
    }
}

/// The error as a chunk of a stream: an object that begins with `error`, by which clients know it.
pub(super) fn chunk(failure: &Failure) -> Vec<u8> {
    let mut out = Writer::default();
    if let Some((ID, json)) = &failure.written
        && let Some(error) = envelope(json.doc().root())
    {
        out.object(|object| object.json("error", &error.json()));
        return out.into_bytes();
    }
    out.object(|object| object.object("error", |error| write(failure, error)));
    out.into_bytes()
}

fn write(failure: &Failure, error: &mut Object<'_>) {
    let (word, code) = match failure.kind {
        FailureKind::Shape
        | FailureKind::ContextOverflow
        | FailureKind::TooLarge
        | FailureKind::Filtered => ("INVALID_ARGUMENT", failure.status),
        FailureKind::Auth => ("UNAUTHENTICATED", failure.status),
        FailureKind::Permission => ("PERMISSION_DENIED", failure.status),
        FailureKind::NotFound => ("NOT_FOUND", failure.status),
        FailureKind::Billing => ("FAILED_PRECONDITION", failure.status),
        FailureKind::RateLimit => ("RESOURCE_EXHAUSTED", failure.status),
        // A status of another provider; this one says 503.
        FailureKind::Overloaded if failure.status == 529 => ("UNAVAILABLE", 503),
        FailureKind::Overloaded => ("UNAVAILABLE", failure.status),
        FailureKind::Timeout => ("DEADLINE_EXCEEDED", failure.status),
        FailureKind::Upstream => ("INTERNAL", failure.status),
    };
    error.number("code", u64::from(code));
    error.text("message", &message(failure));
    error.word("status", word);
    if let Retry::AfterMillis(millis) = failure.retry {
        error.array("details", |details| {
            details.object(|detail| {
                detail.known("@type", "type.googleapis.com/google.rpc.RetryInfo");
                let (seconds, rest) = (millis / 1000, millis % 1000);
                let delay =
                    if rest == 0 { format!("{seconds}s") } else { format!("{seconds}.{rest:03}s") };
                detail.word("retryDelay", &delay);
            });
        });
    }
}

/// Clients know some failures by their words alone.
fn message(failure: &Failure) -> Text {
    let contents = failure.message.contents();
    let words = match failure.kind {
        FailureKind::ContextOverflow => OVERFLOW,
        FailureKind::TooLarge => &["Request payload size exceeds the limit"],
        _ => return failure.message.clone(),
    };
    if words.iter().any(|words| contents.contains(words)) {
        return failure.message.clone();
    }
    let said = match failure.kind {
        FailureKind::ContextOverflow => {
            "The input token count exceeds the maximum number of tokens allowed."
        }
        _ => "Request payload size exceeds the limit.",
    };
    if contents.is_empty() { Text::word(said) } else { Text::new(&format!("{said} ({contents})")) }
}

/// Of the words, the first are the provider's own: "The input token count (1196265) exceeds the
/// maximum number of tokens allowed (1048575)."
const OVERFLOW: &[&str] =
    &["exceeds the maximum number of tokens allowed", "input token count exceeds"];

/// How many characters of a page are told.
const LONGEST: usize = 500;
