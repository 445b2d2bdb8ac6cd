//! Limits the length of files and functions, and requires a first line that says what a file does.

use super::diagnostic::Diagnostic;
use super::strip;
use crate::source_files::SourceFile;

/// One idea may fill a file of this length; a longer one is printed as a warning.
const WARN_FILE_LINES: usize = 400;

const MAX_FILE_LINES: usize = 600;

const MAX_FUNCTION_LINES: usize = 80;

pub(super) fn check_files(files: &[SourceFile]) -> Vec<Diagnostic> {
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

pub(super) fn check_first_lines(files: &[SourceFile]) -> Vec<Diagnostic> {
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

pub(super) fn check_functions(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for file in files.iter().filter(|file| file.is_library_code()) {
        for function in functions(&file.text) {
            if function.lines > MAX_FUNCTION_LINES {
                let Function { name, line, lines } = function;
                let message =
                    format!("fn {name} has {lines} lines; split it, {MAX_FUNCTION_LINES} at most");
                diagnostics.push(Diagnostic::new(file, line, message));
            }
        }
    }
    diagnostics
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    /// From the signature to the closing brace.
    pub(super) lines: usize,
}

/// Every function with a body, nested ones included.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let code = strip::strip_non_code(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = code[at + 3..]
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if let Some(end) = body_end(&code[at..]).filter(|_| !name.is_empty()) {
            let line = code[..at].matches('\n').count() + 1;
            let lines = code[at..at + end].matches('\n').count() + 1;
            found.push(Function { name, line, lines });
        }
    }
    found
}

/// The end of the body; `None` for a signature without one.
fn body_end(code: &str) -> Option<usize> {
    let mut brackets = 0_isize;
    let mut braces = 0_isize;
    for (at, character) in code.char_indices() {
        match character {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces == 0 && brackets == 0 {
                    return Some(at + 1);
                }
                if braces < 0 {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}
