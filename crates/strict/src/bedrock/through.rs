//! What the Messages API refuses behind Converse: its words come through with a few in front.

use super::underlying::{ADDITIONAL, Underlying};
use crate::{Evidence, Findings, Request, Rule};

fn through(
    request: &Request<'_>,
    findings: &mut Findings,
    rule: &str,
    underlying: Option<Underlying>,
    wanted: impl Fn(&str) -> bool,
) {
    let Some(underlying) = underlying else { return };
    for (path, words) in underlying.violations(request, rule) {
        if wanted(&path) {
            findings.add(path, format!("The model returned the following errors: {words}"));
        }
    }
}

macro_rules! rule {
    ($name:literal, $when:literal, $evidence:ident, $check:expr) => {
        Rule {
            name: $name,
            status: 400,
            when: $when,
            words: "The model returned the following errors: {words}",
            evidence: Evidence::$evidence,
            source: concat!("§6.7; the words are those of Anthropic's ", $name),
            check: $check,
        }
    };
}

/// A rule about what stands around the messages.
macro_rules! around {
    ($name:literal, $when:literal, $evidence:ident) => {
        rule!($name, $when, $evidence, |request, findings| {
            through(request, findings, $name, Underlying::around(request), |_| true);
        })
    };
}

/// A rule about the messages.
macro_rules! whole {
    ($name:literal, $when:literal, $evidence:ident) => {
        rule!($name, $when, $evidence, |request, findings| {
            through(request, findings, $name, Underlying::whole(request), |_| true);
        })
    };
}

pub(super) const RULES: [Rule; 39] = [
    rule!(
        "extra-input",
        "An additional field is not known to the Messages API, or needs a beta that was not asked for.",
        Seen,
        |request, findings| {
            let additional = |path: &str| path.starts_with(ADDITIONAL);
            through(request, findings, "extra-input", Underlying::around(request), additional);
        }
    ),
    around!(
        "deprecated-sampling",
        "A sampling parameter is not at its default on a model from 4.7 on.",
        Seen
    ),
    around!("sampling-while-thinking", "Sampling is changed while the model thinks.", Seen),
    around!(
        "temperature-and-top-p",
        "Both temperature and topP are given to a 4.5 or 4.6 model.",
        Seen
    ),
    around!("blank-stop-sequence", "A stop sequence is blank.", Seen),
    around!("max-tokens-above-cap", "More output is asked for than the model can give.", Seen),
    around!("small-budget", "The budget of thinking is less than 1024.", Quoted),
    around!("large-budget", "The budget of thinking is not less than maxTokens.", Seen),
    around!(
        "manual-thinking",
        "A budget of thinking is given to a model that decides itself.",
        Documented
    ),
    around!(
        "adaptive-thinking",
        "Adaptive thinking is asked of a model that does not have it.",
        Documented
    ),
    around!(
        "disabled-thinking",
        "Thinking is turned off on a model that always thinks.",
        Documented
    ),
    around!(
        "thinking-between-tools",
        "Thinking is turned off on a model that wants thinking between tools instead.",
        Documented
    ),
    around!(
        "effort-without-thinking",
        "The highest efforts are asked for while thinking is off.",
        Inferred
    ),
    around!("no-effort", "An effort is asked of a model that does not have it.", Seen),
    around!("unknown-effort", "An effort is asked for that the model does not know.", Inferred),
    around!(
        "forced-while-thinking",
        "The tool choice forces a call while there is a budget of thinking.",
        Seen
    ),
    around!(
        "forced-choice",
        "The tool choice forces a call on a model that cannot be forced.",
        Documented
    ),
    around!("duplicate-tool-name", "Two tools have one name.", Quoted),
    around!("schema-root-choice", "The root of a tool's schema is a choice of schemas.", Seen),
    around!("schema-invalid", "A tool's schema is no JSON schema of draft 2020-12.", Seen),
    whole!("result-from-assistant", "A result stands in an assistant's message.", Seen),
    whole!("call-from-user", "A call stands in a user's message.", Quoted),
    whole!("thinking-from-user", "Reasoning stands in a user's message.", Quoted),
    whole!(
        "prefill",
        "The conversation ends with the assistant's words on a model from 4.6 on.",
        Documented
    ),
    whole!(
        "prefill-while-thinking",
        "The conversation ends with the assistant's words while thinking is on.",
        Inferred
    ),
    whole!("trailing-whitespace", "The assistant's words at the end end with a blank.", Quoted),
    whole!("final-thinking", "An assistant's message ends with reasoning.", Seen),
    whole!("empty-result-text", "A text within a result is empty.", Seen),
    whole!("failed-result-media", "A failed result holds something else than text.", Quoted),
    whole!("media-mismatch", "An image is not of the format it is said to be.", Seen),
    whole!("too-many-cache-markers", "There are more than four cache points.", Seen),
    whole!("cache-order", "A cache point of an hour comes after one of five minutes.", Seen),
    whole!(
        "call-id",
        "An id has characters that the Messages API does not take: Converse also takes dots and colons.",
        Quoted
    ),
    whole!("duplicate-call-id", "Two calls have one id.", Seen),
    whole!("unsigned-thinking", "Reasoning as text has no signature.", Seen),
    whole!("empty-thinking", "Reasoning has neither text nor signature.", Seen),
    whole!(
        "thinking-first",
        "A message has reasoning, but does not begin with it, on models with a budget.",
        Seen
    ),
    whole!(
        "thinking-while-off",
        "Thinking is off, and the assistant's words at the end hold reasoning.",
        Seen
    ),
    whole!(
        "thinking-expected",
        "There is a budget of thinking, and the open tool loop does not begin with reasoning.",
        Seen
    ),
];

/// Whether reasoning is what the model said, where it said it.
pub(super) const SIGNATURES: [Rule; 4] = [
    whole!("invalid-signature", "A signature is not the model's, or not of this text.", Seen),
    whole!("invalid-redacted", "Redacted reasoning is not the model's.", Quoted),
    whole!(
        "modified-thinking",
        "Reasoning in the open tool loop is not as the model left it: changed, moved or lost.",
        Documented
    ),
    whole!(
        "changed-prefix",
        "Something before the reasoning is not as it was when it was thought (switch prefix_binding).",
        Documented
    ),
];
