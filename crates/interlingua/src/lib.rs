//! Any agent, any model, no broken conversation: the road between model APIs, sans IO.
//!
//! A request, a reply, a stream or an error in one provider's dialect leaves in another's. What need
//! not change leaves as the bytes it came in; what changes or cannot cross is in the [`Ledger`].
//!
//! ```text
//! request   body ─decode─▶ Conversation ─mend, fit─▶ · ─encode─▶ body ─▶ provider
//! reply     body ─decode─▶ Reply ─encode─▶ body ─▶ client
//! stream    bytes ─frame─▶ frames ─read─▶ Events ─guard─▶ Events ─write─▶ bytes ─▶ client
//! error     body ─decode─▶ Failure ─encode─▶ body ─▶ client
//! ```
//!
//! The functions on this page are the whole road; nothing else translates anything.

mod error;
mod found;
mod limits;
mod opened;
mod paused;
mod repeated;
mod reply;
mod stream;
mod travel;
mod watching;

use bytes::Bytes;
use interlingua_model::Tool;

pub use error::{ReplyError, TranslateError};
pub use interlingua_dialects::{ALL, Dialect, StreamReader, StreamWriter, find, native, note};
pub use interlingua_guard as guard;
pub use interlingua_model as model;
pub use interlingua_model::{
    Conversation, DialectId, Event, Exchange, Failure, Fold, Ledger, Recalled, Reply, Restored,
    Target, Told, ToolKind, Verbatim, unfold,
};
pub use interlingua_repair as repair;
pub use interlingua_wire as wire;
pub use interlingua_wire::{Doc, Framing, Json, Kind, Limits, Malformed, Spliced, Text};
pub use limits::StreamLimits;
pub use opened::{Opened, open_document};
pub use paused::go_on;
pub use reply::{GUARD_MEND, ReadReply, encode_reply, read_reply, stream_reply, writer};
pub use stream::Stream;

/// A request as it leaves.
#[derive(Clone, Debug)]
pub struct Translated<B = Bytes> {
    pub body: B,
    /// What was changed or left out; empty when nothing was.
    pub ledger: Ledger,
    /// What the translation of the reply needs to know of this request. Whoever has a clock and ids
    /// to give adds them. Apart: it is large, and goes from hand to hand.
    pub exchange: Box<Exchange>,
}

/// A whole reply as it leaves.
#[derive(Clone, Debug)]
pub struct TranslatedReply {
    pub body: Bytes,
    pub ledger: Ledger,
    /// What it says, in the client's terms.
    pub reply: Box<Verbatim<Reply>>,
    /// What the guard found about its calls.
    pub findings: Vec<guard::Finding>,
}

