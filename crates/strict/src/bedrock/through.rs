//! What the Messages API refuses behind Converse: its words come through with a few in front.

use super::underlying::{ADDITIONAL, Underlying};
use crate::{Evidence, Findings, Request, Rule};

/// Refuses what a rule of the Messages API refuses behind Converse, at the places that are wanted.
fn through(
    request: &Request<'_>,
    findings: &mut Findings,
    rule: &str,
    wanted: impl Fn(&str) -> bool,
) {
    let underlying = Underlying::shared(request, findings);
    let Some(underlying) = underlying.as_ref() else { return };
    for (path, words) in underlying.violations(request, rule) {
        if wanted(&path) {
            findings.add(path, format!("The model returned the following errors: {words}"));
        }
    }
}

macro_rules! rule {
    ($name:literal, $when:literal, $evidence:ident) => {
        rule!($name, $when, $evidence, |_| true)
    };
    ($name:literal, $when:literal, $evidence:ident, $wanted:expr) => {
        Rule {
            name: $name,
            status: 400,
            when: $when,
            words: "The model returned the following errors: {words}",
            evidence: Evidence::$evidence,
            source: concat!("§6.7; the words are those of Anthropic's ", $name),
            check: |request, findings| through(request, findings, $name, $wanted),
        }
    };
}

/// Whether a path leads into the additional fields that are there for Claude.
fn is_additional(path: &str) -> bool {
    let field = path.strip_prefix(ADDITIONAL).and_then(|rest| rest.strip_prefix('.'));
    let first = field.and_then(|field| field.split('.').next());
    first.is_some_and(|first| FIELDS.contains(&first))
}

/// "put `thinking`, `anthropic_beta`, `top_k`, `output_config` here"
const FIELDS: &[&str] = &["thinking", "reasoning_config", "top_k", "output_config", "metadata"];

pub(super) const RULES: [Rule; 49] = [
    rule!(
        "field-required",
        "An additional field lacks what it must have, such as a budget.",
        Inferred,
        is_additional
    ),
    rule!("unknown-tag", "Thinking is of no known type.", Inferred, is_additional),
    rule!("thinking-display", "Thinking is shown in a way that there is not.", Inferred),
    rule!("wrong-type", "An additional field is of another type.", Inferred, is_additional),
    rule!("out-of-range", "An additional field is too small.", Inferred, is_additional),
    rule!("cached-thinking", "A cache point stands after reasoning.", Inferred),
    rule!(
        "extra-input",
        "An additional field is not known to the Messages API, or needs a beta that was not asked for.",
        Seen,
        |path| path.starts_with(ADDITIONAL)
    ),
    rule!(
        "deprecated-sampling",
        "A sampling parameter is not at its default on a model from 4.7 on.",
        Seen
    ),
    rule!("sampling-while-thinking", "Sampling is changed while the model thinks.", Seen),
    rule!(
        "temperature-and-top-p",
        "Both temperature and topP are given to a 4.5 or 4.6 model.",
        Seen
    ),
    rule!("blank-stop-sequence", "A stop sequence is blank.", Seen),
    rule!("max-tokens-above-cap", "More output is asked for than the model can give.", Seen),
    rule!("small-budget", "The budget of thinking is less than 1024.", Quoted),
    rule!("large-budget", "The budget of thinking is not less than maxTokens.", Seen),
    rule!(
        "manual-thinking",
        "A budget of thinking is given to a model that decides itself.",
        Documented
    ),
    rule!(
        "adaptive-thinking",
        "Adaptive thinking is asked of a model that does not have it.",
        Documented
    ),
    rule!("disabled-thinking", "Thinking is turned off on a model that always thinks.", Documented),
    rule!(
        "thinking-between-tools",
        "Thinking is turned off on a model that wants thinking between tools instead.",
        Documented
    ),
    rule!(
        "no-thinking-between-tools",
        "Thinking between tools is asked of a model that does not have it.",
        Inferred
    ),
    rule!(
        "effort-without-thinking",
        "The highest efforts are asked for while thinking is off.",
        Inferred
    ),
    rule!("no-effort", "An effort is asked of a model that does not have it.", Seen),
    rule!("unknown-effort", "An effort is asked for that the model does not know.", Inferred),
    rule!(
        "forced-while-thinking",
        "The tool choice forces a call while there is a budget of thinking.",
        Seen
    ),
    rule!(
        "forced-choice",
        "The tool choice forces a call on a model that cannot be forced.",
        Documented
    ),
    rule!("duplicate-tool-name", "Two tools have one name.", Quoted),
    rule!("schema-root-choice", "The root of a tool's schema is a choice of schemas.", Seen),
    rule!("schema-invalid", "A tool's schema is no JSON schema of draft 2020-12.", Seen),
    rule!(
        "property-name",
        "A property at the root of a tool's schema has other characters in its name, or more than 64.",
        Seen
    ),
    rule!("result-from-assistant", "A result stands in an assistant's message.", Seen),
    rule!("call-from-user", "A call stands in a user's message.", Quoted),
    rule!("thinking-from-user", "Reasoning stands in a user's message.", Quoted),
    rule!(
        "prefill",
        "The conversation ends with the assistant's words on a model from 4.6 on.",
        Documented
    ),
    rule!(
        "prefill-while-thinking",
        "The conversation ends with the assistant's words while thinking is on.",
        Inferred
    ),
    rule!("trailing-whitespace", "The assistant's words at the end end with a blank.", Quoted),
    rule!("final-thinking", "An assistant's message ends with reasoning.", Seen),
    rule!("empty-result-text", "A text within a result is empty.", Seen),
    rule!("failed-result-media", "A failed result holds something else than text.", Quoted),
    rule!("undecodable-image", "An image is no PNG, JPEG, GIF or WebP.", Quoted),
    rule!("image-dimensions", "A side of an image has more than 8000 pixels.", Seen),
    rule!("media-mismatch", "An image is not of the format it is said to be.", Seen),
    rule!("too-many-cache-markers", "There are more than four cache points.", Seen),
    rule!("cache-order", "A cache point of an hour comes after one of five minutes.", Seen),
    rule!(
        "call-id",
        "An id has characters that the Messages API does not take: Converse also takes dots and colons.",
        Quoted
    ),
    rule!("duplicate-call-id", "Two calls have one id.", Seen),
    rule!("unsigned-thinking", "Reasoning as text has no signature.", Seen),
    rule!("empty-thinking", "Reasoning has neither text nor signature.", Seen),
    rule!(
        "thinking-first",
        "A message has reasoning, but does not begin with it, on models with a budget.",
        Seen
    ),
    rule!(
        "thinking-while-off",
        "Thinking is off, and the assistant's words at the end hold reasoning.",
        Seen
    ),
    rule!(
        "thinking-expected",
        "There is a budget of thinking, and the open tool loop does not begin with reasoning.",
        Seen
    ),
];

/// Whether reasoning is what the model said, where it said it.
pub(super) const SIGNATURES: [Rule; 4] = [
    rule!("invalid-signature", "A signature is not the model's, or not of this text.", Seen),
    rule!("invalid-redacted", "Redacted reasoning is not the model's.", Quoted),
    rule!(
        "modified-thinking",
        "Reasoning in the open tool loop is not as the model left it: changed, moved or lost.",
        Documented
    ),
    rule!(
        "changed-prefix",
        "Something before the reasoning is not as it was when it was thought (switch prefix_binding).",
        Documented
    ),
];
