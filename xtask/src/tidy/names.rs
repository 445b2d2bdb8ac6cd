//! Provider names stay in their dialect's folder: the lower rooms know none.

use super::{Fault, File};

const FOLDERS: &[&str] = &["crates/wire/src", "crates/model/src"];

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let in_folder = |file: &&File| FOLDERS.iter().any(|folder| file.under(folder));
    for file in files.iter().filter(in_folder) {
        for (number, line) in file.lines() {
            if let Some(name) = provider(line) {
                let what = format!("'{name}' is a provider: say it without, or in its dialect");
                faults.push(Fault::new(file, number, what));
            }
        }
    }
    faults
}

/// The first provider that the line names, as part of any identifier.
pub(super) fn provider(line: &str) -> Option<&'static str> {
    let line = line.to_lowercase();
    let whole = |name: &&&str| {
        line.match_indices(**name).any(|(at, found)| {
            let before = line[..at].chars().next_back();
            let after = line[at + found.len()..].chars().next();
            ![before, after].into_iter().flatten().any(char::is_alphabetic)
        })
    };
    let long = LONG.iter().find(|name| line.contains(**name));
    long.or_else(|| SHORT.iter().find(whole)).copied()
}

/// Found anywhere in a word.
const LONG: &[&str] = &[
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

/// Only as words of their own: other words hold them.
const SHORT: &[&str] = &["azure", "glm", "gpt", "groq", "kimi", "llama", "qwen", "vllm", "xai"];
