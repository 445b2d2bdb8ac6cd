//! Tests of lessons from Chat servers.

use serde_json::{Value, json};

use crate::client::{HttpResponse, get, post};
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

/// llama.cpp answers so without a projector.
const NO_IMAGES: &str = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj";

#[test]
fn unsupported_media_are_learned_and_left_out() {
    for (status, message, lesson) in [
        (500, NO_IMAGES, "image=none"),
        (400, "table is not a multimodal model", "media=none"),
        (404, "No endpoints found that support image input", "image=none"),
    ] {
        let error = json!({"error": {"code": status, "message": message, "type": "server_error"}});
        let answers = vec![(status, error.to_string()), success_answer("openai-chat")];
        let (harness, stub) = harness_with_stub("openai-chat", answers);
        let source = json!({"type": "base64", "media_type": "image/png", "data": PNG});
        let content =
            json!([{"type": "text", "text": "what is it?"}, {"type": "image", "source": source}]);
        let user = json!({"role": "user", "content": content});
        let request = json!({"model": "stub/m", "max_tokens": 8, "messages": [user]});
        for expected in [2, 3] {
            let body = request.to_string();
            let response = post(harness.addr(), "/v1/messages", "", body.as_bytes());
            assert_eq!(response.status, 200, "{message}: {}", response.text());
            assert_eq!(response.header("x-interlingua-repairs"), Some("unsupported-media"));
            assert_eq!(stub.requests().len(), expected, "{message}");
        }
        let sent = stub.requests().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(sent[0].contains(PNG) && !sent[1].contains(PNG), "{message}: {sent:?}");
        assert_eq!(sent[1], sent[2]);
        assert!(sent[1].contains("image omitted"), "{}", sent[1]);
        let lessons = get(harness.addr(), "/api/lessons", "").text();
        assert!(lessons.contains(lesson), "{lessons}");
    }
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
