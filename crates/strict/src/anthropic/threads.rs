//! Rules about threads: conversations that the server stores and a request continues.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::cache::has_cache_breakpoint;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, ContinuationState, Evidence, Request, Rule, StoredReply};

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

fn thread_unsupported(request: &Request<'_>, cx: &mut CheckContext) {
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

fn thread_not_found(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some((id, None)) = previous_reply(request) {
        let message = format!("thread.previous_message_id: no thread ends with message '{id}'");
        cx.reject_with(PREVIOUS_ID_PATH, message, None, Some("thread_not_found"));
    }
}

fn reject_continuation(
    request: &Request<'_>,
    cx: &mut CheckContext,
    state: ContinuationState,
    message: &str,
    code: &str,
) {
    if let Some((_, Some(stored_reply))) = previous_reply(request)
        && stored_reply.continuation == state
    {
        cx.reject_with(PREVIOUS_ID_PATH, message, None, Some(code));
    }
}

fn thread_fingerprint(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some((_, Some(stored_reply))) = previous_reply(request)
        && !stored_reply.fingerprint.is_empty()
        && stored_reply.fingerprint != fingerprint(request.body)
    {
        cx.reject_with(
            "thread",
            THREAD_FINGERPRINT_ERROR,
            None,
            Some("thread_fingerprint_mismatch"),
        );
    }
}

/// Request fields that threads do not support, besides cache breakpoints.
const UNSUPPORTED_FEATURES: &[&str] = &["context_management", "fallbacks", "thinking"];
const PREVIOUS_ID_PATH: &str = "thread.previous_message_id";
const THREAD_CONTINUED_ERROR: &str =
    "thread.previous_message_id: the thread already continues from this message";
const THREAD_IN_FLIGHT_ERROR: &str =
    "thread.previous_message_id: a request that continues from this message is in flight";
const THREAD_FINGERPRINT_ERROR: &str =
    "thread: `model`, `system` and `tools` must be the same in every request of a thread";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "thread-unsupported",
        status: 400,
        condition: "A request with a thread has cache breakpoints, context management, fallbacks or thinking.",
        error_message: "thread: `{feature}` is not supported in a request with a thread",
        evidence: Evidence::Inferred,
        source: "error code thread_unsupported_request of the SDK",
        check: thread_unsupported,
    },
    Rule {
        name: "thread-not-found",
        status: 404,
        condition: "A thread continues from a message that is not the last of any thread.",
        error_message: "thread.previous_message_id: no thread ends with message '{id}'",
        evidence: Evidence::Inferred,
        source: "error code thread_not_found of the SDK",
        check: thread_not_found,
    },
    Rule {
        name: "thread-continued",
        status: 409,
        condition: "A thread was already continued from this message.",
        error_message: THREAD_CONTINUED_ERROR,
        evidence: Evidence::Inferred,
        source: "error code thread_already_continued of the SDK",
        check: |request, cx| {
            reject_continuation(
                request,
                cx,
                ContinuationState::Done,
                THREAD_CONTINUED_ERROR,
                "thread_already_continued",
            );
        },
    },
    Rule {
        name: "thread-in-flight",
        status: 409,
        condition: "Another request that continues from this message is still in flight.",
        error_message: THREAD_IN_FLIGHT_ERROR,
        evidence: Evidence::Inferred,
        source: "error code thread_continue_in_flight of the SDK",
        check: |request, cx| {
            reject_continuation(
                request,
                cx,
                ContinuationState::InFlight,
                THREAD_IN_FLIGHT_ERROR,
                "thread_continue_in_flight",
            );
        },
    },
    Rule {
        name: "thread-fingerprint",
        status: 400,
        condition: "The model, system prompt or tools differ from those at the beginning of the thread.",
        error_message: THREAD_FINGERPRINT_ERROR,
        evidence: Evidence::Inferred,
        source: "error code thread_fingerprint_mismatch of the SDK; the list of compared fields is ours",
        check: thread_fingerprint,
    },
];
