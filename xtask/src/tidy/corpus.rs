//! Checks that every corpus case parses and has its `about` and `source`.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

const REQUIRED: &[&str] = &["about", "source"];

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    files.iter().filter(|file| is_case(file)).flat_map(check_case).collect()
}

/// A JSON file in a folder of the corpus; the files at its root describe the corpus itself.
fn is_case(file: &SourceFile) -> bool {
    file.has_extension("json") && file.is_under("corpus") && file.path.matches('/').count() > 1
}

/// Values stay raw: cases contain JSON that a stricter reader refuses, such as lone surrogates.
pub(super) fn check_case(file: &SourceFile) -> Vec<Diagnostic> {
    let case: BTreeMap<String, Box<RawValue>> = match serde_json::from_str(&file.text) {
        Ok(case) => case,
        Err(error) => {
            let message = format!("not a JSON object: {error}");
            return vec![Diagnostic::new(file, error.line().max(1), message)];
        }
    };
    let has_sentence = |key: &str| {
        let value = case.get(key).map_or("", |value| value.get());
        value.starts_with('"') && !value.trim_matches(['"', ' ']).is_empty()
    };
    let lacking = REQUIRED.iter().filter(|key| !has_sentence(key));
    lacking.map(|key| Diagnostic::new(file, 1, format!("add \"{key}\": a sentence"))).collect()
}
