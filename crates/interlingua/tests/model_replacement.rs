//! Requests in which only the model is replaced: all other bytes share the input's memory.

use bytes::Bytes;
use interlingua::{
    ConversationPatch, JsonDoc, JsonLimits, JsonString, SegmentedBytes, Target, decode_request,
    find_dialect,
};

fn translate_spliced(dialect: &str, body: &'static str, model: &str) -> (Bytes, SegmentedBytes) {
    let input = Bytes::from(body);
    let doc = JsonDoc::from_bytes(input.clone(), JsonLimits::default());
    let doc = doc.unwrap_or_else(|why| unreachable!("{why}"));
    let dialect = find_dialect(dialect).unwrap_or_else(|| unreachable!("{dialect} is a dialect"));
    let target = Target {
        model: Some(JsonString::new(model)),
        pass_unknown_fields: true,
        ..Target::default()
    };
    let translated = decode_request(doc, dialect, dialect, &target)
        .translate_segmented(&ConversationPatch::default());
    (input, translated.body)
}

/// Number of bytes that share the input's memory.
fn shared_bytes(input: &Bytes, body: &SegmentedBytes) -> usize {
    let place = input.as_ptr_range();
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
fn only_the_model_is_replaced() {
    for (dialect, body) in REQUESTS {
        let (input, output) = translate_spliced(dialect, body, "new-model");
        assert_eq!(
            shared_bytes(&input, &output),
            body.len() - r#""lab/old-model""#.len(),
            "{dialect}"
        );
        assert_eq!(output.into_bytes(), body.replace("lab/old-model", "new-model"), "{dialect}");
    }
}

#[test]
fn an_equal_model_is_not_replaced() {
    for (dialect, body) in REQUESTS {
        let (input, output) = translate_spliced(dialect, body, "lab/old-model");
        assert_eq!(shared_bytes(&input, &output), body.len(), "{dialect}");
    }
}

#[test]
fn a_duplicate_field_is_written_once() {
    let body = r#"{"model":"old","messages":[{"role":"user","content":"hi"}],"model":"older"}"#;
    let (_, output) = translate_spliced("openai-chat", body, "new");
    let expected = r#"{"messages":[{"role":"user","content":"hi"}],"model":"new"}"#;
    assert_eq!(output.into_bytes(), expected);
}

#[test]
fn a_repaired_request_is_encoded_again() {
    let body = r#"{"model":"old", "messages":[{"role":"user","content":"hi"},
        {"role":"tool","tool_call_id":"nobody","content":"lost"}]}"#;
    let (_, output) = translate_spliced("openai-chat", body, "new");
    let doc = JsonDoc::from_bytes(output.into_bytes(), JsonLimits::default()).unwrap();
    assert_eq!(doc.root().get("model").unwrap().str_or_empty(), "new");
    assert!(!doc.text().contains(r#""role":"tool""#));
}

#[test]
fn a_model_name_is_escaped() {
    let body = r#"{"model":"old","messages":[{"role":"user","content":"hi"}]}"#;
    let (_, output) = translate_spliced("openai-chat", body, r#"a "new"\model"#);
    let doc = JsonDoc::from_bytes(output.into_bytes(), JsonLimits::default()).unwrap();
    assert_eq!(doc.root().get("model").unwrap().str_or_empty(), r#"a "new"\model"#);
}
