//! Rules about headers (API version, betas), the model name, and bodies that are not JSON.

use super::profile;
use crate::{CheckContext, Request};

pub(super) const API_VERSIONS: &[&str] = &["2023-01-01", "2023-06-01", NEWEST_VERSION];
const NEWEST_VERSION: &str = "2026-10-21";

/// Whether the request uses the newest API version.
pub(super) fn is_newest_version(request: &Request<'_>) -> bool {
    request.version == Some(NEWEST_VERSION)
}

/// The provider's error message for a JSON parser error, where the provider's wording is known.
pub(super) fn json_error_message(parser_error: &str) -> String {
    let Some((error, location)) = parser_error.rsplit_once(" at line ") else {
        return parser_error.to_owned();
    };
    let error = if error.contains("surrogate") || error.contains("end of hex escape") {
        "no low surrogate in string"
    } else {
        error
    };
    let mut location = location.split(" column ").map(str::parse::<usize>);
    match (location.next(), location.next()) {
        // The provider counts characters from 0; beyond the first line, that needs the body.
        (Some(Ok(1)), Some(Ok(column))) => {
            format!("{error}: line 1 column {column} (char {})", column.saturating_sub(1))
        }
        (Some(Ok(line)), Some(Ok(column))) => format!("{error}: line {line} column {column}"),
        _ => parser_error.to_owned(),
    }
}

pub(super) fn unknown_version(request: &Request<'_>, cx: &mut CheckContext) {
    if request.version == Some("") {
        cx.reject("anthropic-version", cx.case("missing-version"));
    } else if let Some(version) = request.version.filter(|version| !API_VERSIONS.contains(version))
    {
        let message = format!("anthropic-version: \"{version}\" is not a valid version");
        cx.reject("anthropic-version", message);
    }
}

pub(super) fn unknown_beta(request: &Request<'_>, cx: &mut CheckContext) {
    let is_known = |beta: &&&str| KNOWN_BETAS.contains(&beta_name(beta));
    let unknown: Vec<_> = request.betas.iter().filter(|beta| !is_known(beta)).copied().collect();
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.iter().map(|name| format!("`{name}`")).collect();
        cx.reject(
            "anthropic-beta",
            format!(
                "Unexpected value(s) {} for the `anthropic-beta` header. Please consult our documentation at platform.claude.com/docs or try again without the header.",
                names.join(", ")
            ),
        );
    }
}

/// A beta's name without its date: the dates change, only the names are known.
fn beta_name(beta: &str) -> &str {
    let is_date_char = |c: char| c.is_ascii_digit() || c == '-';
    let name = beta.trim_end_matches(is_date_char);
    let digits = beta[name.len()..].chars().filter(char::is_ascii_digit).count();
    if digits == 8 { name } else { beta }
}

pub(super) fn unknown_model(request: &Request<'_>, cx: &mut CheckContext) {
    if !profile::is_known(request.model) {
        cx.reject("model", format!("model: {}", request.model));
    }
}

/// Betas in the SDK's types and in current clients.
const KNOWN_BETAS: &[&str] = &[
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
