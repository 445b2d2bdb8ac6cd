//! Errors, both ways: one envelope out, every one that is seen in.

use interlingua_model::{Failure, FailureKind, Retry};
use interlingua_wire::{Doc, Json, Kind, Limits, Node, Text};

use super::ID;

/// What an error says, whatever its envelope.
#[derive(Default)]
struct Said {
    message: Text,
    /// Types, codes and the like.
    words: Vec<String>,
    /// A status inside the body.
    status: Option<u16>,
}

pub(super) fn decode(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    if let Ok(doc) = Doc::parse(text.as_ref().into(), Limits::default()) {
        let said = said(doc.root()).unwrap_or_else(|| Said {
            message: Text::new(&cut(doc.root().raw())),
            ..Said::default()
        });
        failure(Some(status), said, doc.root())
    } else {
        let kind = kind_of(Some(status), &[], &text.to_lowercase());
        let message = if text.trim().is_empty() {
            format!("the provider answered {status} with an empty body")
        } else {
            format!("the provider answered {status} and not in JSON: {}", cut(text.trim()))
        };
        Failure { status, ..Failure::new(kind, Text::new(&message)) }
    }
}

/// The error in a reply or a chunk that should be none.
pub(super) fn in_band(root: Node<'_>) -> Option<Failure> {
    let [choices, usage, error, message, detail, relay, flat, outcome] = root.pick([
        "choices",
        "usage",
        "error",
        "message",
        "detail",
        "x_groq",
        "error_msg",
        "base_resp",
    ]);
    let error = error.or_else(|| relay?.get("error"));
    let is_error = match error.map(|error| (error.kind(), error)) {
        Some((Kind::Object, error)) => !error.is_empty(),
        Some((Kind::String, error)) => !error.word().is_empty(),
        Some((Kind::Null | Kind::Bool | Kind::Number | Kind::Array, _)) | None => {
            let bare = choices.is_none() && usage.is_none();
            let flat = message.or(detail).or(flat).is_some();
            let refused = outcome.and_then(|outcome| outcome.get("status_code")?.count());
            root.is_array() && said(root).is_some()
                || (bare && flat && root.is_object())
                || refused.is_some_and(|code| code > 0)
        }
    };
    is_error.then(|| {
        let inner = root.get("error").is_none().then(|| root.get("x_groq")).flatten();
        failure(None, said(inner.unwrap_or(root)).unwrap_or_default(), root)
    })
}

/// The error inside an answer that its provider gave up.
pub(super) fn in_choice(choice: Node<'_>) -> Option<Failure> {
    let error = choice.get("error")?;
    let is_error = error.is_object() && !error.is_empty();
    let said = is_error.then(|| said(choice)).flatten()?;
    Some(Failure { written: None, ..failure(None, said, choice) })
}

fn failure(status: Option<u16>, said: Said, root: Node<'_>) -> Failure {
    let status = status.or(said.status);
    let lower = said.message.contents().to_lowercase();
    let kind = kind_of(status, &said.words, &lower);
    let mut failure = Failure::new(kind, said.message);
    failure.status = status.filter(|status| *status >= 400).unwrap_or(failure.status);
    if let (FailureKind::RateLimit, Some(millis)) = (kind, wait_in(&lower)) {
        failure.retry = Retry::AfterMillis(millis);
    }
    failure.written = Some((ID, root.json()));
    failure
}

/// Looks through the envelopes: an object or a string under `error`, `detail`, a flat object, a list.
/// Relays put the error they got into their own, as JSON in a string; the innermost one counts.
fn said(node: Node<'_>) -> Option<Said> {
    said_within(node, MOST_ENVELOPES)
}

fn said_within(node: Node<'_>, envelopes: u8) -> Option<Said> {
    if node.is_array() {
        return node.items().find_map(|node| said_within(node, envelopes));
    }
    let mut found = Said::default();
    found.collect(node);
    let error = node.get("error").filter(|error| !error.is_null());
    let object = error.filter(|error| error.is_object());
    let part = |key: &str| object.and_then(|error| error.get(key));
    let base = node.get("base_resp");
    for part in [object, part("metadata"), part("innererror"), base].into_iter().flatten() {
        found.collect(part);
    }
    found.message = match error {
        Some(error) if error.is_object() => {
            message(error).unwrap_or_else(|| Text::new(error.raw()))
        }
        Some(error) => error.text().unwrap_or_else(|| Text::new(error.raw())),
        None => message(node).or_else(|| message(base?))?,
    };
    let raw = object.unwrap_or(node).get("metadata").and_then(|metadata| metadata.get("raw"));
    let inner = envelopes.checked_sub(1).and_then(|envelopes| {
        let behind = raw.and_then(|raw| behind(raw, envelopes));
        behind.or_else(|| within(&found.message, envelopes))
    });
    Some(match inner {
        Some(inner) => found.around(inner),
        None => found,
    })
}

