//! Agents that leave searching to whoever answers: every provider is asked as it has it, and what it found is told
//! as the agent reads it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::{Answer, post};
use crate::house::House;
use crate::ladder::{in_front_of, provider, stubbed};
use crate::stub::{Stub, refusal, said};

/// A provider with two ways to be asked, of which one can search.
fn of_two_ways(answers: Vec<(u16, String)>) -> (House, Stub) {
    let stub = Stub::saying(answers);
    let mut of_both = provider(&stub, "openai-chat");
    of_both.also.push(Arc::new(provider(&stub, "openai-responses")));
    (in_front_of(of_both), stub)
}

/// As the search of Claude Code asks.
fn search(house: &House, model: &str, stream: bool) -> Answer {
    let body = json!({
        "model": format!("stub/{model}"), "max_tokens": 99, "stream": stream,
        "messages": [{"role": "user", "content": "Perform a web search for the query: rust"}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}],
        "tool_choice": {"type": "tool", "name": "web_search"},
    });
    post(house.addr(), "/v1/messages", "", body.to_string().as_bytes())
}

fn found() -> (u16, String) {
    let place = json!({"type": "url_citation", "url": "https://a.example/rust", "title": "Rust",
        "start_index": 0, "end_index": 4});
    let text =
        json!({"type": "output_text", "text": "Rust is a language.", "annotations": [place]});
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
fn the_way_that_searches_is_taken() {
    for stream in [false, true] {
        let (house, stub) = of_two_ways(vec![found()]);
        let answer = search(&house, "gpt-5.4", stream);
        let asked = &stub.asked()[0];
        assert_eq!(asked["tools"], json!([{"type": "web_search"}]), "{asked}");
        assert_eq!(asked["tool_choice"], json!({"type": "web_search"}));
        let text = answer.text();
        assert!(answer.status == 200 && text.contains("web_search_tool_result"), "{text}");
        assert!(text.contains("https://a.example/rust") && text.contains("rust"), "{text}");
    }
}

#[test]
fn the_links_are_where_agents_look_for_them() {
    let (house, _stub) = of_two_ways(vec![found()]);
    let reply: Value = serde_json::from_str(&search(&house, "gpt-5.4", false).text()).unwrap();
    let blocks = reply["content"].as_array().unwrap();
    let kinds: Vec<&str> = blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "server_tool_use", "web_search_tool_result"]);
    assert_eq!(blocks[1]["input"], json!({"query": "rust"}));
    assert_eq!(blocks[1]["id"], blocks[2]["tool_use_id"]);
    assert_eq!(blocks[2]["content"][0]["title"], "Rust");
}

#[test]
fn who_does_not_search_is_asked_as_ever() {
    let (house, stub) = of_two_ways(vec![said("openai-chat")]);
    let body = json!({"model": "stub/gpt-5.4", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]});
    let answer = post(house.addr(), "/v1/messages", "", body.to_string().as_bytes());
    assert!(answer.text().contains("done"), "{}", answer.text());
    assert!(stub.asked()[0].get("messages").is_some());
}

#[test]
fn a_model_without_a_search_answers_without() {
    let words = "Hosted tool 'web_search' is not supported with gpt-5.4.";
    let (house, stub) = stubbed("openai-responses", vec![refusal(words), found()]);
    assert_eq!(search(&house, "gpt-5.4", false).status, 200);
    let asked = stub.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["tools"][0]["type"], "web_search");
    assert!(asked[1]["tools"].as_array().is_none_or(Vec::is_empty), "{}", asked[1]);
    assert_eq!(search(&house, "gpt-5.4", false).status, 200);
    assert_eq!(stub.asked().len(), 3, "it is learned");
}
