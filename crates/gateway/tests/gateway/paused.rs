//! A provider pauses a long turn of searches: for clients that have no word for that it is one reply.

use serde_json::{Value, json};

use crate::client::{Answer, post};
use crate::house::House;
use crate::ladder::stubbed;
use crate::stub::{Stub, refusal};

fn of_provider(stop: &str, content: &Value) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 5}})
}

fn whole(stop: &str, content: &Value) -> (u16, String) {
    (200, of_provider(stop, content).to_string())
}

/// The same as a stream.
fn streamed(stop: &str, content: &Value) -> (u16, String) {
    let mut start = of_provider(stop, &json!([]));
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in content.as_array().unwrap().iter().enumerate() {
        let (mut open, mut delta) = (block.clone(), None);
        match block["type"].as_str().unwrap() {
            "text" => {
                open["text"] = json!("");
                delta = Some(json!({"type": "text_delta", "text": block["text"]}));
            }
            "server_tool_use" => {
                open["input"] = json!({});
                let input = block["input"].to_string();
                delta = Some(json!({"type": "input_json_delta", "partial_json": input}));
            }
            _ => {}
        }
        let open = json!({"type": "content_block_start", "index": index, "content_block": open});
        events.push(open);
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

type Written = fn(&str, &Value) -> (u16, String);

fn first() -> Value {
    let found = json!([{"type": "web_search_result", "url": "https://a.example", "title": "A",
        "encrypted_content": "c2VhbGVk", "page_age": null}]);
    json!([
        {"type": "text", "text": "Let me see. "},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "rust"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found},
    ])
}

fn second() -> Value {
    json!([{"type": "text", "text": "Rust is a language."}])
}

fn claude(answers: Vec<(u16, String)>) -> (House, Stub) {
    stubbed("anthropic", answers)
}

fn asked(house: &House, stream: bool) -> Answer {
    let body = json!({"model": "stub/claude-sonnet-4-5", "stream": stream,
        "input": "Search for rust.", "tools": [{"type": "web_search"}]});
    post(house.addr(), "/v1/responses", "", body.to_string().as_bytes())
}

/// The reply in the last event, or the body.
fn response(answer: &Answer, stream: bool) -> Value {
    let text = answer.text();
    if !stream {
        return serde_json::from_str(&text).unwrap();
    }
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["type"], "response.completed", "{text}");
    last["response"].clone()
}

fn words(response: &Value) -> String {
    let output = response["output"].as_array().unwrap().iter();
    let parts = output.filter_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

#[test]
fn the_client_hears_one_reply() {
    for stream in [false, true] {
        for written in [whole as Written, streamed] {
            let answers = vec![written("pause_turn", &first()), written("end_turn", &second())];
            let (house, stub) = claude(answers);
            let answer = asked(&house, stream);
            let response = response(&answer, stream);
            assert_eq!(response["status"], "completed", "{response}");
            assert_eq!(words(&response), "Let me see. Rust is a language.");
            let usage = &response["usage"];
            assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(20), &json!(10)));
            if !stream {
                assert!(answer.header("x-interlingua-repairs").unwrap().contains("paused-turn"));
            }
            let (asked, again) = (&stub.asked()[0], &stub.asked()[1]);
            let [question, said] = again["messages"].as_array().unwrap().as_slice() else {
                panic!("{again}");
            };
            assert_eq!(*question, asked["messages"][0]);
            assert_eq!(*said, json!({"role": "assistant", "content": first()}), "as it was said");
            assert_eq!(again["tools"], asked["tools"]);
            assert_eq!(stub.asked().len(), 2);
        }
    }
}

#[test]
fn nobody_goes_on_for_ever() {
    for stream in [false, true] {
        for written in [whole as Written, streamed] {
            let (house, stub) = claude(vec![written("pause_turn", &second())]);
            let response = response(&asked(&house, stream), stream);
            assert_eq!(words(&response), "Rust is a language.".repeat(6));
            assert_eq!(stub.asked().len(), 6);
        }
    }
}

#[test]
fn what_was_said_stays_where_the_provider_does_not_go_on() {
    for stream in [false, true] {
        for written in [whole as Written, streamed] {
            let (house, stub) = claude(vec![written("pause_turn", &first()), refusal("no")]);
            let response = response(&asked(&house, stream), stream);
            assert_eq!(words(&response), "Let me see. ");
            assert_eq!(stub.asked().len(), 2);
        }
    }
}

#[test]
fn a_client_that_knows_pauses_hears_of_them() {
    for (stream, written) in [(false, whole as Written), (true, streamed)] {
        let (house, stub) = claude(vec![written("pause_turn", &first())]);
        let body = json!({"model": "stub/claude-sonnet-4-5", "max_tokens": 99, "stream": stream,
            "messages": [{"role": "user", "content": "Search for rust."}],
            "tools": [{"type": "web_search_20250305", "name": "web_search"}]});
        let answer = post(house.addr(), "/v1/messages", "", body.to_string().as_bytes());
        assert!(answer.text().contains("pause_turn"), "{}", answer.text());
        assert_eq!(stub.asked().len(), 1);
    }
}

#[test]
fn a_stream_that_breaks_when_it_goes_on_is_no_end() {
    let (status, cut) = streamed("end_turn", &second());
    let cut = cut.split("event: message_delta").next().unwrap().to_owned();
    let (house, _stub) = claude(vec![streamed("pause_turn", &first()), (status, cut)]);
    let text = asked(&house, true).text();
    assert!(text.contains("response.failed") && !text.contains("response.completed"), "{text}");
}
