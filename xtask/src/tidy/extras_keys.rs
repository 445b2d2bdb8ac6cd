//! Refuses keys with a space among the extra fields: how a client spelled something is a `Spelling`.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let has_extras = |file: &&SourceFile| FOLDERS.iter().any(|folder| file.is_under(folder));
    for file in files.iter().filter(|file| file.is_rust()).filter(has_extras) {
        for (number, line) in file.lines().filter(|(_, line)| names_extra(line)) {
            if let Some(key) = literals(line).find(|text| is_spaced_key(text)) {
                let message = format!(
                    "the extra \"{key}\" has a space: record how a client spelled something as a \
                     `Spelling` or a `WrittenForm`"
                );
                diagnostics.push(Diagnostic::new(file, number, message));
            }
        }
    }
    diagnostics
}

/// Whether the line uses extra fields by their key, or defines a key.
fn names_extra(line: &str) -> bool {
    let is_access =
        |method: &&str| line.split_once(".extras").is_some_and(|(_, rest)| rest.contains(*method));
    let defines = |suffix: &&str| line.contains("const ") && line.contains(*suffix);
    ACCESSORS.iter().any(is_access) || KEY_SUFFIXES.iter().any(defines)
}

/// The string literals of a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

/// Whether the text is words of letters between single spaces.
fn is_spaced_key(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    text.contains(' ') && text.split(' ').all(is_word)
}

const FOLDERS: &[&str] =
    &["crates/model", "crates/dialects", "crates/repair", "crates/guard", "crates/interlingua"];
const ACCESSORS: &[&str] = &[".push(", ".get(", ".retain("];
const KEY_SUFFIXES: &[&str] = &["_KEY:", "_FIELD:", "_EXTRA:", "_MARKER:", "_SPELLING:"];
