//! Tests request bodies: detection of their dialect, lines and paths.

use interlingua::find_dialect;
use interlingua_transcript::{TranscriptFile, parse_part_path, read};
use serde_json::Value;

use crate::file::TestFile;

/// Every request of the corpus with a detectable dialect.
#[test]
fn the_dialect_is_detected() {
    let mut checked = 0;
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/roundtrip");
    for dialect in ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"] {
        for entry in std::fs::read_dir(format!("{root}/{dialect}")).unwrap() {
            let path = entry.unwrap().path();
            let Ok(case) = serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()) else {
                continue;
            };
            let request = &case["request"];
            let turns = find_dialect(dialect).unwrap().turns_key();
            if request[turns].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            // The caller's hint decides for bodies without markers.
            let source = TranscriptFile::new(request.to_string().into_bytes().into());
            let source = source.with_dialect_hint(find_dialect(dialect).unwrap().id());
            let name = path.file_stem().unwrap().to_str().unwrap();
            if UNDETECTABLE.contains(&name) {
                continue;
            }
            let detected = read(&source).map(|transcript| transcript.dialect.id().0);
            assert_eq!(detected, Some(dialect), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked}");
}

/// Written like another dialect on purpose, or not valid JSON for every parser.
const UNDETECTABLE: &[&str] = &["mistral_thinking", "unknown", "guardrails"];

#[test]
fn without_a_hint_markers_decide() {
    for (body, dialect) in [
        (r#"{"messages":[{"role":"user","content":"hi"}]}"#, "openai-chat"),
        (r#"{"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#, "anthropic"),
        (r#"{"model":"claude-x","messages":[{"role":"user","content":"hi"}]}"#, "anthropic"),
        (r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#, "bedrock"),
        (r#"{"max_tokens":9,"messages":[{"role":"system","content":"hi"}]}"#, "openai-chat"),
        (r#"{"contents":[]}"#, "gemini"),
        (r#"{"input":"hi"}"#, "openai-responses"),
    ] {
        assert_eq!(TestFile::new(body).transcript.dialect.id().0, dialect, "{body}");
    }
}

#[test]
fn other_files_are_not_read_as_conversations() {
    for text in
        ["", "hello", "[]", "{}", "7", "{\"a\":1}\n{\"b\":2}\n", "{\"messages\":{}}", "\u{0}"]
    {
        let source = TranscriptFile::new(text.to_owned().into_bytes().into());
        assert!(read(&source).is_none(), "{text}");
    }
    let source = TranscriptFile::new(vec![0xff, 0xfe, b'\n', b'{'].into());
    assert!(read(&source).is_none());
}

#[test]
fn lines_of_a_body_are_counted() {
    let body = "{\n \"max_tokens\": 9,\n \"messages\": [\n  {\"role\": \"user\", \"content\": [\n   \
                {\"type\": \"text\", \"text\": \"a\"},\n   {\"type\": \"text\", \"text\": \"b\"}\n  ]},\n  \
                {\"role\": \"assistant\", \"content\": \"c\"}\n ]\n}";
    let parts = TestFile::new(body).transcript.parts;
    let lines: Vec<_> = parts.iter().map(|part| part.location.unwrap().line).collect();
    assert_eq!(lines, [5, 6, 8]);
}

#[test]
fn paths_name_turns_and_blocks() {
    assert_eq!(parse_part_path("messages.3.content.1.text"), Some((3, Some(1))));
    assert_eq!(parse_part_path("contents[3].parts[1]"), Some((3, Some(1))));
    assert_eq!(parse_part_path("input.2"), Some((2, None)));
    assert_eq!(parse_part_path("messages.3.tool_calls.0"), Some((3, None)));
    assert_eq!(parse_part_path("tools.0.input_schema"), None);
    assert_eq!(parse_part_path(""), None);
}
