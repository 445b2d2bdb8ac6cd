//! Threads: conversations that the server holds, and that a request goes on with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::cache::is_marked;
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Kept, Next, Request, Rule};

/// What of a request that begins a thread must stay as it is when the thread goes on.
pub fn fingerprint(body: &Value) -> String {
    let mut hash = Sha256::new();
    for key in ["model", "system", "tools"] {
        let said = body.field(key).filter(|value| !value.is_null());
        hash.update(format!("{key}:{}\n", said.map(Value::to_string).unwrap_or_default()));
    }
    STANDARD.encode(hash.finalize())
}

fn thread<'r>(request: &Request<'r>) -> Option<&'r Value> {
    request.body.field("thread").filter(|thread| thread.is_object())
}

/// The reply from which the thread is to go on, as far as the server knows it.
fn previous<'r>(request: &Request<'r>) -> Option<(&'r str, Option<&'r Kept>)> {
    let id = string(thread(request)?, "previous_message_id");
    let known = request.known.filter(|_| !id.is_empty())?;
    Some((id, known.find(id)))
}

fn unsupported(request: &Request<'_>, findings: &mut Findings) {
    if thread(request).is_none() {
        return;
    }
    let given = |key: &&&str| request.body.field(key).is_some_and(|value| !value.is_null());
    let marked = is_marked(request.body).then_some(&"cache_control");
    for feature in UNSUPPORTED.iter().filter(given).chain(marked) {
        let words = format!("thread: `{feature}` is not supported in a request with a thread");
        findings.add_with("thread", words, None, Some("thread_unsupported_request"));
    }
}

fn not_found(request: &Request<'_>, findings: &mut Findings) {
    if let Some((id, None)) = previous(request) {
        let words = format!("thread.previous_message_id: no thread ends with message '{id}'");
        findings.add_with(PREVIOUS, words, None, Some("thread_not_found"));
    }
}

fn taken(request: &Request<'_>, findings: &mut Findings, next: Next, words: &str, code: &str) {
    if let Some((_, Some(kept))) = previous(request)
        && kept.next == next
    {
        findings.add_with(PREVIOUS, words, None, Some(code));
    }
}

fn mismatch(request: &Request<'_>, findings: &mut Findings) {
    if let Some((_, Some(kept))) = previous(request)
        && !kept.fingerprint.is_empty()
        && kept.fingerprint != fingerprint(request.body)
    {
        findings.add_with("thread", MISMATCH, None, Some("thread_fingerprint_mismatch"));
    }
}

/// What does not go with a thread, apart from cache markers.
const UNSUPPORTED: &[&str] = &["context_management", "fallbacks", "thinking"];
const PREVIOUS: &str = "thread.previous_message_id";
const CONTINUED: &str =
    "thread.previous_message_id: the thread already continues from this message";
const COMING: &str =
    "thread.previous_message_id: a request that continues from this message is in flight";
const MISMATCH: &str =
    "thread: `model`, `system` and `tools` must be the same in every request of a thread";

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "thread-unsupported",
        status: 400,
        when: "A request with a thread has cache markers, context management, fallbacks or thinking.",
        words: "thread: `{feature}` is not supported in a request with a thread",
        evidence: Evidence::Inferred,
        source: "error code thread_unsupported_request of the SDK",
        check: unsupported,
    },
    Rule {
        name: "thread-not-found",
        status: 404,
        when: "A thread is to go on from a message with which none ends.",
        words: "thread.previous_message_id: no thread ends with message '{id}'",
        evidence: Evidence::Inferred,
        source: "error code thread_not_found of the SDK",
        check: not_found,
    },
    Rule {
        name: "thread-continued",
        status: 409,
        when: "A thread has already gone on from this message.",
        words: CONTINUED,
        evidence: Evidence::Inferred,
        source: "error code thread_already_continued of the SDK",
        check: |request, findings| {
            taken(request, findings, Next::Taken, CONTINUED, "thread_already_continued");
        },
    },
    Rule {
        name: "thread-in-flight",
        status: 409,
        when: "A thread is going on from this message: the reply is not finished yet.",
        words: COMING,
        evidence: Evidence::Inferred,
        source: "error code thread_continue_in_flight of the SDK",
        check: |request, findings| {
            taken(request, findings, Next::Coming, COMING, "thread_continue_in_flight");
        },
    },
    Rule {
        name: "thread-fingerprint",
        status: 400,
        when: "The model, system prompt or tools of a thread are not those it began with.",
        words: MISMATCH,
        evidence: Evidence::Inferred,
        source: "error code thread_fingerprint_mismatch of the SDK; what is compared is ours",
        check: mismatch,
    },
];
