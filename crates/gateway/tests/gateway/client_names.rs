//! Tests of names that clients choose: long ones and control characters are rejected, and nothing
//! grows by them.

use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_gateway::config::Config;
use interlingua_model::ApiErrorKind;
use interlingua_upstream::Provider;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::client::{CLIENTS, delete, get, post};
use crate::harness::Harness;
use crate::keys::{auth_header, key, usage};
use crate::lessons::harness_with_stub;
use crate::stub_provider::{StubProvider, error_answer, success_answer};

fn percent_encode(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

#[test]
fn a_bad_model_name_is_rejected_in_the_dialect_of_the_client() {
    let harness = Harness::new();
    let long_name = format!("anthropic/{}", "x".repeat(300));
    for name in ["anthropic/a\nfield=tools", "anthropic/a\u{9b}31m", "\t", &long_name] {
        for client in CLIENTS {
            for stream in [false, true] {
                let request = (client.first_request)(name, stream, "Hi.");
                let path = (client.path)(&percent_encode(name), stream);
                let body = request.to_string();
                let response = post(harness.addr(), &path, "", body.as_bytes());
                let text = response.text();
                assert_eq!(response.status, 400, "{}: {text}", client.dialect);
                let dialect = find_dialect(client.dialect).unwrap();
                let error = dialect.decode_error(response.status, &response.body);
                assert_eq!(error.kind, ApiErrorKind::InvalidRequest, "{text}");
                assert!(error.original.is_some(), "not of {}: {text}", client.dialect);
                assert!(text.contains("1 to 256 bytes and no control characters"), "{text}");
                assert!(text.len() < 500, "the name is not repeated: {text}");
            }
        }
        let path = format!("/v1/models/{}", percent_encode(name));
        assert_eq!(get(harness.addr(), &path, "").status, 400);
    }
    assert!(harness.provider_requests().is_empty());
    let longest = format!("sim/{}", "x".repeat(252));
    let request = (CLIENTS[0].first_request)(&longest, false, "Hi.").to_string();
    assert_eq!(post(harness.addr(), "/v1/messages", "", request.as_bytes()).status, 200);
}

#[test]
fn titles_and_models_of_sessions_are_bounded() {
    let harness = Harness::new();
    let create =
        |body: Value| post(harness.addr(), "/api/sessions", "", body.to_string().as_bytes());
    for body in [
        json!({"title": "x".repeat(2000)}),
        json!({"title": "a\u{1b}[31m"}),
        json!({"model": "x".repeat(300)}),
        json!({"model": "a\nb"}),
    ] {
        let response = create(body);
        assert_eq!(response.status, 400, "{}", response.text());
    }
    let session = create(json!({"title": "größe", "model": "sim/echo"}));
    assert_eq!(session.status, 200, "{}", session.text());
    let session: Value = serde_json::from_slice(&session.body).unwrap();
    let path = format!("/api/sessions/{}", session["id"].as_str().unwrap());
    let body = json!({"model": "a\nb", "say": "Hi."}).to_string();
    let response = post(harness.addr(), &format!("{path}/continue"), "", body.as_bytes());
    assert_eq!(response.status, 400, "{}", response.text());
    let session: Value = serde_json::from_slice(&get(harness.addr(), &path, "").body).unwrap();
    assert_eq!(session["turns"], 0, "nothing is appended");
}

#[test]
fn a_model_name_teaches_no_lessons() {
    let unsupported = "Unsupported value: 'temperature' does not support 0.5 with this model. \
        Only the default (1) value is supported.";
    let answers = vec![error_answer(unsupported), success_answer("openai-chat")];
    let (harness, stub) = harness_with_stub("openai-chat", answers);
    let ask = |model: &str| {
        let hello = json!({"role": "user", "content": "hello"});
        let body = json!({"model": model, "temperature": 0.5, "messages": [hello]}).to_string();
        post(harness.addr(), "/v1/chat/completions", "", body.as_bytes()).status
    };
    assert_eq!(ask("stub/victim\nmax-tokens=1\nfield=tools\nfield=messages"), 400);
    assert!(stub.requests().is_empty());
    assert_eq!(ask("stub/victim"), 200);
    let requests = stub.requests();
    assert!(requests[1].get("messages").is_some(), "{}", requests[1]);
    assert!(requests[1].get("max_completion_tokens").is_none(), "{}", requests[1]);
    assert_eq!(delete(harness.addr(), "/api/lessons").text(), r#"{"forgotten":1}"#);
    assert_eq!(get(harness.addr(), "/api/lessons", "").text(), r#"{"lessons":[]}"#);
}

#[test]
fn the_rows_of_usage_are_bounded() {
    let stub = StubProvider::with_answers(vec![success_answer("anthropic")]);
    let base = format!("http://{}", stub.addr).parse().unwrap();
    let provider = Provider::new("stub", find_dialect("anthropic").unwrap(), base);
    let harness = Harness::with_config(|config: &mut Config| {
        config.providers = vec![Arc::new(provider)];
        config.access.keys = vec![key("ann")];
    });
    for number in 0..130 {
        let model = format!("stub/m{number}");
        let request = (CLIENTS[0].first_request)(&model, false, "Hi.").to_string();
        let response =
            post(harness.addr(), "/v1/messages", &auth_header("ann"), request.as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
    }
    let rows = usage(harness.addr(), "ann", "");
    assert_eq!(rows.len(), 101);
    let other = rows.iter().find(|row| row["model"] == "stub/*" || row["model"] == "*").unwrap();
    assert_eq!(other["requests"], 30);
}

#[test]
fn a_long_host_is_shortened() {
    let harness = Harness::new();
    for header in ["host", "origin"] {
        let headers = format!("{header}: http://{}\r\n", "x".repeat(30_000));
        let response = get(harness.addr(), "/v1/models", &headers);
        assert_eq!(response.status, 403);
        assert!(response.text().len() < 500, "{}", response.text());
    }
}
