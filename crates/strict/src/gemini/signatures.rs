//! Thought signatures: that they are there, and that they are the model's.

use super::mint;
use super::profile::profile;
use super::view::{self, Content, is_vertex, said, text};
use crate::seal::Broken;
use crate::{Evidence, Findings, Request, Rule};

/// Where the current turn begins: after the last content of the user that answers no call.
fn current(contents: &[Content<'_>]) -> usize {
    let begins = |content: &Content<'_>| {
        content.role == "user" && !content.parts.is_empty() && content.responses().next().is_none()
    };
    contents.iter().rposition(begins).map_or(0, |at| at + 1)
}

fn missing(request: &Request<'_>, findings: &mut Findings) {
    if !profile(request.model).signed_calls {
        return;
    }
    let contents = view::contents(request);
    for content in
        contents.iter().skip(current(&contents)).filter(|content| content.role == "model")
    {
        let Some((part, call)) = content.calls().next() else { continue };
        let signed =
            content.parts.get(part).is_some_and(|part| !text(part, "thought_signature").is_empty());
        if !signed {
            let (name, block) = (text(call, "name"), content.index + 1);
            let words = if is_vertex(request.flavor) {
                format!(
                    "Unable to submit request because function call `default_api:{name}` in the {block}. content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
                )
            } else {
                format!(
                    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {block}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
                )
            };
            findings.add(format!("{}.parts.{part}", content.path()), words);
        }
    }
}

fn corrupted(request: &Request<'_>, findings: &mut Findings) {
    let Some(key) = request.key else { return };
    let contents = view::contents(request);
    let current = current(&contents);
    for content in &contents {
        for (at, part) in content.parts.iter().enumerate() {
            if text(part, "thought_signature").is_empty() {
                continue;
            }
            let faults = mint::faults(key, request.flavor, request.model, content.parts, at);
            let made_elsewhere = |fault: &Broken| {
                matches!(fault, Broken::Foreign | Broken::Provider | Broken::Model)
            };
            // Whether it is the signature of this call is only asked in the current turn.
            let asked = content.index >= current
                && profile(request.model).signed_calls
                && view::field(part, "function_call").is_some();
            if faults.iter().any(made_elsewhere) || asked && !faults.is_empty() {
                let words = if is_vertex(request.flavor) {
                    said(request.flavor, "Thought signature is not valid.")
                } else {
                    "Corrupted thought signature.".to_owned()
                };
                findings.add(format!("{}.parts.{at}", content.path()), words);
            }
        }
    }
}

pub(super) const RULES: [Rule; 2] = [
    Rule {
        name: "missing-signature",
        status: 400,
        when: "On Gemini 3: the first call of a step in the current turn is not signed.",
        words: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {n}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.\nUnable to submit request because function call `default_api:{name}` in the {n}. content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures",
        evidence: Evidence::Documented,
        source: "rows 1, 2; documentation of thought signatures, dartantic PR#86, zafiro#100, jcode#518",
        check: missing,
    },
    Rule {
        name: "corrupted-signature",
        status: 400,
        when: "A signature is not of this endpoint and model or, in the current turn, not of this call.",
        words: "Corrupted thought signature.\nUnable to submit request because Thought signature is not valid.. Learn more: {url}",
        evidence: Evidence::Seen,
        source: "rows 3, 4; gemini-cli#13467, Antigravity#970, crush#1698, MassGen#665, 9router#301",
        check: corrupted,
    },
];