/// The message of an error object.
fn message(node: Node<'_>) -> Option<Text> {
    let field = MESSAGES.iter().find_map(|key| node.get(key));
    field.filter(|field| !field.is_null()).map(|field| {
        let inner = field.get("message").unwrap_or(field);
        inner.text().unwrap_or_else(|| Text::new(inner.raw()))
    })
}

/// What `metadata.raw` says: JSON in a string, JSON, or words.
fn behind(raw: Node<'_>, envelopes: u8) -> Option<Said> {
    let Some(text) = raw.text() else { return said_within(raw, envelopes) };
    let words = || Said { message: text.clone(), ..Said::default() };
    within(&text, envelopes).or_else(|| Some(words()).filter(|_| !text.is_blank()))
}

/// The error in a message that ends with one as JSON.
fn within(message: &Text, envelopes: u8) -> Option<Said> {
    let contents = message.contents();
    let json = contents.get(contents.find('{')?..)?;
    let doc = Doc::parse(json.into(), Limits::default()).ok()?;
    let is = |key: &str| doc.root().get(key).is_some_and(|word| word.word() == "error");
    let is_error = doc.root().get("error").is_some() || is("object") || is("type");
    is_error.then(|| said_within(doc.root(), envelopes)).flatten()
}

impl Said {
    fn collect(&mut self, node: Node<'_>) {
        for key in ["type", "code", "status", "object", "error_type", "error_code", "status_code"] {
            match node.get(key).map(|value| (value.kind(), value)) {
                Some((Kind::String, value)) => {
                    self.status = self.status.or(value.word().parse().ok().and_then(as_status));
                    self.words.push(value.word().to_lowercase());
                }
                Some((Kind::Number, value)) => {
                    self.status = self.status.or(value.count().and_then(as_status));
                    self.words.push(value.raw().to_owned());
                }
                Some(_) | None => {}
            }
        }
    }

    /// What this says around another; the words of both tell the kind.
    fn around(self, mut inner: Self) -> Self {
        inner.words.extend(self.words);
        inner.status = self.status.or(inner.status);
        inner
    }
}

