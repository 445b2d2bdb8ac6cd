//! Translates LLM API requests, replies, streams and errors between provider dialects, without I/O.
//!
//! A body in one provider's dialect is decoded into a dialect-neutral model, repaired for its
//! target and encoded in the target's dialect. Text that need not change keeps its bytes. Every
//! change and every loss is recorded in the [`Ledger`].
//!
//! ```text
//! request   body ─decode─▶ Conversation ─repair─▶ Conversation ─encode─▶ body ─▶ provider
//! reply     body ─decode─▶ Reply ─encode─▶ body ─▶ client
//! stream    bytes ─frame─▶ frames ─read─▶ events ─guard─▶ events ─write─▶ bytes ─▶ client
//! error     body ─decode─▶ ApiError ─encode─▶ body ─▶ client
//! ```
//!
//! - [`find_dialect`] returns a dialect by its name, [`DIALECTS`] lists them.
//! - [`translate_request`], [`translate_reply`] and [`translate_error`] translate complete bodies.
//! - [`StreamTranslator`] translates a streamed reply as its bytes arrive.
//! - [`decode_request`] and [`decode_reply`] split translation into decoding and encoding, for
//!   callers that inspect what was decoded or add stored data to it.
//! - [`TranslatedRequest::reply_context`] must be passed to the translation of the reply: it has the
//!   names and ids that were changed in the request.
//! - [`StreamTranslator::with_guard`] and [`decode_reply`] check the tool calls of a reply with a
//!   [`CallChecker`].
//!
//! `examples/` in this crate has a program for each: a body, a stream with the context of its
//! request, an HTTP handler and a guard.
//!
//! # Other crates
//!
//! This crate exports what its own functions take and return. The complete conversation model, the
//! JSON and framing types, the rules of the repair and the guard's parts are in
//! `interlingua-model`, `interlingua-wire`, `interlingua-repair` and `interlingua-guard`, for
//! callers that build or inspect conversations themselves.
//!
//! # Features
//!
//! - `bedrock` (default): the dialect of Amazon Bedrock. Without it the library depends on no AWS
//!   crate, and [`find_dialect`] does not know `bedrock`.

#![deny(missing_docs)]

mod continuation;
mod echoed_fields;
mod error;
mod limits;
mod parse;
mod reply;
mod request;
mod seal_envelope;
mod stream;
mod web_search;

use bytes::Bytes;

pub use continuation::continuation_request;
pub use error::{ReplyError, TranslateError};
pub use interlingua_dialects::{DIALECTS, Dialect, StreamReader, StreamWriter, find_dialect};
pub use interlingua_guard::{
    CallChecker, Finding, FindingKind, GuardAction, GuardMode, GuardModes, OfferedTools,
    SchemaCache, ToolInput, ValidationLimits,
};
pub use interlingua_model::{
    ApiError, ApiErrorKind, Block, BlockContent, Conversation, ConversationPatch, Delta, DialectId,
    ErrorOrigin, GuardAnswer, Ledger, LedgerEntry, LedgerPath, Lessons, Reply, ReplyContext,
    RestoredTurn, RetryAdvice, Role, Settings, Stop, StopReason, StreamEvent, Tool, ToolArgs,
    ToolCall, ToolKind, ToolResult, Turn, Usage, Verbatim,
};
pub use interlingua_providers::Target;
pub use interlingua_wire::{
    Framing, JsonDoc, JsonError, JsonKind, JsonLimits, JsonNode, JsonString, RawJson,
    SegmentedBytes,
};
pub use limits::ReplyLimits;
pub use parse::{parse_object, parse_object_with_limits};
pub use reply::{
    DecodedReply, TranslatedReply, decode_reply, decode_reply_with_limits, encode_reply,
    encode_reply_as_stream, stream_writer,
};
pub use request::{DecodedRequest, TranslatedRequest, decode_request};
pub use stream::StreamTranslator;

