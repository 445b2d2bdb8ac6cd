//! Compares the scanner with `serde_json`: what it accepts, where it stops, what it finds.

mod rng;

use bytes::Bytes;
use interlingua_wire::json::{
    JsonDoc, JsonError, JsonErrorKind, JsonKind, JsonLimits, JsonNode, Tape,
};
use rng::Rng;
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

/// Texts that mutations insert: every token of the grammar.
const PIECES: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\n", "\\x", "\n", "\0", " ", "0", "1", "-",
    "+", ".", "e", "E", "true", "fals", "null", "é", "🦀", "\u{7f}", "\u{1f}", "/", "a", "D",
];

fn scan(text: &str) -> Result<JsonDoc, JsonError> {
    JsonDoc::parse(
        text.into(),
        JsonLimits {
            max_bytes: usize::MAX,
            max_depth: JsonLimits::MAX_DEPTH,
            ..JsonLimits::default()
        },
    )
}

/// Asserts that a node equals the value that `serde_json` built.
fn assert_same(node: JsonNode<'_>, value: &Value) {
    match value {
        Value::Null => assert!(node.is_null()),
        Value::Bool(boolean) => assert_eq!(node.as_bool(), Some(*boolean)),
        Value::Number(number) => {
            assert_eq!(node.kind(), JsonKind::Number);
            assert_eq!(node.raw().parse::<f64>().ok(), number.as_f64());
        }
        Value::String(string) => assert_eq!(node.str_or_empty(), *string),
        Value::Array(values) => {
            assert_eq!((node.kind(), node.len()), (JsonKind::Array, values.len()));
            node.items().zip(values).for_each(|(item, value)| assert_same(item, value));
        }
        Value::Object(fields) => {
            assert!(node.is_object() && node.is_empty() == fields.is_empty());
            for (key, value) in fields {
                let field = node.get(key);
                assert!(field.is_some(), "no {key} in {node:?}");
                assert_same(field.unwrap_or(node), value);
            }
            assert!(node.fields().all(|field| fields.contains_key(&*field.key())));
        }
    }
}

/// `RawValue` is scanned without being built, so that all of JSON is accepted.
fn serde_json_accepts(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

fn assert_agrees(text: &str) {
    match scan(text) {
        Ok(doc) => {
            let raw = serde_json_accepts(text).map(RawValue::get);
            assert_eq!(Some(doc.root().raw()), raw, "only we accept {text:?}");
            // Lone surrogates and numbers beyond f64 are JSON, but not a `Value`.
            if let Ok(value) = serde_json::from_str(text) {
                assert_same(doc.root(), &value);
            }
        }
        Err(error) => {
            assert!(serde_json_accepts(text).is_none(), "{error} in {text:?}");
            assert!(error.offset <= text.len());
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
fn every_truncated_text_is_accepted_as_by_serde_json() {
    for text in TEXTS {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_agrees(&text[..at]);
        }
    }
}

#[test]
fn an_unterminated_string_is_an_error_at_the_end_of_the_text() {
    let text = format!("[\"{}", r#"say \"so\"\\\\, then\n"#.repeat(12));
    for length in 2..=text.len() {
        let error = JsonError { offset: length, kind: JsonErrorKind::UnexpectedEnd };
        assert_eq!(scan(&text[..length]).err(), Some(error), "{}", &text[..length]);
    }
}

#[test]
fn mutated_texts_are_accepted_as_by_serde_json() {
    let mut rng = Rng::new(7);
    let mut accepted = 0;
    for _ in 0..250_000 {
        let mut text = rng.choose(TEXTS).to_owned();
        for _ in 0..=rng.below(3) {
            let from = text.floor_char_boundary(rng.below(text.len() + 1));
            let to = text.ceil_char_boundary(from + rng.below(3).min(text.len() - from));
            text.replace_range(from..to, if rng.below(4) == 0 { "" } else { rng.choose(PIECES) });
        }
        assert_agrees(&text);
        accepted += usize::from(scan(&text).is_ok());
    }
    // Both outcomes occur often.
    assert!((25_000..225_000).contains(&accepted), "{accepted}");
}

#[test]
fn escapes_are_checked_at_every_vector_boundary() {
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
                let found = scan(&text).err().map(|error| error.offset);
                assert_eq!(found, fault.map(|at| 2 + before + at), "{text:?}");
                assert_agrees(&text);
            }
        }
    }
}

#[test]
fn runs_of_backslashes_are_accepted_as_by_serde_json() {
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let piece = |rng: &mut Rng| rng.choose(&["\\", "\\\\", "\\\"", "\"", "n", "x", "xxxxxxx"]);
        let length = rng.below(90);
        let contents: String = (0..length).map(|_| piece(&mut rng)).collect();
        let (before, after) = (rng.below(70), rng.below(3));
        assert_agrees(&format!("{}[\"{contents}\"{}", " ".repeat(before), "]".repeat(after)));
    }
}

