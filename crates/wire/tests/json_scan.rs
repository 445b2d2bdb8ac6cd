//! The scanner against `serde_json`: what it accepts, where it stops, what it finds.

mod dice;

use bytes::Bytes;
use dice::Dice;
use interlingua_wire::json::{Doc, Kind, Limits, Malformed, Node, Tape, Why};
use serde_json::Value;
use serde_json::value::RawValue;

const TEXTS: &[&str] = &[
    "{}",
    "[]",
    " [ 1 , -0 , 2.5 , 1e400 , -1E-7 , 12345678901234567890 ] ",
    r#"{"model":"m","n":1e3,"messages":[{"role":"user","content":"Hällo 🦀"},{"a":null}]}"#,
    r#"{"a":true,"b":false,"c":null,"d":"","e":{"f":[[],{},[{}]]}}"#,
    r#"{"text":"a long run of plain characters that needs more than one block of sixty-four bytes\nand \"quotes\", \\ back\\slashes\\\\, \u0000 and \ud83d\ude00 beyond\t"}"#,
    r#"["\"","\\","\/","\b\f\n\r\t","\u0041\u00e9","\ud800","\udfff\ud800x"]"#,
    r#"{"a":1,"a":{"a":2},"\u0061":3,"b\"c":4}"#,
    "\"just a string\"",
    "\t\r\n0 ",
];

/// What mutations insert: everything the grammar turns on.
const PIECES: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\n", "\\x", "\n", "\0", " ", "0", "1", "-",
    "+", ".", "e", "E", "true", "fals", "null", "é", "🦀", "\u{7f}", "\u{1f}", "/", "a", "D",
];

fn scan(text: &str) -> Result<Doc, Malformed> {
    Doc::parse(text.into(), Limits { bytes: usize::MAX, depth: Limits::DEEPEST })
}

/// A node says the same as what `serde_json` built.
fn assert_same(node: Node<'_>, value: &Value) {
    match value {
        Value::Null => assert!(node.is_null()),
        Value::Bool(boolean) => assert_eq!(node.boolean(), Some(*boolean)),
        Value::Number(number) => {
            assert_eq!(node.kind(), Kind::Number);
            assert_eq!(node.raw().parse::<f64>().ok(), number.as_f64());
        }
        Value::String(string) => assert_eq!(node.word(), *string),
        Value::Array(values) => {
            assert_eq!((node.kind(), node.len()), (Kind::Array, values.len()));
            node.items().zip(values).for_each(|(item, value)| assert_same(item, value));
        }
        Value::Object(fields) => {
            assert!(node.is_object() && node.is_empty() == fields.is_empty());
            for (key, value) in fields {
                let field = node.get(key);
                assert!(field.is_some(), "no {key} in {node:?}");
                assert_same(field.unwrap_or(node), value);
            }
            assert!(node.fields().all(|field| fields.contains_key(&*field.name())));
        }
    }
}

/// A raw value is scanned without being built, so that all of JSON is accepted.
fn judged(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

fn assert_agrees(text: &str) {
    match scan(text) {
        Ok(doc) => {
            let raw = judged(text).map(RawValue::get);
            assert_eq!(Some(doc.root().raw()), raw, "only we accept {text:?}");
            // Lone surrogates and numbers beyond f64 are JSON, but no `Value`.
            if let Ok(value) = serde_json::from_str(text) {
                assert_same(doc.root(), &value);
            }
        }
        Err(error) => {
            assert!(judged(text).is_none(), "{error} in {text:?}");
            assert!(error.at <= text.len());
        }
    }
}

#[test]
fn the_texts_are_accepted() {
    for text in TEXTS {
        assert!(scan(text).is_ok(), "{text}");
        assert_agrees(text);
    }
}

#[test]
fn every_truncated_text_is_judged_as_serde_json_does() {
    for text in TEXTS {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_agrees(&text[..at]);
        }
    }
}

