//! A model's call that its provider could not read: the model is asked once more, if it has said nothing else.

use serde_json::{Value, json};

use crate::client::{Answer, post};
use crate::house::House;
use crate::ladder::stubbed;

/// A reply of the provider's, with these parts.
fn reply(parts: &Value, finish: &str) -> (u16, String) {
    let candidate = json!({
        "content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0,
        "finishMessage": "Malformed function call: print(look(place='here'))",
    });
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2});
    (200, json!({"candidates": [candidate], "usageMetadata": usage}).to_string())
}

fn garbled() -> (u16, String) {
    reply(&json!([]), "MALFORMED_FUNCTION_CALL")
}

fn done() -> (u16, String) {
    reply(&json!([{"text": "done"}]), "STOP")
}

/// The same, as the only event of a stream.
fn streamed((status, body): (u16, String)) -> (u16, String) {
    (status, format!("data: {body}\n\n"))
}

fn ask(house: &House, path: &str, stream: bool) -> Answer {
    let hello = json!([{"role": "user", "content": "hello"}]);
    let messages = if path.ends_with("responses") { "input" } else { "messages" };
    let body = json!({"model": "stub/gemini-2.5-pro", messages: hello, "stream": stream, "max_tokens": 99});
    post(house.addr(), path, "", body.to_string().as_bytes())
}

const PATHS: [&str; 3] = ["/v1/messages", "/v1/chat/completions", "/v1/responses"];

#[test]
fn the_model_is_asked_once_more() {
    for path in PATHS {
        for stream in [false, true] {
            let whole = vec![garbled(), done()];
            let said = if stream { whole.into_iter().map(streamed).collect() } else { whole };
            let (house, stub) = stubbed("gemini", said);
            let answer = ask(&house, path, stream);
            let text = answer.text();
            assert!(answer.status == 200 && text.contains("done"), "{path} {stream}: {text}");
            assert!(!text.contains("could not read"), "{path} {stream}: {text}");
            assert_eq!(stub.asked().len(), 2, "{path} {stream}");
            assert_eq!(stub.asked()[0], stub.asked()[1]);
        }
    }
}

#[test]
fn who_has_no_luck_twice_hears_of_it() {
    for path in PATHS {
        for stream in [false, true] {
            let said = if stream { streamed(garbled()) } else { garbled() };
            let (house, stub) = stubbed("gemini", vec![said]);
            let answer = ask(&house, path, stream);
            let text = answer.text();
            assert!(text.contains("Malformed function call"), "{path} {stream}: {text}");
            assert_eq!(stub.asked().len(), 2, "{path} {stream}");
        }
    }
}

#[test]
fn what_the_model_said_is_not_said_twice() {
    for path in PATHS {
        let said = reply(&json!([{"text": "I look."}]), "MALFORMED_FUNCTION_CALL");
        let (house, stub) = stubbed("gemini", vec![said, done()]);
        let text = ask(&house, path, false).text();
        assert!(text.contains("I look."), "{path}: {text}");
        assert_eq!(stub.asked().len(), 1, "{path}");
    }
}

#[test]
fn a_client_that_knows_the_word_asks_by_itself() {
    let (house, stub) = stubbed("gemini", vec![garbled(), done()]);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}]});
    let path = "/v1beta/models/stub/gemini-2.5-pro:generateContent";
    let answer = post(house.addr(), path, "", body.to_string().as_bytes());
    assert!(answer.text().contains("MALFORMED_FUNCTION_CALL"), "{}", answer.text());
    assert_eq!(stub.asked().len(), 1);
}
