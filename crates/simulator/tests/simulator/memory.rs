//! Conversations that the provider holds go on from a reply that it gave.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{PROMPT, Reply, Server, request};
use crate::envelope::{Envelopes, Refused};

/// The first reply of a conversation, and the call in it.
fn first(server: &Server, store: bool) -> (String, Value, String, String) {
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
fn a_response_goes_on_from_one_that_is_kept() {
    let server = Server::start();
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
fn a_response_that_is_not_kept_is_not_found() {
    let server = Server::start();
    let (path, body, id, call) = first(&server, false);
    let reply = server.post(&path, &next(&body, &id, output(&call)));
    assert_eq!(reply.status, 400);
    let error = &reply.json()["error"];
    assert_eq!(error["message"], format!("Previous response with id '{id}' not found."));
    assert_eq!(error["param"], "previous_response_id");
    assert_eq!(error["code"], "previous_response_not_found");
    // Nor is one of another provider.
    let (_, body, id, call) = first(&server, true);
    let reply = server.post("/azure/v1/responses", &next(&body, &id, output(&call)));
    assert_eq!(reply.status, 400, "{}", reply.text());
    // Nor one that was forgotten.
    server.send("DELETE", "/sim/log", "", b"");
    assert_eq!(server.post(&path, &next(&body, &id, output(&call))).status, 400);
}

#[test]
fn calls_of_a_response_that_is_kept_must_be_answered() {
    let server = Server::start();
    let (path, body, id, call) = first(&server, true);
    let reply = server.post(&path, &next(&body, &id, json!("Never mind.")));
    assert_eq!(reply.status, 400, "{}", reply.text());
    let said = reply.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(said, format!("No tool output found for function call {call}."));
}

#[test]
fn a_thread_goes_on_once_and_as_it_began() {
    let server = Server::start();
    let ask = |thread: &Value, system: &str, fault: &str| {
        let body = json!({
            "model": "claude-opus-4-5", "max_tokens": 500, "thread": thread, "system": system,
            "messages": [{"role": "user", "content": "And now?"}],
        });
        let headers = format!("anthropic-beta: message-threads-2026-08-12\r\n{fault}");
        server.send("POST", "/anthropic/v1/messages", &headers, body.to_string().as_bytes())
    };
    let first = ask(&json!({"type": "create"}), "Be good.", "").json();
    let on = json!({"type": "continue", "previous_message_id": first["id"]});
    is_refused("thread-fingerprint", &ask(&on, "Be bad.", ""));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| ask(&on, "Be good.", "x-sim-fault: stall=2\r\n"));
        // Until the other has been heard, this one is let in, and the other is what comes too late.
        std::thread::sleep(Duration::from_millis(500));
        is_refused("thread-in-flight", &ask(&on, "Be good.", ""));
        assert_eq!(slow.join().unwrap().status, 200);
    });
    is_refused("thread-continued", &ask(&on, "Be good.", ""));
}

/// Whether the answer is what the cases of this rule say, whole.
fn is_refused(rule: &str, reply: &Reply) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/strict/anthropic");
    let case = fs::read(corpus.join(format!("{rule}.json"))).unwrap();
    let case: Value = serde_json::from_slice(&case).unwrap();
    let entry = &case["refuse"][0];
    let status = entry["status"].as_u64().unwrap_or(400);
    assert_eq!(u64::from(reply.status), status, "{rule}: {}", reply.text());
    let refused = Refused { dialect: "anthropic", flavor: "anthropic", status, entry };
    if let Some(how) = Envelopes::read().differs(&refused, reply) {
        panic!("{rule}: {how}");
    }
}

#[test]
fn a_summary_is_given_and_taken_back() {
    let server = Server::start();
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
    let said = json!({"role": "user", "content": "Hello"});
    let mut body = json!({
        "model": "claude-opus-4-5", "max_tokens": 500, "messages": [said],
        "compaction": {"type": "summarize"},
    });
    let reply = send(&body).json();
    assert_eq!(reply["stop_reason"], "compaction", "{reply}");
    let mut summary = reply["content"][0].clone();
    body.as_object_mut().unwrap().shift_remove("compaction");
    let on = json!({"role": "user", "content": "Go on."});
    body["messages"] = json!([{"role": "assistant", "content": [summary]}, on]);
    assert_eq!(send(&body).status, 200, "{}", send(&body).text());
    summary["content"] = "Nothing was said.".into();
    body["messages"][0]["content"][0] = summary;
    let refused = send(&body).json();
    assert_eq!(refused["error"]["details"]["error_code"], "compaction_content_mismatch");
}
