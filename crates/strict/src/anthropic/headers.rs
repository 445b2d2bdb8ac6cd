//! What stands before the body: version, betas, the model; and how the API says that a body is no JSON.

use super::profile;
use crate::{Evidence, Findings, Request, Rule};

/// The versions there are.
pub(super) const VERSIONS: &[&str] = &["2023-01-01", "2023-06-01", NEW_VERSION];
const NEW_VERSION: &str = "2026-10-21";
const NO_VERSION: &str = "anthropic-version: header is required";

/// Whether the request is made under the newest version of the API.
pub(super) fn is_new(request: &Request<'_>) -> bool {
    request.version == Some(NEW_VERSION)
}

/// The parser's complaint in the provider's words, where those are known.
pub(super) fn said(complaint: &str) -> String {
    let Some((what, place)) = complaint.rsplit_once(" at line ") else {
        return complaint.to_owned();
    };
    let what = if what.contains("surrogate") || what.contains("end of hex escape") {
        "no low surrogate in string"
    } else {
        what
    };
    let mut place = place.split(" column ").map(str::parse::<usize>);
    match (place.next(), place.next()) {
        // The provider counts characters from 0; beyond the first line that takes the text.
        (Some(Ok(1)), Some(Ok(column))) => {
            format!("{what}: line 1 column {column} (char {})", column.saturating_sub(1))
        }
        (Some(Ok(line)), Some(Ok(column))) => format!("{what}: line {line} column {column}"),
        _ => complaint.to_owned(),
    }
}

fn version(request: &Request<'_>, findings: &mut Findings) {
    if request.version == Some("") {
        findings.add("anthropic-version", NO_VERSION);
    } else if let Some(version) = request.version.filter(|version| !VERSIONS.contains(version)) {
        let words = format!("anthropic-version: \"{version}\" is not a valid version");
        findings.add("anthropic-version", words);
    }
}

fn betas(request: &Request<'_>, findings: &mut Findings) {
    let known = |beta: &&&str| BETAS.contains(&name(beta));
    let unknown: Vec<_> = request.betas.iter().filter(|beta| !known(beta)).copied().collect();
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.iter().map(|name| format!("`{name}`")).collect();
        findings.add(
            "anthropic-beta",
            format!(
                "Unexpected value(s) {} for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again without the header.",
                names.join(", ")
            ),
        );
    }
}

/// A beta without its date: dates move on, and the names are what is known.
fn name(beta: &str) -> &str {
    let date = |c: char| c.is_ascii_digit() || c == '-';
    let bare = beta.trim_end_matches(date);
    let digits = beta[bare.len()..].chars().filter(char::is_ascii_digit).count();
    if digits == 8 { bare } else { beta }
}

fn model(request: &Request<'_>, findings: &mut Findings) {
    if !profile::is_known(request.model) {
        findings.add("model", format!("model: {}", request.model));
    }
}

pub(super) const RULES: [Rule; 2] = [
    Rule {
        name: "unknown-version",
        status: 400,
        when: "The version of the API is none that exists, or is not given.",
        words: "anthropic-version: \"{version}\" is not a valid version\nanthropic-version: header is required",
        evidence: Evidence::Seen,
        source: "public logs 70232596489, 55139276041; the first wording is ours",
        check: version,
    },
    Rule {
        name: "unknown-beta",
        status: 400,
        when: "The beta header names something unknown.",
        words: "Unexpected value(s) {names} for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again without the header.",
        evidence: Evidence::Documented,
        source: "H1; documentation of beta headers",
        check: betas,
    },
];

/// Checked once the request is known to be one.
pub(super) const MODEL: Rule = Rule {
    name: "unknown-model",
    status: 404,
    when: "The model is another vendor's, or retired long ago.",
    words: "model: {model}",
    evidence: Evidence::Quoted,
    source: "H5",
    check: model,
};

/// Betas that the SDK's types or current clients name.
const BETAS: &[&str] = &[
    "admin-user-sign-out",
    "advanced-tool-use",
    "advisor-tool",
    "agent-memory",
    "analytics-usage-cost",
    "cache-diagnosis",
    "ce-plugins",
    "ce-user-management",
    "claude-code",
    "code-execution",
    "compact",
    "computer-use",
    "context-1m",
    "context-management",
    "dev-full-thinking",
    "dreaming",
    "effort",
    "experimental-claude-tag",
    "extended-cache-ttl",
    "fallback-credit",
    "fast-mode",
    "files-api",
    "fine-grained-tool-streaming",
    "inline-tools",
    "interleaved-thinking",
    "managed-agents",
    "max-tokens-3-5-sonnet",
    "mcp-client",
    "mcp-tunnels",
    "message-batches",
    "message-threads",
    "mid-conversation-output-config",
    "mid-conversation-system-clear-at",
    "mid-conversation-tool-changes",
    "model-context-window-exceeded",
    "oauth",
    "output-128k",
    "output-300k",
    "pdfs",
    "per-turn-control",
    "prompt-caching",
    "prompt-caching-scope",
    "redact-thinking",
    "server-side-fallback",
    "skills",
    "spend-limit-reads",
    "structured-outputs",
    "task-budgets",
    "telemetry-destinations",
    "thinking-binding-controls",
    "thinking-display-updates",
    "thinking-token-count",
    "token-counting",
    "token-efficient-tools",
    "tools",
    "user-profiles",
    "web-fetch",
    "web-search",
    "webhooks",
];