/// Translates a request in dialect `from` for a provider of dialect `to`: decodes, repairs and
/// encodes it. The repaired request is one that the provider accepts.
///
/// ```
/// use interlingua::{JsonString, Target, find_dialect, translate_request};
///
/// let from = find_dialect("anthropic").unwrap();
/// let to = find_dialect("openai-chat").unwrap();
/// let body = r#"{"model":"a","max_tokens":9,"system":"Be brief.",
///     "messages":[{"role":"user","content":"caf\u00e9?"}]}"#;
/// let target = Target { model: Some(JsonString::new("b")), flavor: None, ..Target::default() };
///
/// let sent = translate_request(body.into(), from, to, &target).unwrap();
/// let sent = String::from_utf8(sent.body.to_vec()).unwrap();
/// assert!(sent.contains(r#""model":"b""#));
/// assert!(sent.contains(r#""caf\u00e9?""#), "spelled as in the input");
///
/// // Within one dialect, an unchanged request keeps its bytes.
/// let same = translate_request(body.into(), from, from, &Target::default()).unwrap();
/// assert_eq!(same.body, body);
/// assert!(same.ledger.is_empty());
/// ```
pub fn translate_request(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<TranslatedRequest, TranslateError> {
    Ok(translate_parsed_request(parse_object(body)?, from, to, target))
}

/// As [`translate_request`], for a body that is already parsed, for example to look up its model.
pub fn translate_parsed_request(
    body: JsonDoc,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> TranslatedRequest {
    decode_request(body, from, to, target).translate(&ConversationPatch::default())
}

/// Repairs a request that a client has stored, within its dialect. Seals of other providers that the
/// client carries in its own signatures stay there: they are unwrapped when the request is sent, by
/// [`translate_request`].
pub fn repair_stored_request(
    body: Bytes,
    dialect: &dyn Dialect,
    target: &Target,
) -> Result<TranslatedRequest, TranslateError> {
    let decoded = request::decode_with_seals(parse_object(body)?, dialect, dialect, target, false);
    Ok(decoded.translate(&ConversationPatch::default()))
}

/// Decodes a request and encodes it in another dialect, without repairing it.
pub fn transcode_request(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    target: &Target,
) -> Result<TranslatedRequest, TranslateError> {
    let body = parse_object(body)?;
    let mut ledger = Ledger::default();
    let mut conversation = from.decode_request(&body, &mut ledger);
    if from.id() != to.id() && !from.seal_issuers().is_empty() {
        seal_envelope::unwrap_conversation(&mut conversation);
    }
    let cx = Box::new(request::reply_context_for(&conversation, target));
    let body = to.encode_request(&conversation, target, &mut ledger);
    Ok(TranslatedRequest { body, ledger, reply_context: cx })
}

/// Translates a complete reply in dialect `from` for a client of dialect `to`.
///
/// ```
/// use interlingua::{ReplyContext, find_dialect, translate_reply};
///
/// let from = find_dialect("openai-chat").unwrap();
/// let to = find_dialect("anthropic").unwrap();
/// let body = r#"{"id":"r1","object":"chat.completion","created":0,"model":"b",
///     "choices":[{"index":0,"message":{"role":"assistant","content":"Bonjour"},"finish_reason":"stop"}],
///     "usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}"#;
///
/// let (reply, ledger) = translate_reply(body.into(), from, to, &ReplyContext::default()).unwrap();
/// let reply = String::from_utf8(reply.to_vec()).unwrap();
/// assert!(reply.contains(r#""stop_reason":"end_turn""#));
/// assert!(reply.contains(r#""input_tokens":12"#));
/// assert!(ledger.is_empty());
/// ```
pub fn translate_reply(
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    cx: &ReplyContext,
) -> Result<(Bytes, Ledger), ReplyError> {
    let translated = decode_reply(body, from, cx, None)?.encode(to, cx);
    Ok((translated.body, translated.ledger))
}

/// Translates the body of a provider's error response; returns status and body for the client.
///
/// ```
/// use interlingua::{ApiErrorKind, RetryAdvice, find_dialect, translate_error};
///
/// let from = find_dialect("anthropic").unwrap();
/// let to = find_dialect("openai-chat").unwrap();
/// let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
///
/// let (status, body, error) = translate_error(429, body.into(), from, to);
/// assert_eq!(status, 429);
/// assert_eq!(error.kind, ApiErrorKind::RateLimit);
/// assert_ne!(error.retry, RetryAdvice::No);
/// assert!(String::from_utf8(body.to_vec()).unwrap().contains("slow down"));
/// ```
pub fn translate_error(
    status: u16,
    body: Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> (u16, Bytes, ApiError) {
    let error = from.decode_error(status, &body);
    if from.id() == to.id() {
        return (status, body, error);
    }
    let body = to.encode_error(&error).into();
    (error.status, body, error)
}
