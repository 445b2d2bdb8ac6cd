//! Patterns of schemas, written for JavaScript and run by an engine that takes linear time.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// A pattern that could be compiled. Others are not checked.
pub(super) struct Pattern {
    regex: Regex,
    pub(super) written: String,
}

impl Pattern {
    pub(super) fn compile(written: &str) -> Option<Self> {
        if written.len() > LONGEST {
            return None;
        }
        let regex = RegexBuilder::new(&translated(written)?)
            .size_limit(LARGEST)
            .dfa_size_limit(LARGEST)
            .nest_limit(DEEPEST)
            .build()
            .ok()?;
        Some(Self { regex, written: written.to_owned() })
    }

    /// Whether it is found in a text; `None` where the text is too long to look.
    pub(super) fn is_in(&self, text: &str) -> Option<bool> {
        (text.len() <= LONGEST_TEXT).then(|| self.regex.is_match(text))
    }
}

/// What the two languages spell differently. `None` where a meaning would change unseen.
fn translated(written: &str) -> Option<String> {
    let mut out = String::with_capacity(written.len() + 8);
    let mut letters = written.chars().peekable();
    let mut class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let next = letters.next()?;
                match (next, class) {
                    ('d', false) => out.push_str("[0-9]"),
                    ('d', true) => out.push_str("0-9"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('w', false) => out.push_str("[A-Za-z0-9_]"),
                    ('w', true) => out.push_str("A-Za-z0-9_"),
                    ('W', false) => out.push_str("[^A-Za-z0-9_]"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('b', true) => out.push_str("\\x08"),
                    // What is left of letters and digits means something here that it does not there.
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
            '[' if class => out.push_str("\\["),
            '&' | '~' if class => {
                out.push('\\');
                out.push(letter);
            }
            '[' => {
                class = true;
                out.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // There, a class may be empty.
                if letters.peek() == Some(&']') {
                    return None;
                }
            }
            ']' if class => {
                class = false;
                out.push(']');
            }
            ']' => out.push_str("\\]"),
            // A dollar there is the very end; here, too, without the multi-line flag.
            _ => out.push(letter),
        }
    }
    Some(out)
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// Bytes of a pattern, of its program, and of a text it is looked for in. Together they bound what
/// the slowest search takes.
const LONGEST: usize = 1024;
const LARGEST: usize = 64 * 1024;
const LONGEST_TEXT: usize = 16 * 1024;
const DEEPEST: u32 = 32;
