//! Tests of `MALFORMED_FUNCTION_CALL`: the request is sent once more if the reply has no content.

use serde_json::{Value, json};

use crate::client::{HttpResponse, post};
use crate::harness::Harness;
use crate::lessons::harness_with_stub;

/// A Gemini response with these parts.
fn reply(parts: &Value, finish: &str) -> (u16, String) {
    let candidate = json!({
        "content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0,
        "finishMessage": "Malformed function call: print(look(place='here'))",
    });
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2});
    (200, json!({"candidates": [candidate], "usageMetadata": usage}).to_string())
}

fn malformed_answer() -> (u16, String) {
    reply(&json!([]), "MALFORMED_FUNCTION_CALL")
}

fn done_answer() -> (u16, String) {
    reply(&json!([{"text": "done"}]), "STOP")
}

/// The answer as a stream of one event.
fn as_stream((status, body): (u16, String)) -> (u16, String) {
    (status, format!("data: {body}\n\n"))
}

fn ask(harness: &Harness, path: &str, stream: bool) -> HttpResponse {
    let hello = json!([{"role": "user", "content": "hello"}]);
    let messages = if path.ends_with("responses") { "input" } else { "messages" };
    let body = json!({"model": "stub/gemini-2.5-pro", messages: hello, "stream": stream, "max_tokens": 99});
    post(harness.addr(), path, "", body.to_string().as_bytes())
}

const PATHS: [&str; 3] = ["/v1/messages", "/v1/chat/completions", "/v1/responses"];

#[test]
fn a_malformed_call_is_retried_once() {
    for path in PATHS {
        for stream in [false, true] {
            let answers = vec![malformed_answer(), done_answer()];
            let answer =
                if stream { answers.into_iter().map(as_stream).collect() } else { answers };
            let (harness, stub) = harness_with_stub("gemini", answer);
            let response = ask(&harness, path, stream);
            let text = response.text();
            assert!(response.status == 200 && text.contains("done"), "{path} {stream}: {text}");
            assert!(!text.contains("could not read"), "{path} {stream}: {text}");
            assert_eq!(stub.requests().len(), 2, "{path} {stream}");
            assert_eq!(stub.requests()[0], stub.requests()[1]);
        }
    }
}

#[test]
fn a_second_malformed_call_is_passed_to_the_client() {
    for path in PATHS {
        for stream in [false, true] {
            let answer = if stream { as_stream(malformed_answer()) } else { malformed_answer() };
            let (harness, stub) = harness_with_stub("gemini", vec![answer]);
            let response = ask(&harness, path, stream);
            let text = response.text();
            assert!(text.contains("Malformed function call"), "{path} {stream}: {text}");
            assert_eq!(stub.requests().len(), 2, "{path} {stream}");
        }
    }
}

#[test]
fn a_malformed_call_with_text_is_not_retried() {
    for path in PATHS {
        let answer = reply(&json!([{"text": "I look."}]), "MALFORMED_FUNCTION_CALL");
        let (harness, stub) = harness_with_stub("gemini", vec![answer, done_answer()]);
        let text = ask(&harness, path, false).text();
        assert!(text.contains("I look."), "{path}: {text}");
        assert_eq!(stub.requests().len(), 1, "{path}");
    }
}

#[test]
fn a_gemini_client_gets_the_malformed_call() {
    let (harness, stub) = harness_with_stub("gemini", vec![malformed_answer(), done_answer()]);
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}]});
    let path = "/v1beta/models/stub/gemini-2.5-pro:generateContent";
    let response = post(harness.addr(), path, "", body.to_string().as_bytes());
    assert!(response.text().contains("MALFORMED_FUNCTION_CALL"), "{}", response.text());
    assert_eq!(stub.requests().len(), 1);
}
