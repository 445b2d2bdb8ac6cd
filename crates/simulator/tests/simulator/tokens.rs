//! Token counts and limits.

use serde_json::json;

use crate::client::{PROMPT, TestServer, request};

#[test]
fn a_request_is_counted_without_being_answered() {
    let server = TestServer::start();
    let message = json!({"model": "m", "messages": [{"role": "user", "content": "Hello"}]});
    let counted = server.post("/v1/messages/count_tokens?beta=true", &message).json();
    assert!(counted["input_tokens"].as_u64().unwrap() > 1);
    let (_, body) = request("gemini", false, PROMPT);
    let counted =
        server.post("/v1beta/models/m:countTokens", &json!({"generateContentRequest": body}));
    assert!(counted.json()["totalTokens"].as_u64().unwrap() > 1);
    let (_, body) = request("responses", false, PROMPT);
    let counted = server.post("/v1/responses/input_tokens", &body).json();
    assert_eq!(counted["object"], "response.input_tokens");
}

#[test]
fn the_reply_ends_at_the_limit() {
    let server = TestServer::start();
    let (path, mut body) = request("anthropic", false, &"words ".repeat(100));
    body["tools"] = json!([]);
    body["thinking"] = json!({"type": "disabled"});
    body["max_tokens"] = json!(5);
    let reply = server.post(&path, &body).json();
    assert_eq!(reply["stop_reason"], "max_tokens", "{reply}");
    assert_eq!(reply["usage"]["output_tokens"], 5);
    assert_eq!(reply["content"][0]["text"].as_str().unwrap().len(), 20);
    let (path, mut body) = request("responses", true, &"words ".repeat(100));
    body["max_output_tokens"] = json!(16);
    let events = server.post(&path, &body).events();
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.incomplete");
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
}

#[test]
fn the_previous_messages_are_cached() {
    let server = TestServer::start();
    let (path, mut body) = request("openai", false, PROMPT);
    let first = server.post(&path, &body).json()["usage"].clone();
    assert_eq!(first["prompt_tokens_details"]["cached_tokens"], 0);
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": "Yes."}));
    messages.push(json!({"role": "user", "content": "Again."}));
    let second = server.post(&path, &body).json()["usage"].clone();
    let cached = second["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap();
    assert!(cached > 0 && cached < second["prompt_tokens"].as_u64().unwrap(), "{second}");
}

#[test]
fn the_reply_ends_before_a_stop_sequence() {
    let server = TestServer::start();
    let prompt = "one STOP two";
    let (path, mut body) = request("anthropic", false, prompt);
    body["tools"] = json!([]);
    body["thinking"] = json!({"type": "disabled"});
    body["stop_sequences"] = json!(["never", " STOP"]);
    let reply = server.post(&path, &body).json();
    assert_eq!(reply["stop_reason"], "stop_sequence", "{reply}");
    assert_eq!(reply["stop_sequence"], " STOP");
    assert_eq!(reply["content"][0]["text"], "You said \"one");
    let (path, mut body) = request("openai", false, prompt);
    body.as_object_mut().unwrap().shift_remove("tools");
    body["stop"] = json!(" STOP");
    let choice = server.post(&path, &body).json()["choices"][0].clone();
    assert_eq!(choice["finish_reason"], "stop");
    assert_eq!(choice["message"]["content"], "You said \"one");
    let (path, mut body) = request("bedrock", false, prompt);
    body.as_object_mut().unwrap().shift_remove("toolConfig");
    body["inferenceConfig"]["stopSequences"] = json!([" STOP"]);
    assert_eq!(server.post(&path, &body).json()["stopReason"], "stop_sequence");
}
