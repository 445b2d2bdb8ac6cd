//! Tests of what real clients send in addition to plain conversations.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use serde_json::{Value, json};

use crate::client::{CLIENTS, HttpResponse, post};
use crate::harness::Harness;
use crate::lessons::harness_with_stub;
use crate::stub_provider::success_answer;

#[test]
fn tokens_are_counted_by_the_provider_or_estimated() {
    let harness = Harness::new();
    let body = json!({"model": "anthropic/claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hi."}]});
    let count = |path: &str, body: &Value| {
        let response = post(harness.addr(), path, "", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        (body_json(&response), response.header("x-interlingua-estimated").is_some())
    };
    let (reply, estimated) = count("/v1/messages/count_tokens?beta=true", &body);
    assert!(
        reply["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0) && !estimated,
        "{reply}"
    );
    let (reply, estimated) =
        count("/v1/messages/count_tokens", &with_field(&body, "model", json!("groq/x")));
    assert!(
        reply["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0) && estimated,
        "{reply}"
    );
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]});
    let (reply, estimated) = count("/v1beta/models/anthropic/claude-sonnet-4-5:countTokens", &body);
    assert!(
        reply["totalTokens"].as_u64().is_some_and(|tokens| tokens > 0) && !estimated,
        "{reply}"
    );
}

