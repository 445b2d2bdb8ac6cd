//! What real clients send and need, beside a plain conversation.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use serde_json::{Value, json};

use crate::client::{Answer, CLIENTS, post};
use crate::house::House;

#[test]
fn tokens_are_counted_by_who_can_and_estimated_else() {
    let house = House::build();
    let body = json!({"model": "anthropic/claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hi."}]});
    let count = |path: &str, body: &Value| {
        let answer = post(house.addr(), path, "", body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        (json_of(&answer), answer.header("x-interlingua-estimated").is_some())
    };
    let (said, estimated) = count("/v1/messages/count_tokens?beta=true", &body);
    assert!(said["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0) && !estimated, "{said}");
    let (said, estimated) =
        count("/v1/messages/count_tokens", &with(&body, "model", json!("groq/x")));
    assert!(said["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0) && estimated, "{said}");
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]});
    let (said, estimated) = count("/v1beta/models/anthropic/claude-sonnet-4-5:countTokens", &body);
    assert!(said["totalTokens"].as_u64().is_some_and(|tokens| tokens > 0) && !estimated, "{said}");
}

#[test]
fn a_responses_body_at_the_chat_endpoint_is_understood() {
    let house = House::build();
    let body = json!({"model": "sim/echo", "input": "Say this.", "stream": false});
    let answer = post(house.addr(), "/v1/chat/completions", "", body.to_string().as_bytes());
    assert_eq!(json_of(&answer)["choices"][0]["message"]["content"], "Say this.");
}

#[test]
fn a_chat_body_at_the_responses_endpoint_is_understood() {
    let house = House::build();
    let body = json!({"model": "sim/echo", "messages": [{"role": "user", "content": "Say this."}]});
    let answer = post(house.addr(), "/v1/responses", "", body.to_string().as_bytes());
    let said = json_of(&answer);
    assert_eq!(said["object"], "response", "{said}");
    assert_eq!(said["output"][0]["content"][0]["text"], "Say this.", "{said}");
}

#[test]
fn threads_are_declined_in_the_words_that_make_the_client_go_on() {
    let house = House::build();
    let body = json!({
        "model": "sim/echo", "max_tokens": 9, "thread": {"type": "create"},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let answer = post(house.addr(), "/v1/messages", "", body.to_string().as_bytes());
    assert_eq!(answer.status, 400);
    assert_eq!(json_of(&answer)["error"]["details"]["error_code"], "thread_unsupported_request");
}

#[test]
fn every_change_is_named_and_nothing_is_named_without_one() {
    let house = House::build();
    let healthy = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let only =
        House::with(|config| config.providers.retain(|provider| provider.name == "anthropic"));
    let answer = post(only.addr(), "/v1/messages", "", healthy.to_string().as_bytes());
    assert_eq!(answer.header("x-interlingua-repairs"), None);
    assert!(answer.header("x-interlingua-turn").is_some());
    assert_eq!(only.log()[0]["request"], healthy, "it leaves as it came");
    let broken = json!({
        "model": "anthropic/claude-sonnet-4-5", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
        ]}, {"role": "user", "content": "Well?"}],
    });
    let answer = post(house.addr(), "/v1/messages", "", broken.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let repairs = answer.header("x-interlingua-repairs").unwrap();
    assert!(repairs.split(',').any(|rule| rule == "unanswered-call"), "{repairs}");
}

#[test]
fn what_is_newer_than_the_gateway_passes_within_its_dialect() {
    let house = House::build();
    let body = json!({
        "model": "anthropic/claude-sonnet-4-5", "max_tokens": 9,
        "from_the_future": {"a": 1},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let headers = "anthropic-beta: a-2027-01-01\r\nanthropic-version: 2023-06-01\r\n";
    post(house.addr(), "/v1/messages", headers, body.to_string().as_bytes());
    let asked = &house.log()[0];
    assert_eq!(asked["request"]["from_the_future"]["a"], 1, "{asked}");
}

#[test]
fn what_a_header_asks_for_is_asked_for_where_the_provider_hears_it() {
    let house = House::build();
    let body = json!({
        "model": "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let headers = "anthropic-beta: interleaved-thinking-2025-05-14,files-api-2025-04-14\r\n";
    let answer = post(house.addr(), "/v1/messages", headers, body.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let repairs = answer.header("x-interlingua-repairs").unwrap();
    assert!(repairs.split(',').any(|rule| rule == "unknown-beta"), "{repairs}");
    let asked = house.log()[0]["request"]["additionalModelRequestFields"].clone();
    assert_eq!(asked, json!({"anthropic_beta": ["interleaved-thinking-2025-05-14"]}));
}

#[test]
fn context_overflow_comes_in_the_words_each_client_knows() {
    let words = [
        ("openai/gpt-5.5", "context-length", "prompt is too long"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "context_length_exceeded"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "context_length_exceeded"),
        ("anthropic/claude-sonnet-4-5", "prompt-too-long", "exceeds the maximum number of tokens"),
    ];
    for (client, (model, rule, words)) in CLIENTS.iter().zip(words) {
        let house = faulty(&format!("rule={rule}"));
        let request = (client.begin)(model, false, "Hi.");
        let path = (client.path)(model, false);
        let answer = post(house.addr(), &path, "", request.to_string().as_bytes());
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert!(answer.text().contains(words), "{}: {}", client.dialect, answer.text());
    }
}

#[test]
fn signs_of_life_come_in_the_form_each_client_counts() {
    let forms = [
        ("anthropic", "event: ping\n"),
        ("openai-chat", ": "),
        ("openai-responses", "event: response.in_progress\n"),
        ("gemini", "\n"),
    ];
    let house = faulty("stall=1");
    for (client, (dialect, form)) in CLIENTS.iter().zip(forms) {
        for provider in [
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-5.5",
            "gemini/gemini-3-pro",
            "codex/gpt-5.5-codex",
        ] {
            let request = (client.begin)(provider, true, "Please look at the harbour.");
            let path = (client.path)(provider, true);
            let answer = post(house.addr(), &path, "", request.to_string().as_bytes());
            let text = answer.text();
            let pings = if form.trim().is_empty() {
                // Empty lines beyond the one that ends each event.
                let said = text.lines().filter(|line| line.starts_with("data:")).count();
                text.lines().filter(|line| line.is_empty()).count() - said
            } else {
                text.split("\n\n").filter(|event| format!("{event}\n").starts_with(form)).count()
            };
            assert!(pings > 2, "{dialect} ← {provider}: {text}");
            assert!(client.folded(&answer.body).is_ok(), "{dialect} ← {provider}: {text}");
        }
    }
}

fn faulty(fault: &str) -> House {
    House::with(|config| {
        config.timeouts.heartbeat = Duration::from_millis(100);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_str(fault).unwrap());
            *provider = Arc::new(faulty);
        }
    })
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap()
}

fn with(body: &Value, key: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[key] = value;
    body
}
