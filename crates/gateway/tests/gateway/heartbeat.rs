//! Tests of heartbeats while a provider does not answer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::Duration;

use http::HeaderValue;
use interlingua::find_dialect;
use interlingua_upstream::Provider;

use crate::client::{CLIENTS, Client, HttpResponse, post};
use crate::faults::{Outcome, classify};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};

/// The first heartbeat of each dialect; `None` where heartbeats do not extend the client's timeout.
const HEARTBEATS: [(&str, Option<&str>); 4] = [
    ("anthropic", Some("event: ping\n")),
    ("openai-chat", Some(": ping\n\n")),
    ("openai-responses", None),
    ("gemini", Some("\n\n")),
];

/// A harness with one Anthropic provider.
fn harness(at: SocketAddr) -> Harness {
    let dialect = find_dialect("anthropic").unwrap();
    let provider = Provider::new("anthropic", dialect, format!("http://{at}").parse().unwrap());
    Harness::with_config(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
        config.timeouts.heartbeat = Duration::from_millis(100);
    })
}

fn ask(harness: &Harness, client: &Client, stream: bool) -> HttpResponse {
    let model = "anthropic/claude-sonnet-4-5";
    let request = (client.first_request)(model, stream, "Please look.").to_string();
    post(harness.addr(), &(client.path)(model, stream), "", request.as_bytes())
}

#[test]
fn waiting_streams_get_heartbeats() {
    let events = [SSE_HEAD, STREAM_START, STREAM_END].concat();
    let at = raw_server(move |mut stream, _| {
        sleep(Duration::from_millis(600));
        let (head, events) = events.split_at(SSE_HEAD.len());
        stream.write_all(head.as_bytes()).unwrap();
        sleep(Duration::from_millis(300));
        stream.write_all(events.as_bytes()).unwrap();
    });
    let gateway = harness(at);
    for (client, (dialect, heartbeat)) in CLIENTS.iter().zip(HEARTBEATS) {
        let response = ask(&gateway, client, true);
        let text = response.text();
        assert_eq!(response.status, 200, "{dialect}: {text}");
        assert!(response.header("x-interlingua-turn").is_some(), "{dialect}");
        let reply =
            client.fold_stream(&response.body).unwrap_or_else(|error| panic!("{dialect}: {error}"));
        assert!((client.text)(&reply).contains("looked"), "{dialect}: {reply}");
        let first_data = text.find("data: {\"").unwrap();
        match heartbeat {
            Some(heartbeat) => assert!(text.starts_with(heartbeat), "{dialect}: {text}"),
            None => assert!(text[..first_data].starts_with("event: response.created"), "{text}"),
        }
        assert_eq!(ask(&gateway, client, false).status, 200, "{dialect}");
    }
}

/// Before the head, and between head and events: the provider continues after the client has
/// received heartbeats.
#[test]
fn heartbeats_repeat_until_the_provider_answers() {
    let (sender, receiver) = channel();
    let response = [SSE_HEAD, STREAM_START, STREAM_END].concat();
    let at = raw_server(move |mut stream, _| {
        let (head, events) = response.split_at(SSE_HEAD.len());
        for part in [head, events] {
            receiver.recv().unwrap();
            stream.write_all(part.as_bytes()).unwrap();
        }
    });
    let gateway = harness(at);
    let mut stream = open_stream(&gateway);
    for pings in [2, 4] {
        read_until(&mut stream, "event: ping", pings);
        sender.send(()).unwrap();
    }
    read_until(&mut stream, "message_stop", 1);
}

#[test]
fn a_late_failure_is_an_error_event() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"there is no such thing"}}"#;
    let error_answer = format!(
        "HTTP/1.1 400 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let at = raw_server(move |mut stream, _| {
        sleep(Duration::from_millis(400));
        stream.write_all(error_answer.as_bytes()).unwrap();
    });
    let gateway = harness(at);
    for (client, (dialect, heartbeat)) in CLIENTS.iter().zip(HEARTBEATS) {
        let response = ask(&gateway, client, true);
        let text = response.text();
        assert_eq!(
            response.status,
            if heartbeat.is_some() { 200 } else { 400 },
            "{dialect}: {text}"
        );
        assert_eq!(classify(client, true, &response), Ok(Outcome::Failed), "{dialect}: {text}");
        assert!(text.contains("no such thing"), "{dialect}: {text}");
        assert_eq!(ask(&gateway, client, false).status, 400, "{dialect}");
    }
}

#[test]
fn the_request_is_retried_while_heartbeats_are_sent() {
    let harness = Harness::with_config(|config| {
        config.timeouts.heartbeat = Duration::from_millis(100);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_static("silent=1@1"));
            *provider = Arc::new(faulty);
        }
    });
    let response = ask(&harness, &CLIENTS[0], true);
    assert!(response.text().starts_with("event: ping\n"), "{}", response.text());
    assert_eq!(
        classify(&CLIENTS[0], true, &response),
        Ok(Outcome::Answered),
        "{}",
        response.text()
    );
    assert_eq!(harness.provider_requests().len(), 2);
}

#[test]
fn a_client_that_disconnects_while_waiting_cancels_the_call() {
    let (sender, receiver) = channel();
    let at = raw_server(move |mut stream, _| {
        let _ = stream.read(&mut [0; 16]);
        sender.send(()).unwrap();
    });
    let gateway = harness(at);
    let mut stream = open_stream(&gateway);
    read_until(&mut stream, "event: ping", 1);
    assert!(receiver.try_recv().is_err());
    drop(stream);
    receiver.recv_timeout(Duration::from_secs(10)).unwrap();
}

/// Sends a streaming request.
fn open_stream(harness: &Harness) -> TcpStream {
    let model = "anthropic/claude-sonnet-4-5";
    let body = (CLIENTS[0].first_request)(model, true, "Hi.").to_string();
    let mut stream = TcpStream::connect(harness.addr()).unwrap();
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        harness.addr(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads until this text was received `count` times.
fn read_until(stream: &mut TcpStream, text: &str, count: usize) {
    let mut received = String::new();
    while received.matches(text).count() < count {
        let mut chunk = [0; 1024];
        let read = stream.read(&mut chunk).unwrap();
        assert_ne!(read, 0, "{received}");
        received.push_str(&String::from_utf8_lossy(&chunk[..read]));
    }
}
