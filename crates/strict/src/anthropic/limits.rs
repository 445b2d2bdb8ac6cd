//! How much there may be: output, prompt, bytes, messages.

use serde_json::Value;

use super::profile::profile;
use super::view;
use crate::rule::Fields as _;
use crate::{Evidence, Findings, Request, Rule};

/// A careful guess at the tokens of a prompt: real ones are rarely fewer.
pub fn estimate(body: &Value) -> u64 {
    let counted = ["system", "tools", "messages"];
    let size: usize = counted.iter().filter_map(|key| body.field(key)).map(said).sum();
    size as u64 / 4
}

/// The bytes of all texts, without media and opaque reasoning.
fn said(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(said).sum(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "data" | "signature" | "encrypted_content"))
            .map(|(_, value)| said(value))
            .sum(),
        _ => 1,
    }
}

/// The bytes of all strings: less than the body, but the body is hardly anything else.
fn bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(|value| bytes(value) + 1).sum(),
        Value::Object(object) => {
            object.iter().map(|(key, value)| key.len() + 4 + bytes(value)).sum()
        }
        _ => 1,
    }
}

/// Whether a body is larger than one may be.
pub(super) fn is_large(body: &Value) -> bool {
    bytes(body) > BODY
}

fn body(request: &Request<'_>, findings: &mut Findings) {
    if request.carried.content_encoding.is_none() && is_large(request.body) {
        findings.add("", TOO_LARGE);
    }
}

fn asked(request: &Request<'_>) -> Option<u64> {
    let asked = request.body.field("max_tokens").and_then(view::whole)?;
    u64::try_from(asked).ok()
}

fn output(request: &Request<'_>, findings: &mut Findings) {
    let most = profile(request.model).max_output;
    let long = request.betas.iter().any(|beta| beta.starts_with("output-"));
    if let Some(asked) = asked(request)
        && asked > most
        && !long
    {
        findings.add(
            "max_tokens",
            format!(
                "max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for {}",
                request.model
            ),
        );
    }
}

/// The context window, which a beta makes larger.
fn context(request: &Request<'_>) -> u64 {
    let large = request.betas.iter().any(|beta| beta.starts_with("context-1m-"));
    if large { 1_000_000 } else { profile(request.model).context }
}

fn prompt(request: &Request<'_>, findings: &mut Findings) {
    let (tokens, most) = (estimate(request.body), context(request));
    if tokens > most && !request.counting {
        let words = format!("prompt is too long: {tokens} tokens > {most} maximum");
        findings.add("messages", words);
    }
}

fn sum(request: &Request<'_>, findings: &mut Findings) {
    let (tokens, most) = (estimate(request.body), context(request));
    let asked = asked(request).unwrap_or_default();
    if profile(request.model).counts_output && tokens <= most && tokens + asked > most {
        findings.add(
            "max_tokens",
            format!(
                "input length and `max_tokens` exceed context limit: {tokens} + {asked} > {most}, decrease input length or `max_tokens` and try again"
            ),
        );
    }
}

fn messages(request: &Request<'_>, findings: &mut Findings) {
    let count = view::messages(request.body).len();
    if count > MESSAGES {
        let words = format!("messages: Array should have at most {MESSAGES} items, not {count}");
        findings.add("messages", words);
    }
}

const BODY: usize = 32 * 1024 * 1024;
const MESSAGES: usize = 100_000;
const TOO_LARGE: &str = "Request exceeds the maximum size";

/// Checked before anything is read.
pub(super) const LARGE: Rule = Rule {
    name: "request-too-large",
    status: 413,
    when: "The body is larger than 32 MB.",
    words: TOO_LARGE,
    evidence: Evidence::Inferred,
    source: "L4; documentation of errors",
    check: body,
};

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "too-many-messages",
        status: 400,
        when: "There are more than 100,000 messages.",
        words: "messages: Array should have at most {most} items, not {count}",
        evidence: Evidence::Inferred,
        source: "L10; documentation of messages",
        check: messages,
    },
    Rule {
        name: "max-tokens-above-cap",
        status: 400,
        when: "More output is asked for than the model can give.",
        words: "max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for {model}",
        evidence: Evidence::Seen,
        source: "L1; public code 71454021584, 62178688544",
        check: output,
    },
    Rule {
        name: "prompt-too-long",
        status: 400,
        when: "The prompt, carefully estimated, does not fit the context window.",
        words: "prompt is too long: {tokens} tokens > {most} maximum",
        evidence: Evidence::Seen,
        source: "L2; many public logs",
        check: prompt,
    },
    Rule {
        name: "input-and-output-too-long",
        status: 400,
        when: "On models before 4.5: prompt and largest output together do not fit the context window.",
        words: "input length and `max_tokens` exceed context limit: {tokens} + {asked} > {most}, decrease input length or `max_tokens` and try again",
        evidence: Evidence::Quoted,
        source: "L3; public code 71458167945",
        check: sum,
    },
];
