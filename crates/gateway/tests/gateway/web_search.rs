//! Tests of provider-side web search: each provider is called in the dialect that supports it, and
//! results reach the agent.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::{HttpResponse, post};
use crate::harness::Harness;
use crate::lessons::{harness_with_provider, harness_with_stub, stub_as_provider};
use crate::stub_provider::{StubProvider, error_answer, success_answer};

/// A provider with two dialects, one of which supports search.
fn harness_with_two_dialects(answers: Vec<(u16, String)>) -> (Harness, StubProvider) {
    let stub = StubProvider::with_answers(answers);
    let mut provider = stub_as_provider(&stub, "openai-chat");
    provider.alternates.push(Arc::new(stub_as_provider(&stub, "openai-responses")));
    (harness_with_provider(provider), stub)
}

/// Sends the search request of Claude Code.
fn ask_search(harness: &Harness, model: &str, stream: bool) -> HttpResponse {
    let body = json!({
        "model": format!("stub/{model}"), "max_tokens": 99, "stream": stream,
        "messages": [{"role": "user", "content": "Perform a web search for the query: rust"}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}],
        "tool_choice": {"type": "tool", "name": "web_search"},
    });
    post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes())
}

fn search_answer() -> (u16, String) {
    let citation = json!({"type": "url_citation", "url": "https://a.example/rust", "title": "Rust",
        "start_index": 0, "end_index": 4});
    let text =
        json!({"type": "output_text", "text": "Rust is a language.", "annotations": [citation]});
    let output = json!([
        {"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "rust"}},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [text]},
    ]);
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let response = json!({"id": "resp_1", "object": "response", "status": "completed", "model": "m",
        "output": output, "usage": usage});
    (200, response.to_string())
}

#[test]
fn the_dialect_that_supports_search_is_used() {
    for stream in [false, true] {
        let (harness, stub) = harness_with_two_dialects(vec![search_answer()]);
        let response = ask_search(&harness, "gpt-5.4", stream);
        let request = &stub.requests()[0];
        assert_eq!(request["tools"], json!([{"type": "web_search"}]), "{request}");
        assert_eq!(request["tool_choice"], json!({"type": "web_search"}));
        let text = response.text();
        assert!(response.status == 200 && text.contains("web_search_tool_result"), "{text}");
        assert!(text.contains("https://a.example/rust") && text.contains("rust"), "{text}");
    }
}

#[test]
fn search_results_are_web_search_blocks() {
    let (harness, _stub) = harness_with_two_dialects(vec![search_answer()]);
    let reply: Value =
        serde_json::from_str(&ask_search(&harness, "gpt-5.4", false).text()).unwrap();
    let blocks = reply["content"].as_array().unwrap();
    let kinds: Vec<&str> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "server_tool_use", "web_search_tool_result"]);
    assert_eq!(blocks[1]["input"], json!({"query": "rust"}));
    assert_eq!(blocks[1]["id"], blocks[2]["tool_use_id"]);
    assert_eq!(blocks[2]["content"][0]["title"], "Rust");
}

#[test]
fn requests_without_search_use_the_first_dialect() {
    let (harness, stub) = harness_with_two_dialects(vec![success_answer("openai-chat")]);
    let body = json!({"model": "stub/gpt-5.4", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]});
    let response = post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes());
    assert!(response.text().contains("done"), "{}", response.text());
    assert!(stub.requests()[0].get("messages").is_some());
}

#[test]
fn a_model_without_search_is_called_without_it() {
    let error_text = "Hosted tool 'web_search' is not supported with gpt-5.4.";
    let (harness, stub) =
        harness_with_stub("openai-responses", vec![error_answer(error_text), search_answer()]);
    assert_eq!(ask_search(&harness, "gpt-5.4", false).status, 200);
    let request = stub.requests();
    assert_eq!(request.len(), 2);
    assert_eq!(request[0]["tools"][0]["type"], "web_search");
    assert!(request[1]["tools"].as_array().is_none_or(Vec::is_empty), "{}", request[1]);
    assert_eq!(ask_search(&harness, "gpt-5.4", false).status, 200);
    assert_eq!(stub.requests().len(), 3, "it is learned");
}
