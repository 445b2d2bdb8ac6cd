//! Rules about threads: conversations that the server stores and a request continues.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::cache::has_cache_breakpoint;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, ContinuationState, Request, StoredReply};

/// Hash of the request fields that must stay unchanged within a thread.
pub fn fingerprint(body: &Value) -> String {
    let mut hash = Sha256::new();
    for key in ["model", "system", "tools"] {
        let field = body.field(key).filter(|value| !value.is_null());
        hash.update(format!("{key}:{}\n", field.map(Value::to_string).unwrap_or_default()));
    }
    STANDARD.encode(hash.finalize())
}

fn thread<'r>(request: &Request<'r>) -> Option<&'r Value> {
    request.body.field("thread").filter(|thread| thread.is_object())
}

/// Id and stored reply that the thread continues from.
fn previous_reply<'r>(request: &Request<'r>) -> Option<(&'r str, Option<&'r StoredReply>)> {
    let id = str_field(thread(request)?, "previous_message_id");
    let stored_replies = request.stored_replies.filter(|_| !id.is_empty())?;
    Some((id, stored_replies.get(id)))
}

pub(super) fn thread_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
    if thread(request).is_none() {
        return;
    }
    let is_set = |key: &&&str| request.body.field(key).is_some_and(|value| !value.is_null());
    let cache_control = has_cache_breakpoint(request.body).then_some(&"cache_control");
    for feature in UNSUPPORTED_FEATURES.iter().filter(is_set).chain(cache_control) {
        let message = format!("thread: `{feature}` is not supported in a request with a thread");
        cx.reject_with("thread", message, None, Some("thread_unsupported_request"));
    }
}

pub(super) fn thread_not_found(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some((id, None)) = previous_reply(request) {
        let message = format!("thread.previous_message_id: no thread ends with message '{id}'");
        cx.reject_with(PREVIOUS_ID_PATH, message, None, Some("thread_not_found"));
    }
}

fn reject_continuation(
    request: &Request<'_>,
    cx: &mut CheckContext,
    state: ContinuationState,
    code: &str,
) {
    if let Some((_, Some(stored_reply))) = previous_reply(request)
        && stored_reply.continuation == state
    {
        cx.reject_with(PREVIOUS_ID_PATH, cx.message(), None, Some(code));
    }
}

pub(super) fn thread_fingerprint(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some((_, Some(stored_reply))) = previous_reply(request)
        && !stored_reply.fingerprint.is_empty()
        && stored_reply.fingerprint != fingerprint(request.body)
    {
        cx.reject_with("thread", cx.message(), None, Some("thread_fingerprint_mismatch"));
    }
}

/// Request fields that threads do not support, besides cache breakpoints.
const UNSUPPORTED_FEATURES: &[&str] = &["context_management", "fallbacks", "thinking"];
const PREVIOUS_ID_PATH: &str = "thread.previous_message_id";

pub(super) fn thread_continued(request: &Request<'_>, cx: &mut CheckContext) {
    reject_continuation(request, cx, ContinuationState::Done, "thread_already_continued");
}

pub(super) fn thread_in_flight(request: &Request<'_>, cx: &mut CheckContext) {
    reject_continuation(request, cx, ContinuationState::InFlight, "thread_continue_in_flight");
}