#[test]
fn depth_is_limited_exactly() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for limit in [0, 1, 2, 128, 511, 512] {
        let limits = JsonLimits { max_depth: limit, ..JsonLimits::default() };
        assert!(JsonDoc::parse(nested(limit).into(), limits).is_ok() == (limit > 0));
        let error = JsonDoc::parse(nested(limit + 1).into(), limits).unwrap_err();
        assert_eq!(error, JsonError { offset: limit, kind: JsonErrorKind::TooDeep { limit } });
    }
    let mixed = r#"{"a":[{"b":[1]}]}"#;
    let limits = |depth| JsonLimits { max_depth: depth, ..JsonLimits::default() };
    assert!(JsonDoc::parse(mixed.into(), limits(4)).is_ok());
    assert_eq!(JsonDoc::parse(mixed.into(), limits(3)).unwrap_err().offset, 11);
}

#[test]
fn deep_nesting_does_not_exhaust_a_small_stack() {
    let scan = || {
        let limits =
            JsonLimits { max_bytes: usize::MAX, max_depth: usize::MAX, ..JsonLimits::default() };
        for open in ["[", "{\"a\":"] {
            let error = JsonDoc::parse(open.repeat(1_000_000).into(), limits).unwrap_err();
            assert_eq!(error.kind, JsonErrorKind::TooDeep { limit: JsonLimits::MAX_DEPTH });
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(scan).unwrap().join().unwrap();
}

#[test]
fn size_is_limited_exactly() {
    let limits = JsonLimits { max_bytes: 6, ..JsonLimits::default() };
    assert!(JsonDoc::from_bytes(Bytes::from_static(b"[1,23]"), limits).is_ok());
    let error = JsonDoc::from_bytes(Bytes::from_static(b"[1,234]"), limits).unwrap_err();
    assert_eq!(error, JsonError { offset: 6, kind: JsonErrorKind::TooLarge { limit: 6 } });
}

#[test]
fn invalid_utf8_is_rejected_with_its_offset() {
    for (body, at) in
        [(&b"\"a\xff\""[..], 2), (b"\xc3", 0), (b"{\"\xed\xa0\x80\":1}", 2), (b"[1]\x80", 3)]
    {
        let error =
            JsonDoc::from_bytes(Bytes::from_static(body), JsonLimits::default()).unwrap_err();
        assert_eq!(error, JsonError { offset: at, kind: JsonErrorKind::InvalidUtf8 });
    }
}

#[test]
fn errors_have_line_and_column() {
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
        assert_eq!((error.offset, error.to_string().as_str()), (at, says), "{text:?}");
        assert_eq!(error.line_and_column(text.as_bytes()), place, "{text:?}");
    }
}

#[test]
fn a_tape_is_reused_by_several_documents() {
    let mut tape = Tape::default();
    for text in TEXTS {
        let doc =
            JsonDoc::parse_with_tape((*text).into(), JsonLimits::default(), &mut tape).unwrap();
        assert_eq!(format!("{:?}", doc.root()), text.trim());
        doc.recycle(&mut tape);
        assert!(JsonDoc::parse_with_tape("[1,".into(), JsonLimits::default(), &mut tape).is_err());
    }
}

#[test]
fn a_duplicate_key_is_found_in_any_spelling() {
    let mut rng = Rng::new(12);
    let keys =
        ["type", "text", "t\\u0065xt", "", "role", "name", "\\u0000", "longer than one step"];
    let mut found = 0;
    for _ in 0..5_000 {
        let fields: Vec<&str> = (0..rng.below(6)).map(|_| rng.choose(&keys)).collect();
        let text: Vec<String> = fields.iter().map(|key| format!("\"{key}\":1")).collect();
        let doc = scan(&format!("{{{}}}", text.join(","))).unwrap();
        let names: Vec<_> = doc.root().fields().map(interlingua_wire::Field::key).collect();
        let second = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        assert_eq!(doc.root().duplicate_key().as_ref(), second.map(|(_, name)| name));
        found += usize::from(second.is_some());
    }
    assert!((1_000..4_500).contains(&found));
}

#[test]
fn a_value_of_a_document_is_found_in_it() {
    fn look(doc: &JsonDoc, node: JsonNode<'_>) {
        let found = doc.node_of(&node.json()).expect("it stands there");
        assert_eq!(found.range(), node.range());
        node.items().for_each(|item| look(doc, item));
        node.fields().for_each(|field| look(doc, field.value));
    }
    for text in TEXTS {
        let (doc, other) = (scan(text).unwrap(), scan(text).unwrap());
        look(&doc, doc.root());
        assert!(doc.node_of(&other.root().json()).is_none(), "the same words elsewhere");
        assert!(doc.node_of(&doc.root().json().deep_clone()).is_none(), "a copy");
    }
}

#[test]
fn too_many_values_are_an_error() {
    let limits = |max_values| JsonLimits { max_values, ..JsonLimits::default() };
    let text = r#"{"a":[1,{},"b"]}"#;
    let parsed = JsonDoc::parse(text.into(), limits(6));
    assert_eq!(parsed.map(|doc| doc.value_count()), Ok(6));
    let error = JsonDoc::parse(text.into(), limits(5)).unwrap_err();
    assert_eq!(error.kind, JsonErrorKind::TooManyValues { limit: 5 });
    assert_eq!(&text[error.offset..], r#""b"]}"#);
}