/// A number that can be the status of an error.
fn as_status(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

fn kind_of(status: Option<u16>, words: &[String], message: &str) -> FailureKind {
    let by_word = WORDS.iter().find(|(word, _)| words.iter().any(|said| said == word));
    let by_phrase = PHRASES.iter().find(|(phrase, _)| message.contains(phrase));
    let of_status = status.map(FailureKind::of_status);
    match (by_word, by_phrase, of_status) {
        (Some((_, kind)), ..) | (None, Some((_, kind)), _) => *kind,
        (None, None, Some(kind)) => kind,
        (None, None, None) if words.iter().any(|word| word == "invalid_request_error") => {
            FailureKind::Shape
        }
        (None, None, None) => FailureKind::Upstream,
    }
}

/// "Please try again in 1.5s": how long that is.
fn wait_in(message: &str) -> Option<u64> {
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

/// The first 500 characters.
fn cut(text: &str) -> String {
    text.chars().take(500).collect()
}

/// The body for a failure.
pub(super) fn encode(failure: &Failure) -> Json {
    if let Some((_, written)) = failure.written.as_ref().filter(|(dialect, _)| *dialect == ID) {
        return written.clone();
    }
    let (kind, code) = names(failure.kind);
    let message = failure.message.contents();
    let overflow = failure.kind == FailureKind::ContextOverflow;
    // Clients look for these words, or for the code.
    let known =
        !overflow || message.contains("context length") || message.contains("context_length");
    let message = if known {
        failure.message.clone()
    } else {
        Text::new(&format!("This model's maximum context length was exceeded: {message}"))
    };
    Json::object(|o| {
        o.object("error", |o| {
            o.text("message", &message);
            o.word("type", kind);
            o.null("param");
            match code {
                Some(code) => o.word("code", code),
                None => o.null("code"),
            }
        });
    })
}

/// The type and the code of a kind.
fn names(kind: FailureKind) -> (&'static str, Option<&'static str>) {
    match kind {
        FailureKind::Shape => ("invalid_request_error", None),
        FailureKind::Auth => ("authentication_error", Some("invalid_api_key")),
        FailureKind::Permission => ("permission_error", Some("permission_denied")),
        FailureKind::NotFound => ("invalid_request_error", Some("not_found")),
        FailureKind::Billing => ("insufficient_quota", Some("insufficient_quota")),
        FailureKind::RateLimit => ("rate_limit_error", Some("rate_limit_exceeded")),
        FailureKind::Overloaded => ("server_error", Some("overloaded")),
        FailureKind::ContextOverflow => ("invalid_request_error", Some("context_length_exceeded")),
        FailureKind::TooLarge => ("invalid_request_error", Some("payload_too_large")),
        FailureKind::Filtered => ("invalid_request_error", Some("content_filter")),
        FailureKind::Timeout => ("server_error", Some("timeout")),
        FailureKind::Upstream => ("server_error", None),
    }
}

/// Where an error has its words.
const MESSAGES: &[&str] = &["message", "msg", "detail", "error", "error_msg", "status_msg"];

/// How many errors within errors are looked into.
const MOST_ENVELOPES: u8 = 5;

/// Types and codes that say more than the status; the first found counts.
const WORDS: &[(&str, FailureKind)] = &[
    ("context_length_exceeded", FailureKind::ContextOverflow),
    ("exceed_context_size_error", FailureKind::ContextOverflow),
    ("token_limit_exceeded", FailureKind::ContextOverflow),
    ("model_max_prompt_tokens_exceeded", FailureKind::ContextOverflow),
    ("1261", FailureKind::ContextOverflow),
    ("insufficient_quota", FailureKind::Billing),
    ("billing_hard_limit_reached", FailureKind::Billing),
    ("payment_required", FailureKind::Billing),
    ("1113", FailureKind::Billing),
    ("content_filter", FailureKind::Filtered),
    ("content_policy_violation", FailureKind::Filtered),
    ("responsibleaipolicyviolation", FailureKind::Filtered),
    ("data_inspection_failed", FailureKind::Filtered),
    ("1301", FailureKind::Filtered),
    ("rate_limit_exceeded", FailureKind::RateLimit),
    ("rate_limit_error", FailureKind::RateLimit),
    ("rate_limit_reached_error", FailureKind::RateLimit),
    ("1302", FailureKind::RateLimit),
    ("engine_overloaded_error", FailureKind::Overloaded),
    ("provider_overloaded", FailureKind::Overloaded),
    ("overloaded", FailureKind::Overloaded),
    ("overloaded_error", FailureKind::Overloaded),
    ("invalid_api_key", FailureKind::Auth),
    ("authentication", FailureKind::Auth),
    ("authentication_error", FailureKind::Auth),
    ("permission_denied", FailureKind::Permission),
    ("permission_error", FailureKind::Permission),
    ("model_not_found", FailureKind::NotFound),
    ("not_found", FailureKind::NotFound),
    ("payload_too_large", FailureKind::TooLarge),
    ("timeout", FailureKind::Timeout),
    ("provider_unavailable", FailureKind::Overloaded),
];

/// Words of messages that say more than the status.
const PHRASES: &[(&str, FailureKind)] = &[
    ("maximum context length", FailureKind::ContextOverflow),
    ("context_length_exceeded", FailureKind::ContextOverflow),
    ("exceeds the context window", FailureKind::ContextOverflow),
    ("exceed context window", FailureKind::ContextOverflow),
    ("model's context length", FailureKind::ContextOverflow),
    ("available context size", FailureKind::ContextOverflow),
    ("reduce the length of the messages", FailureKind::ContextOverflow),
    ("prompt is too long", FailureKind::ContextOverflow),
    ("prompt exceeds max length", FailureKind::ContextOverflow),
    ("range of input length should be", FailureKind::ContextOverflow),
    ("maximum prompt length", FailureKind::ContextOverflow),
    ("input token count", FailureKind::ContextOverflow),
    ("prompt token count of", FailureKind::ContextOverflow),
    ("exceeded model token limit", FailureKind::ContextOverflow),
    ("exceeds the context length", FailureKind::ContextOverflow),
    ("exceeds context size", FailureKind::ContextOverflow),
    ("context size has been exceeded", FailureKind::ContextOverflow),
    ("when context the overflows", FailureKind::ContextOverflow),
    ("context window exceeds limit", FailureKind::ContextOverflow),
    ("`inputs` tokens + `max_new_tokens` must be", FailureKind::ContextOverflow),
    ("`inputs` must have less than", FailureKind::ContextOverflow),
    ("tokens in the prompt cannot exceed", FailureKind::ContextOverflow),
    ("exceeded your current quota", FailureKind::Billing),
    ("insufficient balance", FailureKind::Billing),
    ("insufficient credits", FailureKind::Billing),
    ("content management policy", FailureKind::Filtered),
    ("requires moderation", FailureKind::Filtered),
    ("rate limit reached", FailureKind::RateLimit),
    // A template throws, and the server says that it broke.
    ("conversation roles must alternate", FailureKind::Shape),
    ("overloaded", FailureKind::Overloaded),
];
