//! The ladder reads the words of every rule of the judge that it is for, and of no other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::find;
use interlingua::model::Lesson;
use interlingua::repair::ladder::{self, Kind};
use interlingua_strict::{ALL, Judge, Rule, Violation};

/// The rules that are about what a ladder is for, by judge; and what each is read as.
const READ: &[(&str, &str, &str)] = &[
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
    // It is read so, and no rung leaves a role out.
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
    // A field of a turn is written in another way there.
    ("bedrock", "cached-thinking", ""),
    ("bedrock", "blank-text", "empty-text"),
    ("bedrock", "reasoning-text", "thinking=redacted"),
    ("bedrock", "image-too-large", "image-size=7"),
];

/// Wordings of those rules that are about something else: a value, not a field.
const ELSE: &[&str] = &[
    "Input should be",
    "invalid reasoning value",
    "must be between 0 and 1",
    "Proto field is not repeating",
];

#[test]
fn the_words_of_every_rule_are_read_as_what_they_are() {
    let mut wrong = Vec::new();
    for judge in ALL {
        for rule in judge.rules {
            let known =
                READ.iter().find(|(of, name, _)| *of == judge.dialect && *name == rule.name);
            let relayed = (judge.dialect == "bedrock").then(|| {
                READ.iter().find(|(of, name, _)| *of == "anthropic" && *name == rule.name)
            });
            let expected = known.or_else(|| relayed.flatten()).map_or("", |row| row.2);
            for words in wordings(judge, rule) {
                let expected =
                    if ELSE.iter().any(|other| words.contains(other)) { "" } else { expected };
                let read = read(judge, rule, &words);
                if !fits(&read, expected) {
                    let (dialect, name) = (judge.dialect, rule.name);
                    wrong.push(format!("{dialect} {name}: `{read}`, not `{expected}`: {words}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

fn fits(read: &str, expected: &str) -> bool {
    match expected {
        "image" => read.starts_with("image-side=") || read.starts_with("crowd-side="),
        "role" => ["", "field"].contains(&read),
        "sealed" => ["seal", "modified", "prefix"].contains(&read),
        _ => read == expected,
    }
}

/// The words of a rule, with something in each gap.
fn wordings(judge: &Judge, rule: &Rule) -> Vec<String> {
    let mut words: Vec<String> = rule.words.lines().map(str::to_owned).collect();
    if judge.dialect == "bedrock" && rule.words.contains("{words}") {
        let other = ALL[0].rule(rule.name).unwrap();
        let said = |words: &str| rule.words.replace("{words}", words);
        words = other.words.lines().map(said).collect();
    }
    words.iter().map(|words| filled(words)).collect()
}

fn filled(words: &str) -> String {
    let mut out = String::new();
    let mut rest = words;
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

fn read(judge: &Judge, rule: &Rule, words: &str) -> String {
    let own = judge.flavors.iter().find(|flavor| rule.name.starts_with(**flavor));
    let flavor = own.copied().unwrap_or(judge.flavors[0]);
    let violation = Violation {
        rule: rule.name,
        status: rule.status,
        path: "metadata.0.thing".to_owned(),
        message: words.to_owned(),
        param: Some("metadata.thing".to_owned()),
        code: None,
    };
    let body = (judge.envelope)(&violation, flavor).to_string();
    let dialect = find(judge.dialect).unwrap();
    let failure = dialect.decode_error(rule.status, body.as_bytes());
    let Some(complaint) = ladder::read(dialect.id(), &failure) else { return String::new() };
    match complaint.kind {
        Kind::EmptyText => "empty-text".to_owned(),
        Kind::Seal => "seal".to_owned(),
        Kind::Modified => "modified".to_owned(),
        Kind::Prefix => "prefix".to_owned(),
        Kind::Thinking(habit) => Lesson::Thinking(habit).to_string(),
        Kind::Image(limit) => Lesson::Image(limit).to_string(),
        Kind::Length(most) => Lesson::Length(most).to_string(),
        Kind::Roles => Lesson::Alternation.to_string(),
        Kind::Search => Lesson::NoSearch.to_string(),
        Kind::Field { instead: None } => "field".to_owned(),
        Kind::Field { instead: Some(_) } => "field as".to_owned(),
    }
}
