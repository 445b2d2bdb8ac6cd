//! Refuses markers of unfinished work and absolute paths of one machine.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Corpus cases quote what clients sent.
    for file in files.iter().filter(|file| !file.is_under("corpus") && !file.has_extension("lock"))
    {
        for (number, line) in file.lines() {
            if let Some(marker) = UNFINISHED_MARKERS.iter().find(|marker| line.contains(**marker)) {
                let message = format!("'{marker}': finish it, or leave it out and open an issue");
                diagnostics.push(Diagnostic::new(file, number, message));
            }
            if let Some(path) = ABSOLUTE_PREFIXES.iter().find(|prefix| contains_path(line, prefix))
            {
                let message = format!("a path of one machine ('{path}…'): make it relative");
                diagnostics.push(Diagnostic::new(file, number, message));
            }
        }
    }
    diagnostics
}

/// Whether a path starts with the prefix; the same text at the end of a URL does not count.
pub(super) fn contains_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '}' | '…'))
    })
}

// Each is split in two, so that this file passes its own check.
const UNFINISHED_MARKERS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("unimple", "mented!("),
    concat!("to", "do!("),
];

const ABSOLUTE_PREFIXES: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];
