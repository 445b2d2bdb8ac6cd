//! Runs a schema's JavaScript patterns with a linear-time regex engine.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// A compiled pattern. Patterns that cannot be compiled are not checked.
pub(super) struct Pattern {
    regex: Regex,
    pub(super) source: String,
}

impl Pattern {
    pub(super) fn compile(source: &str) -> Option<Self> {
        if source.len() > MAX_PATTERN_BYTES {
            return None;
        }
        let regex = RegexBuilder::new(&translate_from_js(source)?)
            .size_limit(MAX_PROGRAM_BYTES)
            .dfa_size_limit(MAX_PROGRAM_BYTES)
            .nest_limit(MAX_NESTING)
            .build()
            .ok()?;
        Some(Self { regex, source: source.to_owned() })
    }

    /// Whether a text matches; `None` if it is too long.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        (text.len() <= MAX_TEXT_BYTES).then(|| self.regex.is_match(text))
    }
}

/// Translates JavaScript regex syntax to that of the `regex` crate; `None` where the meaning would
/// change.
fn translate_from_js(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 8);
    let mut letters = source.chars().peekable();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let next = letters.next()?;
                match (next, in_class) {
                    ('d', false) => out.push_str("[0-9]"),
                    ('d', true) => out.push_str("0-9"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('w', false) => out.push_str("[A-Za-z0-9_]"),
                    ('w', true) => out.push_str("A-Za-z0-9_"),
                    ('W', false) => out.push_str("[^A-Za-z0-9_]"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('b', true) => out.push_str("\\x08"),
                    // Other letters and digits have different meanings in the two syntaxes.
                    ('n' | 'r' | 't' | 'f' | 'v' | 's' | 'S' | 'p' | 'P' | 'u' | 'x', _) => {
                        out.push('\\');
                        out.push(next);
                    }
                    (other, _) if other.is_alphanumeric() => return None,
                    (other, _) if other.is_ascii_punctuation() => {
                        out.push('\\');
                        out.push(other);
                    }
                    (other, _) => out.push(other),
                }
            }
            '[' if in_class => out.push_str("\\["),
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            '[' => {
                in_class = true;
                out.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // An empty class is valid only in JavaScript.
                if letters.peek() == Some(&']') {
                    return None;
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            ']' => out.push_str("\\]"),
            // `$` matches only the very end in both, without the multi-line flag.
            _ => out.push(letter),
        }
    }
    Some(out)
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Limits of a pattern, its compiled program and the matched text. Together they bound the slowest
/// match.
const MAX_PATTERN_BYTES: usize = 1024;
const MAX_PROGRAM_BYTES: usize = 64 * 1024;
const MAX_TEXT_BYTES: usize = 16 * 1024;
const MAX_NESTING: u32 = 32;
