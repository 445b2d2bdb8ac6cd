//! Every control character, in text and in bytes.

use std::borrow::Cow;

use super::{escape, escape_bytes, escape_line};

fn control_chars() -> impl Iterator<Item = char> {
    let ranges = ['\0'..='\u{1f}', '\u{7f}'..='\u{9f}', '\u{202a}'..='\u{202e}'];
    ranges.into_iter().flatten().chain('\u{2066}'..='\u{2069}')
}

#[test]
fn every_control_character_is_escaped_as_in_json() {
    for c in control_chars() {
        let text = format!("a{c}b");
        let escaped = escape_line(&text);
        assert!(escaped.chars().all(|c| c.is_ascii_graphic()), "{c:?}: {escaped:?}");
        let parsed: String = serde_json::from_str(&format!("\"{escaped}\"")).expect("JSON");
        assert_eq!(parsed, text);
        let is_layout = matches!(c, '\n' | '\t');
        assert_eq!(escape(&text), if is_layout { Cow::Borrowed(&*text) } else { escaped });
    }
    assert_eq!(escape("\u{1b}]52;c;cHdu\u{7}"), "\\u001b]52;c;cHdu\\u0007");
}

#[test]
fn other_text_is_not_copied() {
    let text = "naïve 日本語 👩‍💻 \u{200f}שלום\n\tcafé\r\n";
    assert!(matches!(escape(text), Cow::Borrowed(same) if same == text));
    assert_eq!(escape("100 %\rforged"), "100 %\\rforged");
}

#[test]
fn bytes_that_are_not_text_are_shown_in_hexadecimal() {
    assert_eq!(&*escape_bytes(b"a\x9b31m\xe2\x1b"), b"a\\x9b31m\\xe2\\u001b");
    assert_eq!(&*escape_bytes("\u{9b}é".as_bytes()), "\\u009bé".as_bytes());
}
