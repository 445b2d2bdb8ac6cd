//! Tests opencode exports.

use serde_json::{Value, json};

use crate::file::{TestFile, fixture, lines_only_in};

fn export(provider: &str, model: &str, parts: &Value) -> String {
    let info = json!({"id": "m2", "role": "assistant", "providerID": provider, "modelID": model});
    let user = json!({"info": {"id": "m1", "role": "user"},
        "parts": [{"id": "p1", "sessionID": "s", "messageID": "m1", "type": "text", "text": "hi"}]});
    json!({"info": {"id": "s"}, "messages": [user, {"info": info, "parts": parts}]}).to_string()
}

#[test]
fn parts_are_blocks_and_a_run_is_a_call_and_its_result() {
    let file = TestFile::new(fixture("opencode.json"));
    assert_eq!(file.transcript.format.name(), "opencode");
    assert_eq!(file.body()["model"], "claude-sonnet-4-5");
    let messages = file.messages();
    let signature = &messages[1]["content"][0]["signature"];
    assert_eq!(signature, "EtUBCkYIBxgCKkBTaWduZWQ=");
    assert_eq!(messages[1]["content"][1]["id"], "toolu_01ListTests");
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_01ListTests",
        "content": "test_cart.py\n"});
    assert_eq!(messages[2], json!({"role": "user", "content": [result]}));
    assert_eq!(messages[3]["content"][0]["signature"], "");
    assert_eq!(messages[3]["content"][2]["name"], "bash");
    assert_eq!(messages[4]["content"][0]["text"], "Stop. Read cart.py instead.");
}

#[test]
fn an_interrupted_run_gets_a_result_and_unsigned_thinking_is_removed() {
    let (file, before) = (TestFile::new(fixture("opencode.json")), fixture("opencode.json"));
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_02RunPytest",
        "content": [{"type": "text", "text": "outcome unknown"}], "is_error": true});
    let mut expected = file.body();
    expected["messages"][3]["content"].as_array_mut().unwrap().remove(0);
    expected["messages"][4]["content"].as_array_mut().unwrap().insert(0, result);
    let after = file.write(&expected);
    let reread: Value = serde_json::from_str(&after).unwrap();
    let parts = reread["messages"][2]["parts"].as_array().unwrap();
    let kinds: Vec<_> = parts.iter().map(|part| part["type"].clone()).collect();
    assert_eq!(kinds, ["step-start", "text", "tool"]);
    let state = &parts[2]["state"];
    assert_eq!((&state["status"], &state["error"]), (&json!("error"), &json!("outcome unknown")));
    assert_eq!(state["input"]["command"], "pytest -q");
    let added = lines_only_in(&after, &before);
    assert_eq!(added.len(), 3, "only the state is rewritten: {added:?}");

    expected["messages"][4]["content"][0]["content"] = json!("outcome unknown");
    assert_eq!(TestFile::new(&after).body(), expected);
}

#[test]
fn a_call_with_a_new_id_gets_its_result_under_it() {
    let file = TestFile::new(fixture("opencode.json"));
    let mut body = file.body();
    body["messages"][3]["content"][2]["id"] = json!("call_2");
    let result = json!({"type": "tool_result", "tool_use_id": "call_2", "content": "unknown",
        "is_error": true});
    body["messages"][4]["content"].as_array_mut().unwrap().insert(0, result);
    let reread = TestFile::new(file.write(&body));
    assert_eq!(reread.messages(), body["messages"]);
}

