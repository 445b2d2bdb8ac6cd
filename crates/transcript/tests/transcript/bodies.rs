//! Request bodies and stored sessions.

use interlingua::find;
use interlingua_transcript::{Source, place, read};
use serde_json::Value;

use crate::file::File;

/// Every request of the corpus that has something to tell its dialect by.
#[test]
fn the_dialect_shows() {
    let mut seen = 0;
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/roundtrip");
    for dialect in ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"] {
        for entry in std::fs::read_dir(format!("{root}/{dialect}")).unwrap() {
            let path = entry.unwrap().path();
            let Ok(case) = serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()) else {
                continue;
            };
            let request = &case["request"];
            let turns = find(dialect).unwrap().turns_key();
            if request[turns].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            // The caller says what the body is for; it decides where the body says nothing.
            let source = Source::new(request.to_string().into_bytes().into());
            let source = source.hinted(find(dialect).unwrap().id());
            let name = path.file_stem().unwrap().to_str().unwrap();
            if ODD.contains(&name) {
                continue;
            }
            let found = read(&source).map(|transcript| transcript.dialect.id().0);
            assert_eq!(found, Some(dialect), "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Written like another dialect on purpose, or not JSON to every parser.
const ODD: &[&str] = &["mistral_thinking", "unknown", "guardrails"];

#[test]
fn without_a_hint_the_marks_decide() {
    for (body, dialect) in [
        (r#"{"messages":[{"role":"user","content":"hi"}]}"#, "openai-chat"),
        (r#"{"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#, "anthropic"),
        (r#"{"model":"claude-x","messages":[{"role":"user","content":"hi"}]}"#, "anthropic"),
        (r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#, "bedrock"),
        (r#"{"max_tokens":9,"messages":[{"role":"system","content":"hi"}]}"#, "openai-chat"),
        (r#"{"contents":[]}"#, "gemini"),
        (r#"{"input":"hi"}"#, "openai-responses"),
    ] {
        assert_eq!(File::new(body).transcript.dialect.id().0, dialect, "{body}");
    }
}

#[test]
fn what_is_no_conversation_is_not_taken_for_one() {
    for text in
        ["", "hello", "[]", "{}", "7", "{\"a\":1}\n{\"b\":2}\n", "{\"messages\":{}}", "\u{0}"]
    {
        let source = Source::new(text.to_owned().into_bytes().into());
        assert!(read(&source).is_none(), "{text}");
    }
    let source = Source::new(vec![0xff, 0xfe, b'\n', b'{'].into());
    assert!(read(&source).is_none());
}

#[test]
fn lines_of_a_body_are_counted() {
    let body = "{\n \"max_tokens\": 9,\n \"messages\": [\n  {\"role\": \"user\", \"content\": [\n   \
                {\"type\": \"text\", \"text\": \"a\"},\n   {\"type\": \"text\", \"text\": \"b\"}\n  ]},\n  \
                {\"role\": \"assistant\", \"content\": \"c\"}\n ]\n}";
    let units = File::new(body).transcript.units;
    let lines: Vec<_> = units.iter().map(|unit| unit.origin.unwrap().line).collect();
    assert_eq!(lines, [5, 6, 8]);
}

#[test]
fn paths_name_turns_and_blocks() {
    assert_eq!(place("messages.3.content.1.text"), Some((3, Some(1))));
    assert_eq!(place("contents[3].parts[1]"), Some((3, Some(1))));
    assert_eq!(place("input.2"), Some((2, None)));
    assert_eq!(place("messages.3.tool_calls.0"), Some((3, None)));
    assert_eq!(place("tools.0.input_schema"), None);
    assert_eq!(place(""), None);
}
