//! Law 1: the judge accepts every translated body.

use super::law::{Breach, Law};
use super::sent_request::{SentRequest, judge_body};

/// Rules that no translation can satisfy: the request exceeds what the provider has, and the
/// gateway must not choose which part to drop.
const UNMENDABLE: &[&str] = &[
    // The conversation is too long. Compaction is the agent's task.
    "prompt-too-long",
    "context-length",
    "request-too-large",
    // Too many messages: dropping old ones is compaction, too.
    "too-many-messages",
    // The route chooses the model.
    "unknown-model",
    "on-demand",
];

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let verdict = judge_body(&sent_request.parsed_body, sent_request.destination);
    let mut seen: Vec<&str> = Vec::new();
    for violation in &verdict.violations {
        // One breach per rule: the others mostly have the same cause.
        if UNMENDABLE.contains(&violation.rule) || seen.contains(&violation.rule) {
            continue;
        }
        seen.push(violation.rule);
        breaches.push(Breach::new(Law::Sound, violation.rule, &violation.path, &violation.message));
    }
}
