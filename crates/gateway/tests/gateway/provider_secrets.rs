//! Tests that no client gets the secrets of the gateway when a provider repeats them.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use http::HeaderValue;
use interlingua::find_dialect;
use interlingua_upstream::{AwsCredentials, Provider};
use interlingua_wire::{FrameWriter, Framing};
use serde_json::{Value, json};

use crate::captures::captured_turn;
use crate::client::{CLIENTS, Client, HttpResponse, get, post};
use crate::harness::Harness;
use crate::provider_errors::{ANSWER, write_response};
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};

const KEY: &str = "gateway-key-0123456789";
const HEADER_SECRET: &str = "team/secret+0123456789";
/// `HEADER_SECRET` as some JSON encoders write it.
const ESCAPED_SECRET: &str = r"team\/secret\u002b0123456789";
const AWS_SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// What is left of each of them.
const MARK: &str = "[redacted]****";

/// A gateway that captures all stages, with this provider.
fn harness(dialect: &str, at: SocketAddr) -> Harness {
    Harness::with_config(|config| {
        let base = format!("http://{at}").parse().unwrap();
        let mut provider = Provider::new("far", find_dialect(dialect).unwrap(), base);
        provider.api_key = Some(KEY.into());
        let mut header = HeaderValue::from_static(HEADER_SECRET);
        header.set_sensitive(true);
        provider.headers.insert("x-team", header);
        if dialect == "bedrock" {
            provider.aws_credentials = Some(Arc::new(AwsCredentials {
                access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
                secret_access_key: AWS_SECRET.into(),
                session_token: None,
                region: "eu-west-1".into(),
            }));
        }
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
        config.capture.stages = true;
        config.capture.redact = false;
    })
}

fn ask(harness: &Harness, client: &Client, stream: bool) -> HttpResponse {
    let request = (client.first_request)("far/any", stream, "Well?").to_string();
    post(harness.addr(), &(client.path)("far/any", stream), "", request.as_bytes())
}

/// Asserts that neither the response nor the captured stages have a secret.
fn assert_no_secret(harness: &Harness, response: &HttpResponse, context: &str) {
    let captured = captured_turn(harness, response.header("x-interlingua-turn")).to_string();
    assert!(captured.contains("provider-reply"), "{context}: {captured}");
    for text in [&response.headers, &response.text(), &captured] {
        for secret in [KEY, HEADER_SECRET, "0123456789", AWS_SECRET, "bPxRfiCYEXAMPLEKEY"] {
            assert!(!text.contains(secret), "{context}: {secret} in {text}");
        }
    }
}

#[test]
fn bodies_with_the_gateways_secrets_are_redacted() {
    let wrong =
        r#"{"type":"error","error":{"type":"authentication_error","message":"Wrong: SECRET"}}"#;
    let answer = ANSWER.replace("Here.", "It is SECRET.");
    for (status, body) in
        [("401 X", wrong), ("500 X", "<p>SECRET</p>"), ("200 OK", wrong), ("200 OK", &answer)]
    {
        for secret in [KEY, HEADER_SECRET, ESCAPED_SECRET] {
            let sent = body.replace("SECRET", secret);
            let harness = harness(
                "anthropic",
                raw_server(move |stream, _| {
                    let headers = format!("request-id: {KEY}\r\nx-echo: a {HEADER_SECRET}\r\n");
                    write_response(stream, status, &headers, &sent);
                }),
            );
            for client in CLIENTS {
                for stream in [false, true] {
                    let context = format!("{status} {body} {} {stream}", client.dialect);
                    let response = ask(&harness, client, stream);
                    assert_no_secret(&harness, &response, &context);
                    let is_marked = response.text().contains(MARK);
                    assert!(is_marked || body.starts_with('<'), "{context}: {}", response.text());
                }
            }
        }
    }
}

