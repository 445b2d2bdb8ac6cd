//! Tests stored sessions.

use serde_json::{Value, json};

use crate::file::TestFile;

fn session() -> Value {
    json!({"interlingua": 1, "source": "native", "model": "sim/echo", "turns": [
        {"role": "user", "blocks": [{"text": "Look."}]},
        {"role": "assistant", "blocks": [{"call": {"id": "c1", "name": "look", "args": {}}}]},
        {"role": "user", "blocks": [{"result": {"call": "c1", "content": [{"text": "boats"}]}}]},
        {"role": "assistant", "blocks": [{"text": "Boats."}]}]})
}

fn write(file: &TestFile, body: &Value) -> Value {
    let body = body.to_string().into_bytes().into();
    let written = file.transcript.format.write(&file.source, &file.transcript, &body);
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn missing_fields_are_filled_in_and_not_written() {
    let stored = session();
    let file = TestFile::new(stored.to_string());
    let body = file.body();
    assert_eq!(body["model"], "claude-sonnet-4-5");
    assert_eq!(body["tools"], json!([{"name": "look", "schema": {"type": "object"}}]));
    assert_eq!(body["settings"], json!({"max_tokens": 32_000}));
    assert_eq!(body["turns"][4]["blocks"], json!([{"text": "Continue."}]));
    assert!(file.transcript.has_placeholder);
    assert_eq!(file.transcript.model.as_ref().unwrap().raw(), "sim/echo");
    assert_eq!(write(&file, &body), stored);
}

#[test]
fn blocks_added_before_the_placeholder_are_written() {
    let mut stored = session();
    stored["turns"].as_array_mut().unwrap().truncate(2);
    stored["system"] = json!([{"text": "Be brief."}]);
    let file = TestFile::new(stored.to_string());
    let mut body = file.body();
    let result = json!({"result": {"call": "c1", "content": [{"text": "unknown"}]}});
    body["turns"][2]["blocks"].as_array_mut().unwrap().insert(0, result.clone());
    let raw = json!({"anthropic": {"role": "user", "content": "with the next words"}});
    body["turns"][2]["raw"] = raw;
    let turn = json!({"role": "user", "blocks": [result]});
    stored["turns"].as_array_mut().unwrap().push(turn);
    assert_eq!(write(&file, &body), stored);
}

#[test]
fn present_fields_are_not_replaced() {
    let mut stored = session();
    stored["turns"].as_array_mut().unwrap().truncate(3);
    stored["model"] = json!("anthropic/claude-opus-4-6");
    stored["tools"] = json!([{"name": "look", "description": "Looks."}]);
    stored["settings"] = json!({"max_tokens": 9});
    let file = TestFile::new(stored.to_string());
    assert!(!file.transcript.has_placeholder);
    stored["model"] = json!("claude-opus-4-6");
    assert_eq!(file.body(), stored);
    // A converted request is not completed.
    stored["source"] = json!("anthropic");
    stored.as_object_mut().unwrap().remove("settings");
    assert_eq!(TestFile::new(stored.to_string()).body(), stored);
}
