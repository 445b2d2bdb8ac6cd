//! Tests of lessons from Chat servers.

use serde_json::{Value, json};

use crate::client::{HttpResponse, post};
use crate::harness::Harness;
use crate::lessons::harness_with_stub;
use crate::stub_provider::{error_answer, success_answer};

fn ask_chat(harness: &Harness, body: &Value) -> HttpResponse {
    post(harness.addr(), "/v1/chat/completions", "", body.to_string().as_bytes())
}

#[test]
fn alternating_roles_are_learned() {
    let message =
        "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";
    let error = json!({"error": {"code": 500, "message": message, "type": "server_error"}});
    let answers = vec![(500, error.to_string()), success_answer("openai-chat")];
    let (harness, stub) = harness_with_stub("openai-chat", answers);
    let user = |text: &str| json!({"role": "user", "content": text});
    let request = json!({"model": "stub/m", "messages": [user("hello"), user("are you there?")]});
    for expected in [2, 3] {
        let response = ask_chat(&harness, &request);
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(stub.requests().len(), expected);
    }
    let requests = stub.requests();
    assert_eq!(requests[0]["messages"], request["messages"]);
    for repaired in &requests[1..] {
        let [merged] = &repaired["messages"].as_array().unwrap()[..] else { panic!("{repaired}") };
        let content = merged["content"].to_string();
        assert!(content.contains("hello") && content.contains("are you there?"), "{content}");
    }
}

#[test]
fn the_output_limit_is_learned() {
    let error_text = "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, \
        whereas you provided 32000.";
    let (harness, stub) = harness_with_stub(
        "openai-chat",
        vec![error_answer(error_text), success_answer("openai-chat")],
    );
    let hello = json!({"role": "user", "content": "hello"});
    let request = json!({"model": "stub/m", "max_tokens": 32000, "messages": [hello]});
    for expected in [2, 3] {
        assert_eq!(ask_chat(&harness, &request).status, 200);
        assert_eq!(stub.requests().len(), expected);
    }
    let output_limit = |request: &Value| {
        request.get("max_tokens").or(request.get("max_completion_tokens")).cloned()
    };
    let sent_limits: Vec<Value> = stub.requests().iter().filter_map(output_limit).collect();
    assert_eq!(sent_limits, [32000, 16384, 16384]);
    let shorter = json!({"model": "stub/m", "max_tokens": 99, "messages": request["messages"]});
    assert_eq!(ask_chat(&harness, &shorter).status, 200);
    assert_eq!(stub.requests()[3]["max_tokens"], 99);
}
