//! Requests that continue a stored conversation.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{PROMPT, Reply, TestServer, request};
use crate::envelope::{EnvelopeTable, ExpectedError};

/// The first reply of a conversation, and the call in it.
fn first(server: &TestServer, store: bool) -> (String, Value, String, String) {
    let (path, mut body) = request("responses", false, PROMPT);
    body["store"] = store.into();
    let reply = server.post(&path, &body).json();
    let call = reply["output"].as_array().unwrap().iter().find(|item| !item["call_id"].is_null());
    let call = call.unwrap()["call_id"].as_str().unwrap().to_owned();
    (path, body, reply["id"].as_str().unwrap().to_owned(), call)
}

fn next(body: &Value, previous: &str, input: Value) -> Value {
    let mut next = body.clone();
    next["previous_response_id"] = previous.into();
    next["input"] = input;
    next
}

fn output(call: &str) -> Value {
    json!([{"type": "function_call_output", "call_id": call, "output": "Rain"}])
}

fn text(reply: &Value) -> String {
    let message = reply["output"].as_array().unwrap().iter().find(|item| item["type"] == "message");
    message.unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_response_continues_a_stored_one() {
    let server = TestServer::start();
    let (path, body, id, call) = first(&server, true);
    let reply = server.post(&path, &next(&body, &id, output(&call))).json();
    assert_eq!(reply["previous_response_id"], id.as_str());
    assert!(text(&reply).contains("\"Rain\""), "{reply}");
    let third = reply["id"].as_str().unwrap();
    let mut again = next(&body, third, json!("And now?"));
    again["tools"] = json!([]);
    let reply = server.post(&path, &again);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(text(&reply.json()).contains("And now?"));
}

#[test]
fn a_response_that_is_not_stored_is_not_found() {
    let server = TestServer::start();
    let (path, body, id, call) = first(&server, false);
    let reply = server.post(&path, &next(&body, &id, output(&call)));
    assert_eq!(reply.status, 400);
    let error = &reply.json()["error"];
    assert_eq!(error["message"], format!("Previous response with id '{id}' not found."));
    assert_eq!(error["param"], "previous_response_id");
    assert_eq!(error["code"], "previous_response_not_found");
    // A response of another provider is not found either.
    let (_, body, id, call) = first(&server, true);
    let reply = server.post("/azure/v1/responses", &next(&body, &id, output(&call)));
    assert_eq!(reply.status, 400, "{}", reply.text());
    // `DELETE /sim/log` also removes stored replies.
    server.send("DELETE", "/sim/log", "", b"");
    assert_eq!(server.post(&path, &next(&body, &id, output(&call))).status, 400);
}

#[test]
fn calls_of_a_stored_response_must_be_answered() {
    let server = TestServer::start();
    let (path, body, id, call) = first(&server, true);
    let reply = server.post(&path, &next(&body, &id, json!("Never mind.")));
    assert_eq!(reply.status, 400, "{}", reply.text());
    let message = reply.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, format!("No tool output found for function call {call}."));
}

#[test]
fn a_thread_continues_once_with_the_same_settings() {
    let server = TestServer::start();
    let send = |thread: &Value, system: &str, fault: &str| {
        let body = json!({
            "model": "claude-opus-4-5", "max_tokens": 500, "thread": thread, "system": system,
            "messages": [{"role": "user", "content": "And now?"}],
        });
        let headers = format!("anthropic-beta: message-threads-2026-08-12\r\n{fault}");
        server.send("POST", "/anthropic/v1/messages", &headers, body.to_string().as_bytes())
    };
    let first = send(&json!({"type": "create"}), "Be good.", "").json();
    let thread = json!({"type": "continue", "previous_message_id": first["id"]});
    assert_rejected_by("thread-fingerprint", &send(&thread, "Be bad.", ""));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| send(&thread, "Be good.", "x-sim-fault: stall=2\r\n"));
        // The pause ensures that the server accepts the slow request first.
        std::thread::sleep(Duration::from_millis(500));
        assert_rejected_by("thread-in-flight", &send(&thread, "Be good.", ""));
        assert_eq!(slow.join().unwrap().status, 200);
    });
    assert_rejected_by("thread-continued", &send(&thread, "Be good.", ""));
}

/// Checks that the reply has the complete error of the corpus case of this rule.
fn assert_rejected_by(rule: &str, reply: &Reply) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/strict/anthropic");
    let case = fs::read(corpus.join(format!("{rule}.json"))).unwrap();
    let case: Value = serde_json::from_slice(&case).unwrap();
    let entry = &case["refuse"][0];
    let status = entry["status"].as_u64().unwrap_or(400);
    assert_eq!(u64::from(reply.status), status, "{rule}: {}", reply.text());
    let expected = ExpectedError { dialect: "anthropic", flavor: "anthropic", status, entry };
    if let Some(difference) = EnvelopeTable::read().difference(&expected, reply) {
        panic!("{rule}: {difference}");
    }
}

#[test]
fn a_summary_is_sent_and_accepted_back() {
    let server = TestServer::start();
    let (path, mut body) = request("responses", true, PROMPT);
    body["input"].as_array_mut().unwrap().push(json!({"type": "compaction_trigger"}));
    let events = server.post(&path, &body).events();
    let output = events.last().unwrap()["response"]["output"].clone();
    assert_eq!(output.as_array().unwrap().len(), 1, "{output}");
    assert_eq!(output[0]["type"], "compaction");
    body["input"] = json!([output[0], {"role": "user", "content": "Go on."}]);
    assert_eq!(server.post(&path, &body).status, 200);
    body["input"][0]["encrypted_content"] = "gAAAforeign".into();
    assert_eq!(server.post(&path, &body).status, 400);

    let headers = "anthropic-beta: compact-2026-01-12\r\n";
    let send = |body: &Value| {
        server.send("POST", "/anthropic/v1/messages", headers, body.to_string().as_bytes())
    };
    let message = json!({"role": "user", "content": "Hello"});
    let mut body = json!({
        "model": "claude-opus-4-5", "max_tokens": 500, "messages": [message],
        "compaction": {"type": "summarize"},
    });
    let reply = send(&body).json();
    assert_eq!(reply["stop_reason"], "compaction", "{reply}");
    let mut summary = reply["content"][0].clone();
    body.as_object_mut().unwrap().shift_remove("compaction");
    let next_message = json!({"role": "user", "content": "Go on."});
    body["messages"] = json!([{"role": "assistant", "content": [summary]}, next_message]);
    assert_eq!(send(&body).status, 200, "{}", send(&body).text());
    summary["content"] = "Nothing was said.".into();
    body["messages"][0]["content"][0] = summary;
    let rejected = send(&body).json();
    assert_eq!(rejected["error"]["details"]["error_code"], "compaction_content_mismatch");
}
