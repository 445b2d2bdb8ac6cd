//! Tests of `[repair]`: requests that are sent as the client wrote them, requests that are rejected
//! because a part would be left out, and rules that are turned off.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use interlingua::find_dialect;
use interlingua_gateway::config::{Config, RepairConfig};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{HttpResponse, post};
use crate::harness::Harness;
use crate::keys::{auth_header, key};
use crate::lessons::{harness_with_provider, harness_with_stub};
use crate::raw_server::raw_server;
use crate::stub_provider::success_answer;

fn repair_config(toml: &str) -> RepairConfig {
    Config::parse(toml, &|_| None).unwrap_or_else(|errors| panic!("{errors:?}")).0.repair
}

/// Replaces `[repair]` of a running gateway, as a reload does.
fn set_repair(harness: &Harness, toml: &str) {
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.repair = repair_config(toml);
    gateway.reconfigure(config);
}

/// A gateway in front of a server that sends these bytes; with the bodies that it receives.
fn harness_with_bytes(
    dialect: &str,
    (content_type, body): (&'static str, &'static str),
) -> (Harness, Arc<Mutex<Vec<String>>>) {
    let received = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&received);
    let addr = raw_server(move |mut stream, request| {
        let (_, request_body) = request.split_once("\r\n\r\n").unwrap();
        log.lock().unwrap().push(request_body.to_owned());
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
    });
    let base = format!("http://{addr}").parse().unwrap();
    let provider = Provider::new("stub", find_dialect(dialect).unwrap(), base);
    (harness_with_provider(provider), received)
}

fn ask_chat(addr: SocketAddr, body: &str) -> HttpResponse {
    post(addr, "/v1/chat/completions", "", body.as_bytes())
}

/// A result without its call, an empty turn, an unknown field, and a lone surrogate.
const BROKEN_CHAT: &str = r#"{ "model":"stub/m" ,"frobnicate":[ 1 ], "messages":[
    {"role":"user","content":"cut \ud83d here"}, {"role":"assistant","content":""},
    {"role":"tool","tool_call_id":"lost","content":"7"},{"role":"user","content":"go on"}]}"#;

/// A reply that clients would misread: a list as content, a call without a type, another reason.
const ODD_REPLY: &str = r#"{"id":"r1" , "choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"hm"}],"tool_calls":[{"id":"c1","function":{"name":"look","arguments":"{}"}}]}}]}"#;

#[test]
fn verbatim_sends_the_clients_bytes_and_passes_the_reply_on() {
    let (harness, received) = harness_with_bytes("openai-chat", ("application/json", ODD_REPLY));
    let repaired = ask_chat(harness.addr(), BROKEN_CHAT);
    assert_eq!(repaired.status, 200);
    assert!(repaired.header("x-interlingua-repairs").is_some());
    set_repair(&harness, "repair.mode = \"verbatim\"");
    let response = ask_chat(harness.addr(), BROKEN_CHAT);
    assert_eq!((response.status, response.text().as_str()), (200, ODD_REPLY));
    assert_eq!(response.header("x-interlingua-repairs"), None);
    let received = received.lock().unwrap();
    assert_eq!(received[1], BROKEN_CHAT.replace("\"stub/m\"", "\"m\""));
    assert_ne!(received[0], received[1], "repaired before");
}

#[test]
fn verbatim_passes_a_stream_on() {
    const STREAM: &str = "data: {\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hm\"}]}}]}\n\ndata: {\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"id\":\"r\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let (harness, _) = harness_with_bytes("openai-chat", ("text/event-stream", STREAM));
    let request = r#"{"model":"stub/m","stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    assert_ne!(ask_chat(harness.addr(), request).text(), STREAM);
    set_repair(&harness, "repair.mode = \"verbatim\"");
    assert_eq!(ask_chat(harness.addr(), request).text(), STREAM);
}

#[test]
fn verbatim_encodes_without_rules_for_another_dialect() {
    let (harness, stub) = harness_with_stub("anthropic", vec![success_answer("anthropic")]);
    let broken = BROKEN_CHAT.replace("\\ud83d", "");
    assert_eq!(ask_chat(harness.addr(), &broken).status, 200);
    set_repair(&harness, "repair.mode = \"verbatim\"");
    let response = ask_chat(harness.addr(), &broken);
    assert_eq!(response.status, 200);
    let reply: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(reply["choices"][0]["message"]["content"], "done", "the client's dialect");
    let sent = stub.requests();
    assert!(!sent[0]["messages"].to_string().contains("\"tool_result\""), "{}", sent[0]);
    assert!(sent[1]["messages"].to_string().contains("\"tool_result\""), "{}", sent[1]);
    assert_eq!(sent[1]["model"], "m");
}