#[test]
fn a_string_without_an_end_ends_too_early_where_the_text_does() {
    let text = format!("[\"{}", r#"say \"so\"\\\\, then\n"#.repeat(12));
    for length in 2..=text.len() {
        let malformed = Malformed { at: length, why: Why::Ended };
        assert_eq!(scan(&text[..length]).err(), Some(malformed), "{}", &text[..length]);
    }
}

#[test]
fn mutated_texts_are_judged_as_serde_json_does() {
    let mut dice = Dice::new(7);
    let mut accepted = 0;
    for _ in 0..250_000 {
        let mut text = dice.pick(TEXTS).to_owned();
        for _ in 0..=dice.below(3) {
            let from = text.floor_char_boundary(dice.below(text.len() + 1));
            let to = text.ceil_char_boundary(from + dice.below(3).min(text.len() - from));
            text.replace_range(from..to, if dice.below(4) == 0 { "" } else { dice.pick(PIECES) });
        }
        assert_agrees(&text);
        accepted += usize::from(scan(&text).is_ok());
    }
    // Both sides of the judgement are met often.
    assert!((25_000..225_000).contains(&accepted), "{accepted}");
}

#[test]
fn escapes_are_checked_wherever_blocks_begin() {
    for before in 0..140 {
        for (middle, fault) in [
            ("\\n", None),
            ("\\\"", None),
            ("\\\\", None),
            ("\\u00e9", None),
            ("\\ud800\\\\\\\"", None),
            ("\\x", Some(0)),
            ("\\u00g0", Some(0)),
            ("\\u12", Some(0)),
            ("\n", Some(0)),
            ("\\\\\\\0", Some(2)),
            ("\u{1f}", Some(0)),
        ] {
            for after in [0, 1, 5, 64, 130] {
                let text = format!("[\"{}{middle}{}\"]", "x".repeat(before), "y".repeat(after));
                let found = scan(&text).err().map(|error| error.at);
                assert_eq!(found, fault.map(|at| 2 + before + at), "{text:?}");
                assert_agrees(&text);
            }
        }
    }
}

#[test]
fn rows_of_backslashes_are_judged_as_serde_json_does() {
    let mut dice = Dice::new(11);
    for _ in 0..20_000 {
        let piece = |dice: &mut Dice| dice.pick(&["\\", "\\\\", "\\\"", "\"", "n", "x", "xxxxxxx"]);
        let length = dice.below(90);
        let inside: String = (0..length).map(|_| piece(&mut dice)).collect();
        let (before, after) = (dice.below(70), dice.below(3));
        assert_agrees(&format!("{}[\"{inside}\"{}", " ".repeat(before), "]".repeat(after)));
    }
}

#[test]
fn depth_is_limited_exactly() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for limit in [0, 1, 2, 128, 511, 512] {
        let limits = Limits { depth: limit, ..Limits::default() };
        assert!(Doc::parse(nested(limit).into(), limits).is_ok() == (limit > 0));
        let error = Doc::parse(nested(limit + 1).into(), limits).unwrap_err();
        assert_eq!(error, Malformed { at: limit, why: Why::TooDeep { limit } });
    }
    let mixed = r#"{"a":[{"b":[1]}]}"#;
    let limits = |depth| Limits { depth, ..Limits::default() };
    assert!(Doc::parse(mixed.into(), limits(4)).is_ok());
    assert_eq!(Doc::parse(mixed.into(), limits(3)).unwrap_err().at, 11);
}

