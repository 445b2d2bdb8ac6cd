//! A request in which only the model has another name: everything else leaves as it came, where it came.

use bytes::Bytes;
use interlingua::{Doc, Limits, Recalled, Spliced, Target, Text, find, open_document};

fn written(dialect: &str, body: &'static str, model: &str) -> (Bytes, Spliced) {
    let came = Bytes::from(body);
    let doc = Doc::from_bytes(came.clone(), Limits::default());
    let doc = doc.unwrap_or_else(|why| unreachable!("{why}"));
    let dialect = find(dialect).unwrap_or_else(|| unreachable!("{dialect} is a dialect"));
    let target = Target { model: Some(Text::new(model)), trusting: true, ..Target::default() };
    let translated = open_document(doc, dialect, dialect, &target).written(&Recalled::default());
    (came, translated.body)
}

/// How much of a body lies where it came.
fn shared(came: &Bytes, body: &Spliced) -> usize {
    let place = came.as_ptr_range();
    let parts = body.parts().filter(|part| place.contains(&part.as_ptr()));
    parts.map(Bytes::len).sum()
}

const REQUESTS: [(&str, &str); 3] = [
    (
        "openai-chat",
        r#" { "temperature":1.0 , "model" : "lab/old-model","messages":[ {"role":"user","content":"h\u00e9"} ]}"#,
    ),
    (
        "anthropic",
        r#"{"max_tokens": 9, "model":"lab/old-model", "messages":[{"role":"user", "content":"hi"}] }"#,
    ),
    ("openai-responses", r#"{"input":[{"role":"user","content":"hi"}],"model":"lab/old-model"}"#),
];

#[test]
fn only_the_name_is_another() {
    for (dialect, body) in REQUESTS {
        let (came, written) = written(dialect, body, "new-model");
        assert_eq!(shared(&came, &written), body.len() - r#""lab/old-model""#.len(), "{dialect}");
        assert_eq!(written.joined(), body.replace("lab/old-model", "new-model"), "{dialect}");
    }
}

#[test]
fn a_name_that_stays_is_not_touched() {
    for (dialect, body) in REQUESTS {
        let (came, written) = written(dialect, body, "lab/old-model");
        assert_eq!(shared(&came, &written), body.len(), "{dialect}");
    }
}

#[test]
fn a_field_that_stands_twice_stands_once() {
    let body = r#"{"model":"old","messages":[{"role":"user","content":"hi"}],"model":"older"}"#;
    let (_, written) = written("openai-chat", body, "new");
    let expected = r#"{"messages":[{"role":"user","content":"hi"}],"model":"new"}"#;
    assert_eq!(written.joined(), expected);
}

#[test]
fn what_is_mended_is_written_anew() {
    let body = r#"{"model":"old", "messages":[{"role":"user","content":"hi"},
        {"role":"tool","tool_call_id":"nobody","content":"lost"}]}"#;
    let (_, written) = written("openai-chat", body, "new");
    let doc = Doc::from_bytes(written.joined(), Limits::default()).unwrap();
    assert_eq!(doc.root().get("model").unwrap().word(), "new");
    assert!(!doc.text().contains(r#""role":"tool""#));
}

#[test]
fn a_name_is_a_string_whatever_stands_in_it() {
    let body = r#"{"model":"old","messages":[{"role":"user","content":"hi"}]}"#;
    let (_, written) = written("openai-chat", body, r#"a "new"\model"#);
    let doc = Doc::from_bytes(written.joined(), Limits::default()).unwrap();
    assert_eq!(doc.root().get("model").unwrap().word(), r#"a "new"\model"#);
}
