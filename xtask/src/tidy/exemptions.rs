//! Lists of crates that do not follow a rule yet.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

/// What is reported of a crate's violations. A crate of the list may have some, and must leave the list
/// as soon as it has none, so that the list only shrinks.
pub(super) fn without_exempt(
    list_name: &str,
    list: &[&str],
    folder: &str,
    files: &[&SourceFile],
    violations: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    match (list.contains(&folder), files.first()) {
        (true, Some(first)) if violations.is_empty() => {
            let message = format!("{folder} follows this rule: remove it from {list_name}");
            vec![Diagnostic::new(first, 1, message)]
        }
        (true, _) => Vec::new(),
        (false, _) => violations,
    }
}
