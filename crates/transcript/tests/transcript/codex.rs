//! Tests Codex session files.

use serde_json::json;

use crate::file::{TestFile, fixture, lines_only_in, parse_json as parse, readable_fixture};

#[test]
fn items_are_the_input_and_the_context_names_the_model() {
    let file = TestFile::new(fixture("codex.jsonl"));
    assert_eq!(file.transcript.format.name(), "codex");
    let body = file.body();
    assert_eq!(body["model"], "gpt-5.5");
    assert_eq!(body["instructions"], "You are a coding agent.");
    let kinds: Vec<_> =
        body["input"].as_array().unwrap().iter().map(|item| item["type"].clone()).collect();
    let expected = [
        "message",
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "function_call",
        "message",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(file.transcript.parts[5].location.unwrap().line, 10);
    assert_eq!(file.transcript.notes[0].line, Some(11));
}

#[test]
fn an_inserted_output_is_a_new_line_and_a_removed_item_loses_its_line() {
    let (file, before) = (TestFile::new(fixture("codex.jsonl")), readable_fixture("codex.jsonl"));
    let output =
        json!({"type": "function_call_output", "call_id": "call_RunPytest02", "output": "?"});
    let after = file.edit(|body| {
        let input = body["input"].as_array_mut().unwrap();
        input.insert(6, output.clone());
        input.remove(2);
    });
    let added = lines_only_in(&after, &before);
    assert_eq!(added.len(), 1);
    let expected = json!({"timestamp": parse(before.lines().nth(9).unwrap())["timestamp"],
        "type": "response_item", "payload": output});
    assert_eq!(parse(added[0]), expected);
    let removed = lines_only_in(&before, &after);
    assert_eq!(removed.len(), 1);
    assert_eq!(parse(removed[0])["payload"]["type"], "reasoning");
}

#[test]
fn a_compacted_history_replaces_earlier_items() {
    let message = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let line = |kind: &str, payload: serde_json::Value| {
        json!({"timestamp": "t", "type": kind, "payload": payload}).to_string()
    };
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let ghost = json!({"type": "ghost_snapshot", "ghost_commit": {}});
    let list = json!([ghost, message("kept"), call]);
    let lines = [
        line("session_meta", json!({"id": "i"})),
        line("response_item", message("old")),
        line("compacted", json!({"message": "", "replacement_history": list})),
        line("response_item", message("new")),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(file.body()["input"], json!([message("kept"), call, message("new")]));
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "?"});
    let after = file.edit(|body| body["input"].as_array_mut().unwrap().insert(2, output.clone()));
    let rewritten = parse(after.lines().nth(2).unwrap());
    let expected = json!([ghost, message("kept"), call, output]);
    assert_eq!(rewritten["payload"]["replacement_history"], expected);

    let lines = [
        line("session_meta", json!({"id": "i"})),
        line("response_item", message("asked")),
        line("response_item", call.clone()),
        line("compacted", json!({"message": "A summary."})),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(file.body()["input"], json!([message("asked"), message("A summary.")]));
}

#[test]
fn rolled_back_prompts_are_not_sent() {
    let message = |text: &str| {
        let content = [json!({"type": "input_text", "text": text})];
        json!({"timestamp": "t", "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content}})
        .to_string()
    };
    let roll_back = json!({"timestamp": "t", "type": "event_msg",
        "payload": {"type": "thread_rolled_back", "num_turns": 1}});
    let lines = [message("one"), message("two"), roll_back.to_string(), message("three")];
    let file = TestFile::new(lines.join("\n"));
    let input = file.body()["input"].clone();
    let texts: Vec<_> =
        input.as_array().unwrap().iter().map(|item| item["content"][0]["text"].clone()).collect();
    assert_eq!(texts, ["one", "three"]);
}

#[test]
fn the_first_rollouts_had_bare_items() {
    let lines = [
        json!({"id": "i", "timestamp": "t", "instructions": "Be brief."}),
        json!({"record_type": "state"}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}),
        json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}),
    ];
    let file = TestFile::new(lines.map(|line| line.to_string()).join("\n"));
    assert_eq!(file.body()["input"].as_array().unwrap().len(), 2);
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "?"});
    let after = file.edit(|body| body["input"].as_array_mut().unwrap().push(output.clone()));
    assert_eq!(after.lines().last().map(parse).unwrap(), output);
}
