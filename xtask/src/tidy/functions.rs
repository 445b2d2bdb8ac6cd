//! Limits the length of a function.

use super::diagnostic::Diagnostic;
use super::strip;
use crate::source_files::SourceFile;

const MAX_FUNCTION_LINES: usize = 80;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
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
