//! Limits the length of a file, and requires a first line that says what the file does.

use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

/// One idea may fill a file of this length; a longer one is printed as a warning.
const WARN_FILE_LINES: usize = 400;

const MAX_FILE_LINES: usize = 600;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    longer_than(files, MAX_FILE_LINES).collect()
}

/// Files that are long but allowed.
pub(super) fn warnings(files: &[SourceFile]) -> Vec<Diagnostic> {
    longer_than(files, WARN_FILE_LINES).collect()
}

fn longer_than(files: &[SourceFile], limit: usize) -> impl Iterator<Item = Diagnostic> {
    files.iter().filter(|file| file.is_library_code()).filter_map(move |file| {
        let lines = file.lines().count();
        (lines > limit).then(|| {
            let message = format!("{lines} lines; split the file so that each has {limit} at most");
            Diagnostic::new(file, lines, message)
        })
    })
}

pub(super) fn first_line(files: &[SourceFile]) -> Vec<Diagnostic> {
    let says_what_it_is = |file: &&SourceFile| {
        let first = file.text.lines().next().unwrap_or_default();
        first.strip_prefix("//! ").is_some_and(|words| !words.trim().is_empty())
    };
    let in_src =
        |file: &&SourceFile| file.is_rust() && file.path.split('/').any(|part| part == "src");
    let message = "begin the file with a line '//! …' that says what it is";
    let faulty = files.iter().filter(in_src).filter(|file| !says_what_it_is(file));
    faulty.map(|file| Diagnostic::new(file, 1, message)).collect()
}
