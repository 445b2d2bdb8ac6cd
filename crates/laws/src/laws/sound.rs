//! Law 1: the judge accepts what leaves, whatever came.

use super::{Broken, Law, Sent, judged};

/// What no translation can mend: what is asked for is more than the provider has, and which part of
/// it to give up is not ours to choose.
const UNMENDABLE: &[&str] = &[
    // The words of the conversation do not fit. Compaction is the agent's work.
    "prompt-too-long",
    "context-length",
    "request-too-large",
    // More messages than the API takes: leaving out old ones is compaction, too.
    "too-many-messages",
    // Whoever routes the request chooses the model.
    "unknown-model",
    "on-demand",
];

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let verdict = judged(&sent.value, sent.aim);
    let mut seen: Vec<&str> = Vec::new();
    for violation in &verdict.violations {
        // One of each rule tells enough; the rest of them fall with it.
        if UNMENDABLE.contains(&violation.rule) || seen.contains(&violation.rule) {
            continue;
        }
        seen.push(violation.rule);
        broken.push(Broken::new(Law::Sound, violation.rule, &violation.path, &violation.message));
    }
}