/// A request of a client that speaks `from`, for a provider that speaks `to`: read, repaired, written.
/// Whatever the client sent, the provider accepts what leaves.
///
/// ```
/// use interlingua::{Target, Text, find, translate_request};
///
/// let from = find("anthropic").unwrap();
/// let to = find("openai-chat").unwrap();
/// let body = r#"{"model":"a","max_tokens":9,"system":"Be brief.",
///     "messages":[{"role":"user","content":"caf\u00e9?"}]}"#;
/// let target = Target { model: Some(Text::new("b")), flavor: None, ..Target::default() };
///
/// let sent = translate_request(body.into(), from, to, &target).unwrap();
/// let sent = String::from_utf8(sent.body.to_vec()).unwrap();
/// assert!(sent.contains(r#""model":"b""#));
/// assert!(sent.contains(r#""caf\u00e9?""#), "spelled as it came");
///
/// // To its own dialect, untouched, it leaves as the bytes it came in.
/// let same = translate_request(body.into(), from, from, &Target::default()).unwrap();
/// assert_eq!(same.body, body);
/// assert!(same.ledger.is_empty());
/// ```
pub fn translate_request(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<Translated, TranslateError> {
    Ok(translate_document(read_object(body)?, from, to, target))
}

/// As [`translate_request`], for a body that was read before, by somebody who had to know the model
/// it asks for.
pub fn translate_document(
    body: Doc,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Translated {
    open_document(body, from, to, target).translate(&Recalled::default())
}

/// A request as it is, in another dialect: read and written, and nothing repaired.
pub fn transcribe_request(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<Translated, TranslateError> {
    let body = read_object(body)?;
    let mut ledger = Ledger::default();
    let conversation = from.decode_request(&body, &mut ledger);
    let exchange = Box::new(exchange_of(&conversation, target));
    let body = to.encode_request(&conversation, target, &mut ledger);
    Ok(Translated { body, ledger, exchange })
}

/// A whole reply of a provider that speaks `from`, for a client that speaks `to`.
///
/// ```
/// use interlingua::{Exchange, find, translate_reply};
///
/// let from = find("openai-chat").unwrap();
/// let to = find("anthropic").unwrap();
/// let body = r#"{"id":"r1","object":"chat.completion","created":0,"model":"b",
///     "choices":[{"index":0,"message":{"role":"assistant","content":"Bonjour"},"finish_reason":"stop"}],
///     "usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}"#;
///
/// let (reply, ledger) = translate_reply(body.into(), from, to, &Exchange::default()).unwrap();
/// let reply = String::from_utf8(reply.to_vec()).unwrap();
/// assert!(reply.contains(r#""stop_reason":"end_turn""#));
/// assert!(reply.contains(r#""input_tokens":12"#));
/// assert!(ledger.is_empty());
/// ```
pub fn translate_reply(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    exchange: &Exchange,
) -> Result<(Bytes, Ledger), ReplyError> {
    let read = read_reply(body, from, exchange, None)?.encode(to, exchange);
    Ok((read.body, read.ledger))
}

/// The body of a provider's error, whatever it is, as the status and body for the client.
///
/// ```
/// use interlingua::model::{FailureKind, Retry};
/// use interlingua::{find, translate_error};
///
/// let from = find("anthropic").unwrap();
/// let to = find("openai-chat").unwrap();
/// let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
///
/// let (status, body, failure) = translate_error(429, body.into(), from, to);
/// assert_eq!(status, 429);
/// assert_eq!(failure.kind, FailureKind::RateLimit);
/// assert_ne!(failure.retry, Retry::No);
/// assert!(String::from_utf8(body.to_vec()).unwrap().contains("slow down"));
/// ```
pub fn translate_error(
    status: u16,
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> (u16, Bytes, Failure) {
    let failure = from.decode_error(status, &body);
    if from.id() == to.id() {
        return (status, body, failure);
    }
    let body = to.encode_error(&failure).into();
    (failure.status, body, failure)
}

/// What the reply to this conversation needs to know of it.
pub fn exchange_of(conversation: &Conversation, target: &Target) -> Exchange {
    let namespaces = conversation
        .tools
        .iter()
        .filter_map(|tool| Some((tool.name.clone(), tool.namespace.clone()?)));
    Exchange {
        model: conversation.model.clone().or_else(|| target.model.clone()),
        flavor: target.flavor,
        freeform: freeform(conversation),
        namespaces: namespaces.collect(),
        usage: Some(conversation.settings.stream_usage == Some(true)),
        ..Exchange::default()
    }
}

/// The names of the tools that take free text.
pub(crate) fn freeform(conversation: &Conversation) -> Vec<Text> {
    let takes_text = |tool: &&Verbatim<Tool>| matches!(tool.kind, ToolKind::Freeform { .. });
    conversation.tools.iter().filter(takes_text).map(|tool| tool.name.clone()).collect()
}

/// Requests and replies are JSON objects in every dialect.
pub fn read_object(body: Bytes) -> Result<Doc, TranslateError> {
    read_object_within(body, Limits::default())
}

/// As [`read_object`], with limits of one's own.
pub fn read_object_within(body: Bytes, limits: Limits) -> Result<Doc, TranslateError> {
    let doc = Doc::from_bytes(body, limits)?;
    match doc.root().kind() {
        Kind::Object => Ok(doc),
        found => {
            let text = doc.text().trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
            Err(TranslateError::NotAnObject { at: doc.text().len() - text.len(), found })
        }
    }
}
