//! Tests of `pause_turn`: clients of other dialects get one reply.

use serde_json::{Value, json};

use crate::client::{HttpResponse, post, reply_repairs};
use crate::harness::Harness;
use crate::lessons::harness_with_stub;
use crate::stub_provider::{StubProvider, error_answer};

fn message(stop: &str, content: &Value) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 5}})
}

fn whole_answer(stop: &str, content: &Value) -> (u16, String) {
    (200, message(stop, content).to_string())
}

/// The answer as an event stream.
fn stream_answer(stop: &str, content: &Value) -> (u16, String) {
    let mut start = message(stop, &json!([]));
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in content.as_array().unwrap().iter().enumerate() {
        let (mut start_block, mut delta) = (block.clone(), None);
        match block["type"].as_str().unwrap() {
            "text" => {
                start_block["text"] = json!("");
                delta = Some(json!({"type": "text_delta", "text": block["text"]}));
            }
            "server_tool_use" => {
                start_block["input"] = json!({});
                let input = block["input"].to_string();
                delta = Some(json!({"type": "input_json_delta", "partial_json": input}));
            }
            _ => {}
        }
        let start_block =
            json!({"type": "content_block_start", "index": index, "content_block": start_block});
        events.push(start_block);
        events.extend(
            delta.map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop},
        "usage": {"output_tokens": 5}}));
    events.push(json!({"type": "message_stop"}));
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    (200, events.iter().map(event).collect())
}

type AnswerFn = fn(&str, &Value) -> (u16, String);

fn paused_content() -> Value {
    let results = json!([{"type": "web_search_result", "url": "https://a.example", "title": "A",
        "encrypted_content": "c2VhbGVk", "page_age": null}]);
    json!([
        {"type": "text", "text": "Let me see. "},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "rust"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results},
    ])
}

fn continued_content() -> Value {
    json!([{"type": "text", "text": "Rust is a language."}])
}

fn harness_with_claude(answers: Vec<(u16, String)>) -> (Harness, StubProvider) {
    harness_with_stub("anthropic", answers)
}

fn ask(harness: &Harness, stream: bool) -> HttpResponse {
    let body = json!({"model": "stub/claude-sonnet-4-5", "stream": stream,
        "input": "Search for rust.", "tools": [{"type": "web_search"}]});
    post(harness.addr(), "/v1/responses", "", body.to_string().as_bytes())
}

/// The response object of the last event, or of the body.
fn response(response: &HttpResponse, stream: bool) -> Value {
    let text = response.text();
    if !stream {
        return serde_json::from_str(&text).unwrap();
    }
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["type"], "response.completed", "{text}");
    last["response"].clone()
}

fn output_text(response: &Value) -> String {
    let output = response["output"].as_array().unwrap().iter();
    let parts = output.filter_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

#[test]
fn a_paused_turn_is_one_reply() {
    for stream in [false, true] {
        for make_answer in [whole_answer as AnswerFn, stream_answer] {
            let answers = vec![
                make_answer("pause_turn", &paused_content()),
                make_answer("end_turn", &continued_content()),
            ];
            let (harness, stub) = harness_with_claude(answers);
            let answer = ask(&harness, stream);
            let response = response(&answer, stream);
            assert_eq!(response["status"], "completed", "{response}");
            assert_eq!(output_text(&response), "Let me see. Rust is a language.");
            let usage = &response["usage"];
            assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(20), &json!(10)));
            let of_reply = reply_repairs(harness.addr(), &answer);
            assert!(of_reply.contains(&"paused-turn".to_owned()), "{of_reply:?}");
            assert!(!answer.headers.contains("paused-turn"), "{}", answer.headers);
            let (first, second) = (&stub.requests()[0], &stub.requests()[1]);
            let [user, assistant] = second["messages"].as_array().unwrap().as_slice() else {
                panic!("{second}");
            };
            assert_eq!(*user, first["messages"][0]);
            assert_eq!(
                *assistant,
                json!({"role": "assistant", "content": paused_content()}),
                "the content is unchanged"
            );
            assert_eq!(second["tools"], first["tools"]);
            assert_eq!(stub.requests().len(), 2);
        }
    }
}

#[test]
fn continuations_are_limited() {
    for stream in [false, true] {
        for make_answer in [whole_answer as AnswerFn, stream_answer] {
            let (harness, stub) =
                harness_with_claude(vec![make_answer("pause_turn", &continued_content())]);
            let response = response(&ask(&harness, stream), stream);
            assert_eq!(output_text(&response), "Rust is a language.".repeat(6));
            assert_eq!(stub.requests().len(), 6);
        }
    }
}

#[test]
fn a_failed_continuation_keeps_the_first_part() {
    for stream in [false, true] {
        for make_answer in [whole_answer as AnswerFn, stream_answer] {
            let (harness, stub) = harness_with_claude(vec![
                make_answer("pause_turn", &paused_content()),
                error_answer("no"),
            ]);
            let response = response(&ask(&harness, stream), stream);
            assert_eq!(output_text(&response), "Let me see. ");
            assert_eq!(stub.requests().len(), 2);
        }
    }
}

#[test]
fn a_client_that_supports_pauses_gets_them() {
    for (stream, make_answer) in [(false, whole_answer as AnswerFn), (true, stream_answer)] {
        let (harness, stub) =
            harness_with_claude(vec![make_answer("pause_turn", &paused_content())]);
        let body = json!({"model": "stub/claude-sonnet-4-5", "max_tokens": 99, "stream": stream,
            "messages": [{"role": "user", "content": "Search for rust."}],
            "tools": [{"type": "web_search_20250305", "name": "web_search"}]});
        let response = post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes());
        assert!(response.text().contains("pause_turn"), "{}", response.text());
        assert_eq!(stub.requests().len(), 1);
    }
}

#[test]
fn a_broken_continuation_is_an_error() {
    let (status, cut) = stream_answer("end_turn", &continued_content());
    let cut = cut.split("event: message_delta").next().unwrap().to_owned();
    let (harness, _stub) =
        harness_with_claude(vec![stream_answer("pause_turn", &paused_content()), (status, cut)]);
    let text = ask(&harness, true).text();
    assert!(text.contains("response.failed") && !text.contains("response.completed"), "{text}");
}
