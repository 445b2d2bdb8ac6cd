//! Rejections: the error messages of the judges' rules are parsed into the expected lesson kinds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::find_dialect;
use interlingua_model::Lesson;
use interlingua_repair::rejection::{self, RejectionKind};
use interlingua_strict::{ALL, Judge, Rule, Violation};

/// The rules that a lesson can solve: judge, rule, parsed kind of rejection.
const EXPECTED_COMPLAINTS: &[(&str, &str, &str)] = &[
    ("anthropic", "thinking-display", "field"),
    ("anthropic", "block-binding-without-beta", "field"),
    ("anthropic", "cached-thinking", "field"),
    ("anthropic", "cache-control-key", "field"),
    ("anthropic", "extra-input", "field"),
    ("anthropic", "removed-sampling", "field"),
    ("anthropic", "deprecated-sampling", "field"),
    ("anthropic", "sampling-while-thinking", "field"),
    ("anthropic", "temperature-and-top-p", "field"),
    ("anthropic", "no-effort", "field"),
    ("anthropic", "manual-thinking", "thinking=adaptive"),
    ("anthropic", "adaptive-thinking", "thinking=budget"),
    ("anthropic", "disabled-thinking", "thinking=always"),
    ("anthropic", "thinking-between-tools", "thinking=between-tools"),
    ("anthropic", "no-thinking-between-tools", "thinking=off"),
    ("anthropic", "forced-while-thinking", "thinking=unforced"),
    ("anthropic", "deepseek-forced-choice", "thinking=unforced"),
    ("anthropic", "cached-empty-text", "empty-text"),
    ("anthropic", "empty-text", "empty-text"),
    ("anthropic", "empty-result-text", "empty-text"),
    ("anthropic", "blank-text", "empty-text"),
    ("anthropic", "image-too-large", "image-size=7"),
    ("anthropic", "image-dimensions", "image"),
    ("anthropic", "max-tokens-above-cap", "max-tokens=7"),
    ("anthropic", "thinking-first", "thinking=first"),
    ("anthropic", "thinking-expected", "thinking=opens-loop"),
    ("anthropic", "invalid-signature", "seal"),
    ("anthropic", "invalid-redacted", "seal"),
    ("anthropic", "modified-thinking", "modified"),
    ("anthropic", "changed-prefix", "prefix"),
    ("openai-chat", "unknown-parameter", "field"),
    ("openai-chat", "unknown-message-field", "field"),
    ("openai-chat", "mistral-extra-field", "field"),
    // It is parsed as a field, but no lesson drops a role.
    ("openai-chat", "unknown-role", "role"),
    ("openai-chat", "groq-unsupported-property", "field"),
    ("openai-chat", "cerebras-unsupported-property", "field"),
    ("openai-chat", "max-tokens", "field as"),
    ("openai-chat", "max-tokens-above-cap", "max-tokens=7"),
    ("openai-chat", "alternation", "roles=alternate"),
    ("openai-chat", "temperature", "field"),
    ("openai-chat", "moonshot-temperature", "field"),
    ("openai-chat", "stop", "field"),
    ("openai-chat", "effort", "field"),
    ("openai-chat", "verbosity", "field"),
    ("openai-chat", "xai-parameter", "field"),
    ("openai-chat", "reasoning-parameter", "field"),
    ("openai-chat", "gemini-compat-parameter", "field"),
    ("openai-chat", "forced-choice", "thinking=unforced"),
    ("openai-chat", "gemini-compat-schema-key", "field"),
    ("openai-chat", "deepseek-reasoning", "thinking=echo"),
    ("openai-chat", "moonshot-reasoning", "thinking=echo"),
    ("openai-chat", "groq-reasoning", "field"),
    ("openai-chat", "openrouter-signature", "sealed"),
    ("openai-chat", "openrouter-thought-signature", "seal"),
    ("openai-chat", "openrouter-encrypted-content", "seal"),
    ("openai-chat", "gemini-compat-signature", "seal"),
    ("openai-responses", "codex-parameter", "field"),
    ("openai-responses", "moved-parameter", "field as"),
    ("openai-responses", "unknown-parameter", "field"),
    ("openai-responses", "unknown-field", "field"),
    ("openai-responses", "effort-unsupported", "field"),
    ("openai-responses", "reasoning-unsupported", "field"),
    ("openai-responses", "verbosity-unsupported", "field"),
    ("openai-responses", "sampling-unsupported", "field"),
    ("openai-responses", "encrypted-content", "seal"),
    ("gemini", "unknown-field", "field"),
    ("gemini", "unknown-schema-key", "field"),
    ("gemini", "call-id", "field"),
    ("gemini", "budget-and-level", "field"),
    ("gemini", "no-thinking-level", "field"),
    ("gemini", "thinking-only", "thinking=least"),
    ("gemini", "corrupted-signature", "seal"),
    ("bedrock", "extraneous-field", "field"),
    // Bedrock encodes this field of a block differently.
    ("bedrock", "cached-thinking", ""),
    ("bedrock", "blank-text", "empty-text"),
    ("bedrock", "reasoning-text", "thinking=redacted"),
    ("bedrock", "image-too-large", "image-size=7"),
];

