//! Tests of disconnecting clients, shutdown, and configured keys.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua_gateway::config::ApiKey;
use interlingua_upstream::Provider;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::client::{CLIENTS, get, post};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_START};

/// A provider that sends `start` and then stalls; it records when its client disconnects.
fn stalled_provider(
    make_harness: &dyn Fn(Provider) -> Harness,
    start: &'static str,
) -> (Harness, Arc<ConnectionEvents>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let events = Arc::new(ConnectionEvents::default());
    let recorder = Arc::clone(&events);
    runtime.spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = vec![0; 65536];
        let _ = stream.read(&mut buffer).await;
        stream.write_all(start.as_bytes()).await.unwrap();
        recorder.requested.notify_one();
        // Reads until the gateway closes the connection.
        while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
        *recorder.closed_at.lock().unwrap() = Some(Instant::now());
        recorder.closed.notify_one();
    });
    let provider = Provider::new(
        "slow",
        interlingua::find_dialect("anthropic").unwrap(),
        base.parse().unwrap(),
    );
    let harness = make_harness(provider);
    // The runtime must live as long as the harness.
    std::mem::forget(runtime);
    (harness, events)
}

#[derive(Default)]
struct ConnectionEvents {
    requested: tokio::sync::Notify,
    closed: tokio::sync::Notify,
    closed_at: std::sync::Mutex<Option<Instant>>,
}

#[test]
fn a_disconnecting_client_cancels_its_provider_request() {
    let stream_start: &'static str =
        Box::leak(format!("{SSE_HEAD}{STREAM_START}").into_boxed_str());
    for start in ["", stream_start] {
        let make_harness = |provider: Provider| {
            Harness::with_config(|config| config.providers = vec![Arc::new(provider)])
        };
        let (harness, events) = stalled_provider(&make_harness, start);
        let body = json!({
            "model": "slow/any", "max_tokens": 9, "stream": true,
            "messages": [{"role": "user", "content": "Hi."}],
        })
        .to_string();
        let mut client = TcpStream::connect(harness.addr()).unwrap();
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
            harness.addr(),
            body.len()
        );
        client.write_all(head.as_bytes()).unwrap();
        harness.runtime.block_on(events.requested.notified());
        if !start.is_empty() {
            let mut chunk = [0; 100];
            assert!(client.read(&mut chunk).unwrap() > 0);
        }
        let disconnected_at = Instant::now();
        drop(client);
        let limit = Duration::from_secs(5);
        let wait_closed = async { tokio::time::timeout(limit, events.closed.notified()).await };
        harness.runtime.block_on(wait_closed).unwrap();
        let delay = events.closed_at.lock().unwrap().unwrap().duration_since(disconnected_at);
        assert!(delay < Duration::from_millis(100), "{delay:?}");
    }
}

#[test]
fn shutdown_lets_streams_end() {
    let mut harness = Harness::with_config(|config| {
        for provider in &mut config.providers {
            let mut slow = (**provider).clone();
            slow.headers.insert("x-sim-fault", HeaderValue::from_static("pause=20"));
            *provider = Arc::new(slow);
        }
    });
    let client = &CLIENTS[0];
    let request =
        (client.first_request)("anthropic/claude-sonnet-4-5", true, "Please look.").to_string();
    let addr = harness.addr();
    let running = std::thread::spawn(move || post(addr, "/v1/messages", "", request.as_bytes()));
    std::thread::sleep(Duration::from_millis(150));
    let gateway = harness.gateway.take().unwrap();
    harness.runtime.block_on(gateway.stop());
    let response = running.join().unwrap();
    assert!(response.is_complete && response.status == 200);
    assert!(response.text().contains("message_stop"), "{}", response.text());
    assert!(TcpStream::connect(addr).is_err(), "the socket is closed");
}

#[test]
fn configured_keys_are_required() {
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![ApiKey {
            name: "one".into(),
            sha256: Sha256::digest(b"secret").into(),
            requests_per_minute: Some(3),
            concurrent: None,
            tokens_per_day: None,
        }];
        config.limits.wrong_keys_burst = 5;
    });
    let body = (CLIENTS[0].first_request)("sim/echo", false, "Hi.").to_string();
    let ask = |headers: &str| post(harness.addr(), "/v1/messages", headers, body.as_bytes());
    let rejected = ask("x-api-key: guess\r\n");
    assert_eq!(rejected.status, 401);
    assert!(rejected.text().contains("authentication_error"), "{}", rejected.text());
    assert_eq!(rejected.header("x-should-retry"), Some("false"));
    for header in ["x-api-key: secret", "authorization: Bearer secret", "x-goog-api-key: secret"] {
        assert_eq!(ask(&format!("{header}\r\n")).status, 200, "{header}");
    }
    let limited = ask("x-api-key: secret\r\n");
    assert_eq!(limited.status, 429);
    assert!(limited.header("retry-after").is_some());
    for path in ["/v1/models", "/metrics", "/v1/chat/completions", "/"] {
        assert_eq!(get(harness.addr(), path, "").status, 401, "{path}");
    }
    // Most of them had no key at all.
    let limited = get(harness.addr(), "/v1/models", "");
    assert_eq!(limited.status, 429);
    assert!(limited.text().contains("too many requests without a valid key"), "{}", limited.text());
    assert_eq!(get(harness.addr(), "/healthz", "").status, 200);
}
