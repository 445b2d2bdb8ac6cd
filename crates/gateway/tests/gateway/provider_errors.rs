//! Tests of provider errors and rate limits.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use interlingua_gateway::config::{RouteRule, WeightedTarget};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{CLIENTS, HttpResponse, post};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};

const KEY: &str = "a-key-of-no-known-form";
/// One more event of a stream.
const TEXT_DELTA: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"And so\"}}\n\n";

#[test]
fn rate_limits_concern_one_model_and_have_retry_after() {
    let harness = harness_with_provider(raw_server(|stream, request| {
        if request.contains("\"model\":\"busy\"") {
            let body =
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}"#;
            write_response(stream, "429 X", "retry-after: 20\r\n", body);
        } else {
            write_response(stream, "200 OK", "", ANSWER);
        }
    }));
    assert_eq!(ask(&harness, "far/busy").header("retry-after"), Some("20"));
    let second = ask(&harness, "far/busy");
    assert_eq!(second.status, 429, "{}", second.text());
    assert_eq!(body_json(&second)["error"]["type"], "rate_limit_error");
    let wait: u64 = second.header("retry-after").unwrap().parse().unwrap();
    assert!((10..=20).contains(&wait), "{wait}");
    let other = ask(&harness, "far/idle");
    assert_eq!(other.status, 200, "{}", other.text());
}

#[test]
fn the_last_provider_error_wins_over_the_open_circuit() {
    let harness = harness_with_provider(raw_server(|stream, _| {
        let body = r#"{"type":"error","error":{"type":"api_error","message":"The disk is full."}}"#;
        write_response(stream, "500 X", "", body);
    }));
    // Each request is a conversation; the fifth opens the circuit in the middle of its retries.
    for number in 0..8 {
        let request = json!({
            "model": "far/any", "max_tokens": 9,
            "messages": [{"role": "user", "content": format!("Well {number}?")}],
        });
        let response = post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes());
        assert!(response.text().contains("The disk is full."), "{}", response.text());
        assert_eq!(response.header("x-interlingua-provider"), Some("far"));
    }
}

#[test]
fn an_echoed_api_key_is_redacted() {
    for error_body in [
        "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"Wrong key: KEY\"}}",
        "<p>KEY</p>",
    ] {
        let harness = harness_with_provider(raw_server(move |stream, _| {
            write_response(stream, "401 X", "", &error_body.replace("KEY", KEY));
        }));
        for client in CLIENTS {
            let request = (client.first_request)("far/any", false, "Well?").to_string();
            let path = (client.path)("far/any", false);
            let response = post(harness.addr(), &path, "", request.as_bytes());
            assert!(
                response.status >= 400 && !response.text().contains(KEY),
                "{}",
                response.text()
            );
        }
    }
}

