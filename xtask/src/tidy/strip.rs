//! Splits Rust source into code, comments and literals without parsing it.

/// What a stretch of source text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentKind {
    Code,
    Comment,
    /// A string, byte string or character, with its quotes.
    Literal,
}

/// The text with comments and literals replaced by spaces. Line breaks stay, so that line numbers do.
pub(super) fn strip_non_code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for (kind, segment) in segments(text) {
        match kind {
            SegmentKind::Code => code.push_str(segment),
            SegmentKind::Comment | SegmentKind::Literal => {
                code.extend(segment.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            }
        }
    }
    code
}

/// Each line of a comment with its number, from 1.
pub(super) fn comment_lines(text: &str) -> Vec<(usize, &str)> {
    let mut number = 1;
    let mut lines = Vec::new();
    for (kind, segment) in segments(text) {
        if kind == SegmentKind::Comment {
            lines.extend(segment.lines().enumerate().map(|(index, line)| (number + index, line)));
        }
        number += segment.matches('\n').count();
    }
    lines
}

/// The whole text in stretches of one kind.
fn segments(text: &str) -> Vec<(SegmentKind, &str)> {
    let mut segments = Vec::new();
    let (mut code_start, mut at) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        let Some((kind, length)) = non_code(&text[at..], &text[..at]) else {
            at += character.len_utf8();
            continue;
        };
        segments.push((SegmentKind::Code, &text[code_start..at]));
        segments.push((kind, &text[at..at + length]));
        at += length;
        code_start = at;
    }
    segments.push((SegmentKind::Code, &text[code_start..]));
    segments
}

/// The comment or literal that `rest` begins with, and its length.
fn non_code(rest: &str, before: &str) -> Option<(SegmentKind, usize)> {
    if rest.starts_with("//") {
        return Some((SegmentKind::Comment, rest.find('\n').unwrap_or(rest.len())));
    }
    if rest.starts_with("/*") {
        return Some((SegmentKind::Comment, comment_len(rest)));
    }
    // `r"…"` begins a literal, the end of `var"…"` does not.
    let at_word_start = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let length = match rest.as_bytes()[0] {
        b'"' => string_len(rest),
        b'\'' => char_literal_len(rest),
        _ => raw_string_len(rest).filter(|_| at_word_start)?,
    };
    Some((SegmentKind::Literal, length))
}

/// The length of a block comment; they nest.
fn comment_len(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of `r"…"`, `br#"…"#` and so on, if one begins here.
fn raw_string_len(text: &str) -> Option<usize> {
    let after = text.strip_prefix(['b', 'c']).unwrap_or(text).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inside = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of `'x'` or `'\…'`; of a lifetime only the quote.
fn char_literal_len(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            text[from..].find('\'').map_or(1, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