#[test]
fn a_server_that_is_not_the_vendors_gets_its_instructions_as_one_string() {
    let (harness, stub) = harness_with_stub("openai-chat", vec![success_answer("openai-chat")]);
    let system = json!([{"type": "text", "text": "First."}, {"type": "text", "text": "Second."}]);
    let user = json!({"role": "user", "content": "Hi."});
    let messages =
        json!({"model": "stub/m", "max_tokens": 9, "system": system, "messages": [user]});
    let chat = json!({"model": "stub/m",
        "messages": [{"role": "system", "content": system}, user]});
    for (path, body) in [("/v1/messages", messages), ("/v1/chat/completions", chat)] {
        let response = post(harness.addr(), path, "", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        let sent = stub.requests().pop().unwrap();
        assert_eq!(sent["messages"][0]["content"], "First.\n\nSecond.", "{path}: {sent}");
    }
}

#[test]
fn a_responses_body_at_the_chat_endpoint_is_understood() {
    let harness = Harness::new();
    let body = json!({"model": "sim/echo", "input": "Say this.", "stream": false});
    let response = post(harness.addr(), "/v1/chat/completions", "", body.to_string().as_bytes());
    assert_eq!(body_json(&response)["choices"][0]["message"]["content"], "Say this.");
}

#[test]
fn a_chat_body_at_the_responses_endpoint_is_understood() {
    let harness = Harness::new();
    let body = json!({"model": "sim/echo", "messages": [{"role": "user", "content": "Say this."}]});
    let response = post(harness.addr(), "/v1/responses", "", body.to_string().as_bytes());
    let reply = body_json(&response);
    assert_eq!(reply["object"], "response", "{reply}");
    assert_eq!(reply["output"][0]["content"][0]["text"], "Say this.", "{reply}");
}

#[test]
fn threads_are_rejected_with_the_error_code_that_clients_match() {
    let harness = Harness::new();
    let body = json!({
        "model": "sim/echo", "max_tokens": 9, "thread": {"type": "create"},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let response = post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes());
    assert_eq!(response.status, 400);
    assert_eq!(
        body_json(&response)["error"]["details"]["error_code"],
        "thread_unsupported_request"
    );
}

/// The first request of Claude Code has fields that Anthropic only accepts with a beta.
#[test]
fn the_built_in_model_gets_the_betas_of_the_client() {
    let harness = Harness::new();
    let body = json!({
        "model": "sim/agent", "max_tokens": 32000, "thinking": {"type": "adaptive"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "messages": [{"role": "user", "content": [
            {"type": "text", "text": "<session_context>List and read files.</session_context>"},
            {"type": "text", "text": "Hi"},
        ]}],
        "tools": [{"name": "list_files", "input_schema": {"type": "object"}}],
    });
    let beta = "anthropic-beta: context-management-2025-06-27\r\n";
    let response = post(harness.addr(), "/v1/messages", beta, body.to_string().as_bytes());
    assert_eq!(response.header("x-interlingua-repairs"), None);
    let reply = body_json(&response);
    assert_eq!(reply["stop_reason"], "end_turn", "{reply}");
}

#[test]
fn the_repairs_header_lists_exactly_the_changes() {
    let harness = Harness::new();
    let valid_request = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let anthropic_only = Harness::with_config(|config| {
        config.providers.retain(|provider| provider.name == "anthropic");
    });
    let response =
        post(anthropic_only.addr(), "/v1/messages", "", valid_request.to_string().as_bytes());
    assert_eq!(response.header("x-interlingua-repairs"), None);
    assert!(response.header("x-interlingua-turn").is_some());
    assert_eq!(
        anthropic_only.provider_requests()[0]["request"],
        valid_request,
        "the request is forwarded unchanged"
    );
    let broken = json!({
        "model": "anthropic/claude-sonnet-4-5", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
        ]}, {"role": "user", "content": "Well?"}],
    });
    let response = post(harness.addr(), "/v1/messages", "", broken.to_string().as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    let repairs = response.header("x-interlingua-repairs").unwrap();
    assert!(repairs.split(',').any(|rule| rule == "unanswered-call"), "{repairs}");
}

#[test]
fn unknown_fields_pass_within_a_dialect() {
    let harness = Harness::new();
    let body = json!({
        "model": "anthropic/claude-sonnet-4-5", "max_tokens": 9,
        "from_the_future": {"a": 1},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let headers = "anthropic-beta: a-2027-01-01\r\nanthropic-version: 2023-06-01\r\n";
    post(harness.addr(), "/v1/messages", headers, body.to_string().as_bytes());
    let request = &harness.provider_requests()[0];
    assert_eq!(request["request"]["from_the_future"]["a"], 1, "{request}");
}

#[test]
fn betas_in_headers_become_fields() {
    let harness = Harness::new();
    let body = json!({
        "model": "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let headers = "anthropic-beta: interleaved-thinking-2025-05-14,files-api-2025-04-14\r\n";
    let response = post(harness.addr(), "/v1/messages", headers, body.to_string().as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    let repairs = response.header("x-interlingua-repairs").unwrap();
    assert!(repairs.split(',').any(|rule| rule == "unknown-beta"), "{repairs}");
    let request = harness.provider_requests()[0]["request"]["additionalModelRequestFields"].clone();
    assert_eq!(request, json!({"anthropic_beta": ["interleaved-thinking-2025-05-14"]}));
}

#[test]
fn context_overflow_has_the_text_that_each_client_matches() {
    let expected = [
        ("openai/gpt-5.5", "context-length", "prompt is too long"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "context_length_exceeded"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "context_length_exceeded"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "exceeds the maximum number of tokens"),
    ];
    for (client, (model, rule, expected)) in CLIENTS.iter().zip(expected) {
        let harness = harness_with_fault(&format!("rule={rule}"));
        let request = (client.first_request)(model, false, "Hi.");
        let path = (client.path)(model, false);
        let response = post(harness.addr(), &path, "", request.to_string().as_bytes());
        assert_eq!(response.status, 400, "{}", response.text());
        assert!(response.text().contains(expected), "{}: {}", client.dialect, response.text());
    }
}

#[test]
fn heartbeats_have_the_form_that_each_client_counts() {
    let prefixes = [
        ("anthropic", "event: ping\n"),
        ("openai-chat", ": "),
        ("openai-responses", "event: response.in_progress\n"),
        ("gemini", "\n"),
    ];
    let harness = harness_with_fault("stall=1");
    for (client, (dialect, prefix)) in CLIENTS.iter().zip(prefixes) {
        for provider in [
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-5.5",
            "gemini/gemini-3-pro",
            "codex/gpt-5.5-codex",
        ] {
            let request = (client.first_request)(provider, true, "Please look at the harbour.");
            let path = (client.path)(provider, true);
            let response = post(harness.addr(), &path, "", request.to_string().as_bytes());
            let text = response.text();
            let pings = if prefix.trim().is_empty() {
                // Empty lines in excess of those that end an event.
                let data_lines = text.lines().filter(|line| line.starts_with("data:")).count();
                text.lines().filter(|line| line.is_empty()).count() - data_lines
            } else {
                text.split("\n\n").filter(|event| format!("{event}\n").starts_with(prefix)).count()
            };
            assert!(pings > 2, "{dialect} ← {provider}: {text}");
            assert!(client.fold_stream(&response.body).is_ok(), "{dialect} ← {provider}: {text}");
        }
    }
}

fn harness_with_fault(fault: &str) -> Harness {
    Harness::with_config(|config| {
        config.timeouts.heartbeat = Duration::from_millis(100);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
            *provider = Arc::new(faulty);
        }
    })
}

fn body_json(response: &HttpResponse) -> Value {
    serde_json::from_slice(&response.body).unwrap()
}

fn with_field(body: &Value, key: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[key] = value;
    body
}