#[test]
fn other_providers_use_responses_items() {
    let tool = json!({"id": "p4", "type": "tool", "callID": "c1", "tool": "bash",
        "state": {"status": "pending", "input": {"command": "ls"}}});
    let sealed = json!({"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}});
    let parts = json!([
        {"id": "p2", "type": "reasoning", "text": "hm", "metadata": sealed},
        {"id": "p3", "type": "text", "text": "I look."},
        tool,
    ]);
    let text = export("openai", "gpt-5.5", &parts);
    let file = TestFile::new(&text);
    assert_eq!(file.transcript.dialect.id().0, "openai-responses");
    let input = file.body()["input"].clone();
    assert_eq!(input[1]["encrypted_content"], "gAAA");
    assert_eq!(input[2]["content"][0], json!({"type": "output_text", "text": "I look."}));
    assert_eq!(input[3]["arguments"], r#"{"command":"ls"}"#);
    let output = json!({"type": "function_call_output", "call_id": "c1", "output": "unknown"});
    let after = file.edit(|body| body["input"].as_array_mut().unwrap().push(output.clone()));
    assert_eq!(TestFile::new(&after).body()["input"][4], output);
}

#[test]
fn summarized_messages_and_failed_replies_are_not_sent() {
    let part = |text: &str| json!([{"id": "p", "type": "text", "text": text}]);
    let export = json!({"info": {"id": "s"}, "messages": [
        {"info": {"id": "m1", "role": "user"}, "parts": part("old")},
        {"info": {"id": "m2", "role": "user"}, "parts": [{"id": "p", "type": "compaction"}]},
        {"info": {"id": "m3", "role": "assistant", "parentID": "m2", "summary": true,
            "finish": "stop", "providerID": "anthropic", "modelID": "m"}, "parts": part("summary")},
        {"info": {"id": "m4", "role": "user"}, "parts": part("next")},
        {"info": {"id": "m5", "role": "assistant", "error": {"name": "APIError"}},
            "parts": part("half")},
    ]});
    let messages = TestFile::new(export.to_string()).messages();
    let texts: Vec<_> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"][0]["text"].clone())
        .collect();
    assert_eq!(texts, ["What did we do so far?", "summary", "next"]);
}

#[test]
fn parts_are_removed_with_their_commas() {
    let part = |text: &str| json!({"id": text, "type": "text", "text": text});
    let parts = json!([part("a"), part("b"), part("c"), part("d")]);
    let file = TestFile::new(export("anthropic", "claude", &parts));
    for removed_mask in 1_usize..15 {
        let is_kept = |index: &usize| removed_mask >> index & 1 == 0;
        let after = file.edit(|body| {
            let content = body["messages"][1]["content"].as_array_mut().unwrap();
            *content = (0..4).filter(is_kept).map(|index| content[index].clone()).collect();
        });
        let reread: Value = serde_json::from_str(&after).expect(&after);
        let expected: Vec<Value> =
            (0..4).filter(is_kept).map(|index| parts[index].clone()).collect();
        assert_eq!(reread["messages"][1]["parts"], json!(expected), "{removed_mask:b}");
    }
}

#[test]
fn a_thought_signature_stays_with_its_part() {
    let metadata = json!({"google": {"thoughtSignature": "c2ln"}});
    let state = json!({"status": "completed", "input": {"command": "ls"}, "output": "one"});
    let parts = json!([
        {"id": "p2", "type": "reasoning", "text": "hm"},
        {"id": "p3", "type": "text", "text": "I look.", "metadata": metadata},
        {"id": "p4", "type": "tool", "callID": "c1", "tool": "bash", "metadata": metadata,
            "state": state},
        {"id": "p5", "type": "tool", "callID": "c2", "tool": "read",
            "state": {"status": "running", "input": {}}},
    ]);
    let text = export("google", "gemini-3-pro", &parts);
    let file = TestFile::new(&text);
    assert_eq!(file.transcript.dialect.id().0, "gemini");
    let body = file.body();
    assert_eq!(body["contents"][1]["role"], "model");
    let expected = json!([
        {"text": "hm", "thought": true},
        {"text": "I look.", "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c1", "name": "bash", "args": {"command": "ls"}},
            "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c2", "name": "read", "args": {}}},
    ]);
    assert_eq!(body["contents"][1]["parts"], expected);
    let result = |id: &str, name: &str, response: Value| json!({"functionResponse": {"id": id, "name": name, "response": response}});
    let first = result("c1", "bash", json!({"output": "one"}));
    assert_eq!(body["contents"][2], json!({"role": "user", "parts": [first]}));
    let names = json!([{"functionDeclarations": [{"name": "bash"}, {"name": "read"}]}]);
    assert_eq!(body["tools"], names);
    assert_eq!(file.write(&body), text);

    let mut repaired = body.clone();
    let second = result("c2", "read", json!({"error": "unknown"}));
    repaired["contents"][2]["parts"] = json!([first, second]);
    repaired["contents"][1]["parts"].as_array_mut().unwrap().remove(0);
    let reread = TestFile::new(file.write(&repaired));
    assert_eq!(reread.body()["contents"], repaired["contents"]);
}

#[test]
fn a_tools_files_are_in_its_result() {
    let file = |mime: &str, url: &str| json!({"id": "f", "type": "file", "mime": mime, "url": url});
    let image = file("image/png", "data:image/png;base64,iVBORw0KGgo=");
    let remote_image = file("image/png", "https://example.com/a.png");
    let state = json!({"status": "completed", "input": {}, "output": "one",
        "attachments": [image, remote_image]});
    let parts =
        json!([{"id": "p2", "type": "tool", "callID": "c1", "tool": "bash", "state": state}]);
    let source = json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="});
    let messages = TestFile::new(export("anthropic", "claude-sonnet-4-5", &parts));
    let expected = json!([{"type": "text", "text": "one"}, {"type": "image", "source": source}]);
    assert_eq!(messages.messages()[2]["content"][0]["content"], expected);
    let url = "data:image/png;base64,iVBORw0KGgo=";
    let items = TestFile::new(export("openai", "gpt-5.5", &parts));
    let expected = json!([{"type": "input_text", "text": "one"},
        {"type": "input_image", "image_url": url}]);
    assert_eq!(items.body()["input"][2]["output"], expected);
    let gemini = TestFile::new(export("google", "gemini-3-pro", &parts));
    for (file, count) in [(messages, 1), (items, 1), (gemini, 2)] {
        let notes = &file.transcript.notes;
        let prefix = format!("{count} parts of the kind `attachment`");
        assert!(notes.iter().any(|note| note.message.starts_with(&prefix)), "{notes:?}");
    }
}
