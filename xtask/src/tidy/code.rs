//! Rust source with everything that is not code blanked out, so that braces can be counted.

/// The text with comments and the insides of literals replaced by spaces. Lines stay where they are.
pub(super) fn only(text: &str) -> String {
    let mut out = Blank { rest: text, out: String::with_capacity(text.len()) };
    while let Some(character) = out.rest.chars().next() {
        if out.rest.starts_with("//") {
            out.blank(out.rest.find('\n').unwrap_or(out.rest.len()));
        } else if out.rest.starts_with("/*") {
            out.blank(comment(out.rest));
        } else if let Some(length) = raw_string(out.rest).filter(|_| out.at_word_start()) {
            out.blank(length);
        } else if character == '"' {
            out.blank(string(out.rest));
        } else if character == '\'' {
            out.blank(character_literal(out.rest));
        } else {
            out.keep(character);
        }
    }
    out.out
}

struct Blank<'t> {
    rest: &'t str,
    out: String,
}

impl Blank<'_> {
    fn keep(&mut self, character: char) {
        self.out.push(character);
        self.rest = &self.rest[character.len_utf8()..];
    }

    fn blank(&mut self, bytes: usize) {
        let (gone, rest) = self.rest.split_at(bytes);
        self.out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }

    /// `r"…"` begins a literal, the end of `var"…"` does not.
    fn at_word_start(&self) -> bool {
        !self.out.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

/// The length of a block comment; they nest.
fn comment(text: &str) -> usize {
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
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix(['b', 'c']).unwrap_or(text).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inside = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

fn string(text: &str) -> usize {
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
fn character_literal(text: &str) -> usize {
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