#[test]
fn streams_with_the_gateways_secrets_are_redacted_wherever_they_are_split() {
    let end = STREAM_END.replace("I looked.", &format!("{KEY}, {ESCAPED_SECRET} and on"));
    let error = format!(
        "event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"api_error\",\"message\":\"{KEY}\"}}}}\n\n"
    );
    for (events, is_error) in [(end, false), (error, true)] {
        let first = events.find(KEY).unwrap();
        let last = if is_error { first + KEY.len() } else { events.find(" and on").unwrap() };
        for at in (first - 1)..=last {
            let sent = events.clone();
            let split = move |mut stream: TcpStream, _: String| {
                stream.set_nodelay(true).unwrap();
                for part in [SSE_HEAD, STREAM_START, &sent[..at], &sent[at..]] {
                    let _ = stream.write_all(part.as_bytes());
                    sleep(Duration::from_millis(2));
                }
            };
            let harness = harness("anthropic", raw_server(split));
            let client = &CLIENTS[at % CLIENTS.len()];
            for stream in [true, false] {
                let context = format!("{at} {} {stream}", client.dialect);
                let response = ask(&harness, client, stream);
                assert_no_secret(&harness, &response, &context);
                let text = response.text();
                assert!(text.contains(MARK), "{context}: {text}");
                assert!(is_error || text.contains("and on"), "{context}: {text}");
            }
        }
    }
}

#[test]
fn bedrock_streams_with_the_gateways_secrets_are_redacted_and_whole() {
    let mut events = Vec::new();
    let mut writer = FrameWriter::new(Framing::AwsEventStream);
    let text = format!("{KEY} and {AWS_SECRET} and on");
    for (event, data) in [
        ("messageStart", json!({"role": "assistant"})),
        ("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": {"text": text}})),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
        ("messageStop", json!({"stopReason": "end_turn"})),
        ("metadata", json!({"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}})),
    ] {
        writer.write(Some(event), &data.to_string(), &mut events);
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\nconnection: close\r\n\r\n";
    for at in (0..events.len()).step_by(23) {
        let sent = events.clone();
        let harness = harness(
            "bedrock",
            raw_server(move |mut stream, _| {
                stream.set_nodelay(true).unwrap();
                for part in [head.as_bytes(), &sent[..at], &sent[at..]] {
                    let _ = stream.write_all(part);
                    sleep(Duration::from_millis(2));
                }
            }),
        );
        let client = &CLIENTS[at % CLIENTS.len()];
        let response = ask(&harness, client, true);
        assert_no_secret(&harness, &response, &at.to_string());
        let reply = client.fold_stream(&response.body).unwrap();
        let text = (client.text)(&reply);
        assert!(text.starts_with(MARK) && text.ends_with("* and on"), "{at}: {text}");
    }
}

#[test]
fn model_lists_with_the_gateways_secrets_are_redacted() {
    let harness = harness(
        "openai-chat",
        raw_server(|stream, _| {
            let list = format!(
                r#"{{"data":[{{"id":"of-{KEY}"}},{{"id":"{ESCAPED_SECRET}"}},{{"id":"m"}}]}}"#
            );
            write_response(stream, "200 OK", "", &list);
        }),
    );
    let response = get(harness.addr(), "/v1/models", "");
    let list: Value = serde_json::from_slice(&response.body).unwrap();
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect();
    assert!(names.iter().any(|name| name.contains(MARK)) && names.contains(&"m"), "{names:?}");
    assert!(!response.text().contains("0123456789"), "{}", response.text());
}

#[test]
fn bodies_without_the_gateways_secrets_leave_as_they_came() {
    // The beginning of the key, at the end of chunks, too.
    let text = format!("{} {}", &KEY[..KEY.len() - 1], &HEADER_SECRET[..8]);
    let events = [STREAM_START, &STREAM_END.replace("I looked.", &text)].concat();
    let (sent, at) = (events.clone(), events.find(&text).unwrap() + 9);
    let harness = harness(
        "anthropic",
        raw_server(move |mut stream, _| {
            stream.set_nodelay(true).unwrap();
            for part in [SSE_HEAD, &sent[..at], &sent[at..]] {
                let _ = stream.write_all(part.as_bytes());
                sleep(Duration::from_millis(5));
            }
        }),
    );
    let response = ask(&harness, &CLIENTS[0], true);
    assert_eq!(response.text().replace("far/any", "any"), events);
}