/// Substrings of messages of these rules that are about a value, not a field.
const OTHER_WORDINGS: &[&str] = &[
    "Input should be",
    "invalid reasoning value",
    "must be between 0 and 1",
    "Proto field is not repeating",
];

/// What llama.cpp says of any part; other servers' messages of the same rule name no medium.
const UNSUPPORTED_PART: &str = "unsupported content[].type";

#[test]
fn the_message_of_every_rule_is_parsed_as_expected() {
    let mut failures = Vec::new();
    for judge in ALL {
        for rule in judge.rules.iter() {
            let row = EXPECTED_COMPLAINTS
                .iter()
                .find(|(dialect, name, _)| *dialect == judge.dialect && *name == rule.name);
            let relayed = (judge.dialect == "bedrock").then(|| {
                EXPECTED_COMPLAINTS
                    .iter()
                    .find(|(dialect, name, _)| *dialect == "anthropic" && *name == rule.name)
            });
            let expected = row.or_else(|| relayed.flatten()).map_or("", |row| row.2);
            for message in sample_messages(judge, rule) {
                let expected = if OTHER_WORDINGS.iter().any(|other| message.contains(other)) {
                    ""
                } else if message == UNSUPPORTED_PART {
                    "document=none"
                } else {
                    expected
                };
                let parsed = parse_complaint(judge, rule, &message);
                if !matches_expected(&parsed, expected) {
                    let (dialect, name) = (judge.dialect, rule.name);
                    failures
                        .push(format!("{dialect} {name}: `{parsed}`, not `{expected}`: {message}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
}

fn matches_expected(parsed: &str, expected: &str) -> bool {
    match expected {
        "image" => parsed.starts_with("image-side=") || parsed.starts_with("crowd-side="),
        "role" => ["", "field"].contains(&parsed),
        "sealed" => ["seal", "modified", "prefix"].contains(&parsed),
        _ => parsed == expected,
    }
}

/// The messages of a rule, with a value for each placeholder.
fn sample_messages(judge: &Judge, rule: &Rule) -> Vec<String> {
    let mut messages: Vec<String> = rule.error_message.lines().map(str::to_owned).collect();
    if judge.dialect == "bedrock" && rule.error_message.contains("{words}") {
        let other = ALL[0].rule(rule.name).unwrap();
        let relay = |message: &str| rule.error_message.replace("{words}", message);
        messages = other.error_message.lines().map(relay).collect();
    }
    messages.iter().map(|message| fill_placeholders(message)).collect()
}

fn fill_placeholders(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let name = &rest[open + 1..open + length];
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        out.push_str(&rest[..open]);
        match name {
            "path" | "at" | "place" => out.push_str("metadata.0.thing"),
            "words" | "what" => out.push_str("`signature` in `thinking`"),
            "n" | "m" | "index" | "sent" | "bytes" | "most" | "pixels" | "limit" | "count"
            | "value" => {
                out.push('7');
            }
            _ if is_name => out.push_str("thing"),
            _ => out.push_str(&rest[open..=open + length]),
        }
        rest = &rest[open + length + 1..];
    }
    out + rest
}

fn parse_complaint(judge: &Judge, rule: &Rule, message: &str) -> String {
    let rule_flavor = judge.flavors.iter().find(|flavor| rule.name.starts_with(**flavor));
    let flavor = rule_flavor.copied().unwrap_or(judge.flavors[0]);
    let violation = Violation {
        rule: rule.name,
        status: rule.status,
        path: "metadata.0.thing".to_owned(),
        message: message.to_owned(),
        param: Some("metadata.thing".to_owned()),
        code: None,
    };
    let body = (judge.envelope)(&violation, flavor).to_string();
    let dialect = find_dialect(judge.dialect).unwrap();
    let error = dialect.decode_error(rule.status, body.as_bytes());
    let Some(rejection) = rejection::parse(dialect.id(), &error) else { return String::new() };
    match rejection.kind {
        RejectionKind::EmptyText => "empty-text".to_owned(),
        RejectionKind::Seal => "seal".to_owned(),
        RejectionKind::ModifiedReasoning => "modified".to_owned(),
        RejectionKind::ModifiedPrefix => "prefix".to_owned(),
        RejectionKind::Reasoning(reasoning_constraint) => {
            Lesson::Reasoning(reasoning_constraint).to_string()
        }
        RejectionKind::Image(limit) => Lesson::Image(limit).to_string(),
        RejectionKind::MaxTokens(limit) => Lesson::MaxTokens(limit).to_string(),
        RejectionKind::RoleOrder => Lesson::AlternateRoles.to_string(),
        RejectionKind::WebSearch => Lesson::NoWebSearch.to_string(),
        RejectionKind::Media(kind) => Lesson::NoMedia(kind).to_string(),
        RejectionKind::Field { rename_to: None } => "field".to_owned(),
        RejectionKind::Field { rename_to: Some(_) } => "field as".to_owned(),
    }
}
