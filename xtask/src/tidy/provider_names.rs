//! Keeps provider names out of the crates below the dialects.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

const FOLDERS: &[&str] = &["crates/wire/src", "crates/model/src"];

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let in_folder = |file: &&SourceFile| FOLDERS.iter().any(|folder| file.is_under(folder));
    for file in files.iter().filter(in_folder) {
        for (number, line) in file.lines() {
            if let Some(name) = find_provider(line) {
                let message = format!(
                    "'{name}' is a provider: this crate must not name one; move the fact to its dialect"
                );
                diagnostics.push(Diagnostic::new(file, number, message));
            }
        }
    }
    diagnostics
}

/// The first provider that the line names, also as part of an identifier.
pub(super) fn find_provider(line: &str) -> Option<&'static str> {
    let line = line.to_lowercase();
    let whole = |name: &&&str| {
        line.match_indices(**name).any(|(at, found)| {
            let before = line[..at].chars().next_back();
            let after = line[at + found.len()..].chars().next();
            ![before, after].into_iter().flatten().any(char::is_alphabetic)
        })
    };
    let long = SUBSTRINGS.iter().find(|name| line.contains(**name));
    long.or_else(|| WHOLE_WORDS.iter().find(whole)).copied()
}

/// Matched anywhere in a word.
const SUBSTRINGS: &[&str] = &[
    "anthropic",
    "bedrock",
    "claude",
    "deepseek",
    "gemini",
    "google",
    "mistral",
    "moonshot",
    "ollama",
    "openai",
    "openrouter",
    "vertexai",
];

/// Matched as whole words only, because longer words contain them.
const WHOLE_WORDS: &[&str] =
    &["azure", "glm", "gpt", "groq", "kimi", "llama", "qwen", "vllm", "xai"];
