//! How long a function may be.

use super::{Fault, File, code};

const LINES: usize = 80;

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| file.is_room()) {
        for function in functions(&file.text) {
            if function.lines > LINES {
                let Function { name, line, lines } = function;
                let what = format!("fn {name} has {lines} lines; split it, {LINES} at most");
                faults.push(Fault::new(file, line, what));
            }
        }
    }
    faults
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    /// From the signature to the closing brace.
    pub(super) lines: usize,
}

/// Every function that has a body, nested ones too.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let code = code::only(text);
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

/// Where the body closes; `None` for a signature without one.
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