#[test]
fn deep_nesting_does_not_exhaust_a_small_stack() {
    let scan = || {
        let limits = Limits { bytes: usize::MAX, depth: usize::MAX };
        for open in ["[", "{\"a\":"] {
            let error = Doc::parse(open.repeat(1_000_000).into(), limits).unwrap_err();
            assert_eq!(error.why, Why::TooDeep { limit: Limits::DEEPEST });
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(scan).unwrap().join().unwrap();
}

#[test]
fn size_is_limited_exactly() {
    let limits = Limits { bytes: 6, ..Limits::default() };
    assert!(Doc::from_bytes(Bytes::from_static(b"[1,23]"), limits).is_ok());
    let error = Doc::from_bytes(Bytes::from_static(b"[1,234]"), limits).unwrap_err();
    assert_eq!(error, Malformed { at: 6, why: Why::TooLarge { limit: 6 } });
}

#[test]
fn what_is_not_utf8_is_refused_at_its_place() {
    for (body, at) in
        [(&b"\"a\xff\""[..], 2), (b"\xc3", 0), (b"{\"\xed\xa0\x80\":1}", 2), (b"[1]\x80", 3)]
    {
        let error = Doc::from_bytes(Bytes::from_static(body), Limits::default()).unwrap_err();
        assert_eq!(error, Malformed { at, why: Why::NotUtf8 });
    }
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    for (text, at, place, says) in [
        ("{\n  \"a\": 1,\n}", 12, (3, 1), "not JSON: expected a key at byte 12"),
        ("[1 2]", 3, (1, 4), "not JSON: expected ',' or ']' at byte 3"),
        ("{\"a\" 1}", 5, (1, 6), "not JSON: expected ':' at byte 5"),
        ("{\"a\":1 2}", 7, (1, 8), "not JSON: expected ',' or '}' at byte 7"),
        ("[\n1,\n\n  02]", 9, (4, 4), "not JSON: expected ',' or ']' at byte 9"),
        ("[1", 2, (1, 3), "not JSON: the text ends too early, at byte 2"),
        ("", 0, (1, 1), "not JSON: the text ends too early, at byte 0"),
        ("[1]\n]", 4, (2, 1), "not JSON: expected the end of the text at byte 4"),
        ("\"abc\\", 5, (1, 6), "not JSON: the text ends too early, at byte 5"),
        ("-x", 1, (1, 2), "not JSON: expected a digit at byte 1"),
    ] {
        let error = scan(text).unwrap_err();
        assert_eq!((error.at, error.to_string().as_str()), (at, says), "{text:?}");
        assert_eq!(error.line_and_column(text.as_bytes()), place, "{text:?}");
    }
}

#[test]
fn a_tape_serves_one_document_after_another() {
    let mut tape = Tape::default();
    for text in TEXTS {
        let doc = Doc::parse_on((*text).into(), Limits::default(), &mut tape).unwrap();
        assert_eq!(format!("{:?}", doc.root()), text.trim());
        doc.recycle(&mut tape);
        assert!(Doc::parse_on("[1,".into(), Limits::default(), &mut tape).is_err());
    }
}

#[test]
fn a_repeated_key_is_found_however_it_is_spelled() {
    let mut dice = Dice::new(12);
    let keys =
        ["type", "text", "t\\u0065xt", "", "role", "name", "\\u0000", "longer than one step"];
    let mut found = 0;
    for _ in 0..5_000 {
        let fields: Vec<&str> = (0..dice.below(6)).map(|_| dice.pick(&keys)).collect();
        let text: Vec<String> = fields.iter().map(|key| format!("\"{key}\":1")).collect();
        let doc = scan(&format!("{{{}}}", text.join(","))).unwrap();
        let names: Vec<_> = doc.root().fields().map(interlingua_wire::Field::name).collect();
        let second = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        assert_eq!(doc.root().repeated_key().as_ref(), second.map(|(_, name)| name));
        found += usize::from(second.is_some());
    }
    assert!((1_000..4_500).contains(&found));
}

#[test]
fn what_was_read_from_a_document_is_found_in_it() {
    fn look(doc: &Doc, node: Node<'_>) {
        let found = doc.find(&node.json()).expect("it stands there");
        assert_eq!(found.range(), node.range());
        node.items().for_each(|item| look(doc, item));
        node.fields().for_each(|field| look(doc, field.value));
    }
    for text in TEXTS {
        let (doc, other) = (scan(text).unwrap(), scan(text).unwrap());
        look(&doc, doc.root());
        assert!(doc.find(&other.root().json()).is_none(), "the same words elsewhere");
        assert!(doc.find(&doc.root().json().detached()).is_none(), "a copy");
    }
}