#[test]
fn an_error_that_does_not_end_is_not_waited_for() {
    let harness = Harness::with_config(|config| {
        let addr = raw_server(|mut stream, _| {
            let head = "HTTP/1.1 500 X\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        config.providers = vec![Arc::new(provider(addr))];
        config.limits.retries = 0;
        config.timeouts.answer = Duration::from_millis(500);
    });
    assert_eq!(ask(&harness, "far/any").status, 500);
}

#[test]
fn responses_cut_by_shutdown_get_an_error_in_their_dialect() {
    for stream in [true, false] {
        for client in CLIENTS {
            let (sender, receiver) = std::sync::mpsc::channel();
            let addr = raw_server(move |mut connection, _| {
                if stream {
                    let _ = connection
                        .write_all([SSE_HEAD, STREAM_START, TEXT_DELTA].concat().as_bytes());
                }
                let _ = sender.send(());
                std::thread::sleep(Duration::from_secs(20));
            });
            let mut harness = Harness::with_config(|config| {
                config.providers = vec![Arc::new(provider(addr))];
                config.timeouts.drain = Duration::from_millis(300);
            });
            let at = harness.addr();
            let request = (client.first_request)("far/any", stream, "Well?").to_string();
            let path = (client.path)("far/any", stream);
            let client_thread = std::thread::spawn(move || post(at, &path, "", request.as_bytes()));
            receiver.recv_timeout(Duration::from_secs(20)).unwrap();
            let gateway = harness.gateway.take().unwrap();
            harness.runtime.block_on(gateway.stop());
            let response = client_thread.join().unwrap();
            assert!(response.is_complete, "{} {stream}: {}", client.dialect, response.text());
            assert!(response.text().contains("the gateway stops"), "{}", response.text());
            if !stream {
                assert!(response.status >= 500, "{}", response.status);
            }
        }
    }
}

#[test]
fn an_unreachable_fallback_does_not_hide_the_actionable_error() {
    for (status, error_body, expected, expected_text) in [
        ("400 X", TOO_LONG, 400, "prompt is too long: 9 tokens > 8 maximum"),
        (
            "429 X",
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}"#,
            429,
            "Slow",
        ),
        (
            "401 X",
            r#"{"type":"error","error":{"type":"authentication_error","message":"Who?"}}"#,
            401,
            "Who?",
        ),
    ] {
        let far_addr = raw_server(move |stream, _| write_response(stream, status, "", error_body));
        let harness = Harness::with_config(|config| {
            let unreachable = Provider::new(
                "away",
                interlingua::find_dialect("anthropic").unwrap(),
                UNREACHABLE.parse().unwrap(),
            );
            config.providers = vec![Arc::new(provider(far_addr)), Arc::new(unreachable)];
            let target = |name: &str| WeightedTarget {
                provider: name.into(),
                model_template: "any".into(),
                weight: None,
            };
            let targets = vec![target("far"), target("away")];
            config.models.rules = vec![RouteRule { pattern: "best".into(), targets }];
            config.limits.retries = 0;
        });
        let response = ask(&harness, "best");
        assert_eq!(response.status, expected, "{}", response.text());
        assert!(response.text().contains(expected_text), "{}", response.text());
    }
}

#[test]
fn the_status_fits_the_error_kind() {
    for (status, error_body, expected) in [
        (
            "500 X",
            r#"{"error":{"message":"maximum context length is 8","type":"x","code":"context_length_exceeded"}}"#,
            400,
        ),
        (
            "413 X",
            r#"{"error":{"message":"Rate limit reached: tokens","type":"tokens","code":"rate_limit_exceeded"}}"#,
            429,
        ),
        ("503 X", r#"{"error":{"message":"busy","type":"overloaded","code":null}}"#, 529),
        (
            "400 X",
            r#"{"error":{"message":"no such key","type":"x","code":"invalid_api_key"}}"#,
            401,
        ),
    ] {
        let far_addr = raw_server(move |stream, _| write_response(stream, status, "", error_body));
        let harness = harness_with_chat_provider(far_addr, 0);
        let response = ask(&harness, "far/any");
        assert_eq!(response.status, expected, "{}", response.text());
        // A client of the provider's dialect gets the original body.
        let request =
            json!({"model": "far/any", "messages": [{"role": "user", "content": "Well?"}]});
        let request = request.to_string();
        let chat_response = post(harness.addr(), "/v1/chat/completions", "", request.as_bytes());
        assert!(
            status.starts_with(&chat_response.status.to_string())
                && chat_response.text() == error_body,
            "{chat_response:?}"
        );
    }
}

#[test]
fn a_stream_is_detected_despite_its_content_type() {
    for content_type in [
        "Text/Event-Stream; charset=UTF-8",
        "application/json",
        "text/plain",
        "application/octet-stream",
    ] {
        let far_addr = raw_server(move |mut stream, _| {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{STREAM_START}{STREAM_END}").as_bytes());
        });
        let harness = harness_with_provider(far_addr);
        for client in CLIENTS {
            for stream in [true, false] {
                let request = (client.first_request)("far/any", stream, "Well?");
                let reply =
                    client.request_turn(harness.addr(), "far/any", stream, &request).unwrap();
                assert_eq!(
                    (client.text)(&reply),
                    "I looked.",
                    "{content_type} {} {stream}",
                    client.dialect
                );
            }
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let harness = harness_with_provider(raw_server(|stream, _| {
        write_response(stream, "200 OK", "", &format!("\u{feff}{ANSWER}"));
    }));
    let reply = ask(&harness, "far/any");
    assert_eq!(body_json(&reply)["content"][0]["text"], "Here.");
}

#[test]
fn an_error_body_has_the_request_id_of_its_header() {
    let harness = Harness::new();
    let response = post(harness.addr(), "/v1/messages", "", br#"{"model":"nobody/has-this"}"#);
    let error_body: Value = serde_json::from_slice(&response.body).unwrap();
    assert!(error_body["request_id"].is_string(), "{error_body}");
    assert_eq!(response.header("request-id"), error_body["request_id"].as_str());
}

#[test]
fn safeguards_are_rejected_without_an_anthropic_provider() {
    let harness = Harness::new();
    let mut request = json!({
        "model": "openai/gpt-5.2", "max_tokens": 9, "safeguards": {"mode": "auto"},
        "messages": [{"role": "user", "content": "Hi."}],
    });
    let response = post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes());
    assert_eq!(response.status, 400);
    assert!(response.text().contains("safeguards"), "{}", response.text());
    request["model"] = json!("anthropic/claude-sonnet-4-5");
    post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes());
    let was_forwarded = |log: &Value| log["request"]["safeguards"]["mode"] == "auto";
    assert!(harness.provider_requests().iter().any(was_forwarded), "Anthropic gets the field");
}

/// A harness with a Chat provider.
fn harness_with_chat_provider(provider_at: SocketAddr, retries: u32) -> Harness {
    Harness::with_config(|config| {
        let base = format!("http://{provider_at}/v1").parse().unwrap();
        let provider =
            Provider::new("far", interlingua::find_dialect("openai-chat").unwrap(), base);
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = retries;
    })
}

fn harness_with_provider(provider_at: SocketAddr) -> Harness {
    Harness::with_config(|config| config.providers = vec![Arc::new(provider(provider_at))])
}

fn provider(at: SocketAddr) -> Provider {
    let base = format!("http://{at}").parse().unwrap();
    let mut provider = Provider::new("far", interlingua::find_dialect("anthropic").unwrap(), base);
    provider.api_key = Some(KEY.into());
    provider
}

fn ask(harness: &Harness, model: &str) -> HttpResponse {
    let request = json!({
        "model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "Well?"}],
    });
    post(harness.addr(), "/v1/messages", "", request.to_string().as_bytes())
}

pub(crate) fn write_response(
    mut stream: std::net::TcpStream,
    status: &str,
    headers: &str,
    body: &str,
) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\
         connection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn body_json(response: &HttpResponse) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("{}", response.text()))
}

/// Nothing listens there.
const UNREACHABLE: &str = "http://127.0.0.1:1";
const TOO_LONG: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
pub(crate) const ANSWER: &str = r#"{"id":"m","type":"message","role":"assistant","model":"any","content":[{"type":"text","text":"Here."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}"#;
