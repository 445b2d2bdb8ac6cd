//! Tests of answers that no provider should send: each client gets an error in its dialect, and
//! nothing of the provider's head.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interlingua::find_dialect;
use interlingua_upstream::Provider;

use crate::client::{CLIENTS, Client, post};
use crate::faults::{Outcome, classify};
use crate::harness::Harness;
use crate::raw_server::raw_server;

/// Headers that must not reach a client.
const HEADERS: &str = "set-cookie: evil=1\r\nlocation: https://evil.example/\r\nx-evil: 1\r\n\
    access-control-allow-origin: https://evil.example\r\nx-interlingua-provider: evil\r\n\
    www-authenticate: Basic realm=evil\r\n";

/// Heads, without the headers above, and bodies.
const ANSWERS: &[(&str, &[u8])] = &[
    ("200 OK\r\ncontent-type: application/json", b""),
    ("200 OK\r\ncontent-type: application/json", b"null"),
    ("200 OK\r\ncontent-type: application/json", b"[1e999]"),
    ("200 OK\r\ncontent-type: application/json", b"{"),
    ("200 OK\r\ncontent-type: application/json", b"{\"error\":"),
    ("200 OK\r\ncontent-type: application/json", b"\"\\ud800\""),
    ("200 OK\r\ncontent-type: application/json", b"\0\0\0\0"),
    ("200 OK\r\ncontent-type: application/json", b"{\"a\":\"\xff\xfe\"}"),
    ("200 OK\r\ncontent-type: application/json\r\ncontent-length: 99", b"{\"a\":1}"),
    ("200 OK\r\ncontent-type: application/json\r\ncontent-length: -1", b"{}"),
    ("200 OK\r\ncontent-type: application/json\r\ncontent-encoding: br", b"{}"),
    ("200 OK\r\ncontent-type: text/html", b"<html>login</html>"),
    ("200 OK\r\ncontent-type: text/event-stream", b""),
    ("200 OK\r\ncontent-type: text/event-stream", b": nothing\n\n: more\n\n"),
    ("200 OK\r\ncontent-type: text/event-stream", b"data: \n\ndata: null\n\n"),
    ("200 OK\r\ncontent-type: text/event-stream", b"data: {\n\n"),
    ("200 OK\r\ncontent-type: text/event-stream", b"event: error\ndata: [\n\n"),
    ("200 OK\r\ncontent-type: text/event-stream", b"\xff\xfe\n\n"),
    ("200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked", b"zz\r\n{}"),
    ("200 OK\r\ncontent-type: application/vnd.amazon.eventstream", b"\0\0\0\x0f\0\0\0\0"),
    ("200 OK\r\ncontent-type: application/vnd.amazon.eventstream", b"\xff\xff\xff\xff\0"),
    ("204 No Content", b""),
    ("101 Switching Protocols\r\nupgrade: evil\r\nconnection: upgrade", b""),
    ("301 Moved Permanently", b""),
    ("307 Temporary Redirect", b"{}"),
    ("304 Not Modified", b""),
    ("400 Bad\r\ncontent-type: application/json", b"{\"error\":{\"message\":[1]}}"),
    ("401 \u{20ac}", b"\xff"),
    ("407 Proxy", b"{\"error\":null}"),
    ("499 Odd\r\nretry-after: 99999999999999999999", b"{\"error\":\"\"}"),
    ("500 Bad", b"<script>alert(1)</script>"),
    ("999 Odd", b"{}"),
    ("000 Odd", b"{}"),
    ("200 OK\r\nbad header line", b"{}"),
];

/// Answers the request with the answer that its model name has the number of.
fn answer(mut stream: TcpStream, request: &str) {
    let number = request.split("answer-").nth(1).unwrap_or_default();
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    let (head, body) = ANSWERS[number.parse::<usize>().unwrap()];
    let head = format!("HTTP/1.1 {head}\r\n{HEADERS}connection: close\r\n\r\n");
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
    let _ = stream.shutdown(Shutdown::Write);
}

fn check(harness: &Harness, client: &Client, provider: &str, number: usize, stream: bool) {
    let model = format!("{provider}/answer-{number}");
    let request = (client.first_request)(&model, stream, "Please look.").to_string();
    let start = Instant::now();
    let path = (client.path)(&model, stream);
    let response = post(harness.addr(), &path, "", request.as_bytes());
    let context = format!(
        "{:?} of {provider} to {} {stream}: {} {}",
        ANSWERS[number].0,
        client.dialect,
        response.headers,
        response.text()
    );
    assert!(start.elapsed() < Duration::from_secs(20), "{context}");
    assert!(response.status == 200 || (400..600).contains(&response.status), "{context}");
    assert!(!response.headers.contains("evil"), "{context}");
    assert_eq!(classify(client, stream, &response), Ok(Outcome::Failed), "{context}");
}

#[test]
fn every_hostile_answer_is_an_error_in_the_clients_dialect() {
    let dialects = ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"];
    let harness = Harness::with_config(|config| {
        let provider = |dialect: &&str| {
            let at = raw_server(|stream, request| answer(stream, &request));
            let base = format!("http://{at}").parse().unwrap();
            let mut provider = Provider::new(*dialect, find_dialect(dialect).unwrap(), base);
            provider.auth = interlingua_providers::endpoints::AuthScheme::Bearer;
            provider.api_key = Some("key".into());
            Arc::new(provider)
        };
        config.providers = dialects.iter().map(provider).collect();
        config.limits.retries = 0;
        config.timeouts.answer = Duration::from_secs(5);
        config.timeouts.silence = Duration::from_secs(5);
    });
    std::thread::scope(|scope| {
        for provider in dialects {
            let harness = &harness;
            scope.spawn(move || {
                for number in 0..ANSWERS.len() {
                    for client in CLIENTS {
                        check(harness, client, provider, number, false);
                        check(harness, client, provider, number, true);
                    }
                }
            });
        }
    });
}
