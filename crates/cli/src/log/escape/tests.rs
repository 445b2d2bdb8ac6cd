//! Tests of the escapes in JSON log lines.

use super::*;

#[test]
fn characters_that_terminals_act_on_are_escaped() {
    let line = "{\"model\":\"a\u{7f}b\u{9b}31mc\u{202e}d\u{2029}\u{2066}\"}\n";
    let escaped = escape_controls(line.as_bytes());
    let expected = "{\"model\":\"a\\u007fb\\u009b31mc\\u202ed\\u2029\\u2066\"}\n";
    assert_eq!(String::from_utf8_lossy(&escaped), expected);
    let decode = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
    assert_eq!(decode(&escaped), decode(line.as_bytes()));
}

#[test]
fn other_lines_stay_unchanged() {
    for line in ["{\"model\":\"gpt\"}\n", "{\"model\":\"größe 数 🙂\"}\n"] {
        assert!(matches!(escape_controls(line.as_bytes()), Cow::Borrowed(_)), "{line}");
    }
}
