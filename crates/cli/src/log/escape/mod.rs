//! Escapes characters in JSON log lines that JSON permits and terminals act on.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use tracing_subscriber::fmt::MakeWriter;

/// A writer of JSON lines; escapes them before they are written.
pub(super) struct EscapedJson<W>(pub(super) W);

impl<W: Write> Write for EscapedJson<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(&escape_controls(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'w, W: MakeWriter<'w>> MakeWriter<'w> for EscapedJson<W> {
    type Writer = EscapedJson<W::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        EscapedJson(self.0.make_writer())
    }
}

/// Control characters beyond those that JSON escapes occur only in its strings.
fn escape_controls(line: &[u8]) -> Cow<'_, [u8]> {
    if line.iter().all(|byte| byte.is_ascii() && *byte != DELETE) {
        return line.into();
    }
    let text = String::from_utf8_lossy(line);
    if !text.contains(is_acted_on) {
        return line.into();
    }
    let mut escaped = String::with_capacity(line.len() + 64);
    for character in text.chars() {
        if is_acted_on(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped.into_bytes().into()
}

/// DEL, C1, line separators, and marks that change the direction of text. All are in the basic
/// plane, so one escape is enough.
fn is_acted_on(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

const DELETE: u8 = 0x7f;

#[cfg(test)]
mod tests;
