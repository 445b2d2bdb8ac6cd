//! Refuses tabs, spaces at the end of a line and a missing newline at the end of a file.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    // Corpus cases are compared byte by byte.
    for file in files.iter().filter(|file| !file.is_under("corpus")) {
        for (number, line) in file.lines() {
            if line.contains('\t') {
                diagnostics.push(Diagnostic::new(
                    file,
                    number,
                    "a tab: use spaces, or '\\t' in a literal",
                ));
            }
            if line.ends_with(char::is_whitespace) {
                diagnostics.push(Diagnostic::new(
                    file,
                    number,
                    "space at the end of the line: remove it",
                ));
            }
        }
        if file.text.contains('\r') {
            diagnostics.push(Diagnostic::new(
                file,
                1,
                "carriage returns: end lines with a newline alone",
            ));
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            let last = file.lines().count();
            diagnostics.push(Diagnostic::new(
                file,
                last,
                "no newline at the end of the file: add one",
            ));
        }
    }
    diagnostics
}