#[test]
fn a_request_that_would_lose_something_is_rejected_before_the_provider_is_called() {
    let (harness, stub) = harness_with_stub("anthropic", vec![success_answer("anthropic")]);
    set_repair(&harness, "repair.mode = \"reject-on-loss\"");
    let hello = json!([{"role": "user", "content": "hello"}]);
    let lossless = json!({"model": "stub/m", "max_tokens": 9, "messages": hello});
    assert_eq!(ask_chat(harness.addr(), &lossless.to_string()).status, 200);
    let lossy =
        json!({"model": "stub/m", "max_tokens": 9, "messages": hello, "logit_bias": {"7": 1}});
    let response = ask_chat(harness.addr(), &lossy.to_string());
    assert_eq!(response.status, 400);
    let error: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(error["error"]["type"], "invalid_request_error");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("reject-on-loss") && message.contains("logit_bias"), "{message}");
    assert_eq!(stub.requests().len(), 1, "only the first request was sent");
}

#[test]
fn the_mode_of_a_key_comes_before_that_of_the_provider_and_rules_add_up() {
    let tool = json!({"name": "look", "input_schema": {"type": "object"}});
    let lost = json!({"type": "tool_result", "tool_use_id": "lost", "content": "7"});
    let broken = json!({"model": "stub/m", "max_tokens": 9, "tools": [tool, tool], "messages": [
        {"role": "user", "content": [lost, {"type": "text", "text": "hello"}]},
    ]});
    let (harness, stub) = harness_with_stub("anthropic", vec![success_answer("anthropic")]);
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.access.keys = vec![key("ann"), key("bob")];
    config.repair = repair_config(
        "[repair]\noff = [\"orphan-result\"]\n\
         [providers.stub]\ndialect = \"anthropic\"\nbase_url = \"http://127.0.0.1:1/x\"\n\
         repair = { mode = \"verbatim\" }\n\
         [[access.keys]]\nname = \"ann\"\nkey = \"a-key-of-sixteen-characters\"\n\
         repair = { mode = \"repair\", off = [\"duplicate-tool\"] }\n\
         [[access.keys]]\nname = \"bob\"\nkey = \"b-key-of-sixteen-characters\"\n",
    );
    gateway.reconfigure(config);
    let ask = |name: &str| {
        let response =
            post(harness.addr(), "/v1/messages", &auth_header(name), broken.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        response.header("x-interlingua-repairs").map(str::to_owned)
    };
    assert_eq!(ask("bob"), None, "verbatim for the provider");
    assert_eq!(ask("ann"), None, "both rules are off");
    assert!(stub.requests().iter().all(|sent| sent["messages"] == broken["messages"]));
    set_repair(&harness, "repair.off = [\"orphan-result\"]");
    assert_eq!(ask("ann").as_deref(), Some("duplicate-tool"));
    set_repair(&harness, "");
    assert!(ask("ann").is_some_and(|rules| rules.contains("orphan-result")));
}

#[test]
fn a_rule_that_was_off_runs_again_for_the_same_settings() {
    // Results of rules about settings are remembered for settings that stay the same.
    let request = json!({"model": "stub/gpt-5", "temperature": 0.3, "parallel_tool_calls": true,
        "messages": [{"role": "user", "content": "hello"}]});
    let (harness, stub) = harness_with_stub("openai-chat", vec![success_answer("openai-chat")]);
    let ask = |toml: &str| {
        set_repair(&harness, toml);
        let response = ask_chat(harness.addr(), &request.to_string());
        assert_eq!(response.status, 200);
        let sent = stub.requests().pop().unwrap();
        (sent.get("temperature").is_some(), sent.get("parallel_tool_calls").is_some())
    };
    let both_off = "repair.off = [\"sampling\", \"conflicting-field\"]";
    for (toml, expected) in [
        (both_off, (true, true)),
        (both_off, (true, true)),
        ("repair.off = [\"conflicting-field\"]", (false, true)),
        ("", (false, false)),
        (both_off, (true, true)),
        ("repair.off = [\"sampling\"]", (true, false)),
        ("", (false, false)),
    ] {
        assert_eq!(ask(toml), expected, "{toml}");
    }
}
