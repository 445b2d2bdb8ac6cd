//! Clients that leave, gateways that stop, keys that are asked for.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua_gateway::config::Key;
use interlingua_upstream::Provider;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::client::{CLIENTS, get, post};
use crate::house::House;
use crate::raw::{BEGINNING, EVENTS};

/// A provider that sends the beginning of a stream and then nothing, and tells when its client is gone.
fn stalling(house_of: &dyn Fn(Provider) -> House, before: &'static str) -> (House, Arc<Gone>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let gone = Arc::new(Gone::default());
    let tells = Arc::clone(&gone);
    runtime.spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = vec![0; 65536];
        let _ = stream.read(&mut buffer).await;
        stream.write_all(before.as_bytes()).await.unwrap();
        tells.asked.notify_one();
        // Nothing comes any more but the end.
        while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
        *tells.at.lock().unwrap() = Some(Instant::now());
        tells.left.notify_one();
    });
    let provider =
        Provider::new("slow", interlingua::find("anthropic").unwrap(), base.parse().unwrap());
    let house = house_of(provider);
    // The runtime goes on for as long as the house stands.
    std::mem::forget(runtime);
    (house, gone)
}

#[derive(Default)]
struct Gone {
    asked: tokio::sync::Notify,
    left: tokio::sync::Notify,
    at: std::sync::Mutex<Option<Instant>>,
}

#[test]
fn a_client_that_leaves_takes_its_request_along() {
    let begun: &'static str = Box::leak(format!("{EVENTS}{BEGINNING}").into_boxed_str());
    for before in ["", begun] {
        let house =
            |provider: Provider| House::with(|config| config.providers = vec![Arc::new(provider)]);
        let (house, gone) = stalling(&house, before);
        let body = json!({
            "model": "slow/any", "max_tokens": 9, "stream": true,
            "messages": [{"role": "user", "content": "Hi."}],
        })
        .to_string();
        let mut client = TcpStream::connect(house.addr()).unwrap();
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
            house.addr(),
            body.len()
        );
        client.write_all(head.as_bytes()).unwrap();
        house.runtime.block_on(gone.asked.notified());
        if !before.is_empty() {
            let mut some = [0; 100];
            assert!(client.read(&mut some).unwrap() > 0);
        }
        let left = Instant::now();
        drop(client);
        let limit = Duration::from_secs(5);
        let wait = async { tokio::time::timeout(limit, gone.left.notified()).await };
        house.runtime.block_on(wait).unwrap();
        let took = gone.at.lock().unwrap().unwrap().duration_since(left);
        assert!(took < Duration::from_millis(100), "{took:?}");
    }
}

#[test]
fn a_gateway_that_stops_lets_streams_end() {
    let mut house = House::with(|config| {
        for provider in &mut config.providers {
            let mut slow = (**provider).clone();
            slow.headers.insert("x-sim-fault", HeaderValue::from_static("pause=20"));
            *provider = Arc::new(slow);
        }
    });
    let client = &CLIENTS[0];
    let request = (client.begin)("anthropic/claude-sonnet-4-5", true, "Please look.").to_string();
    let addr = house.addr();
    let running = std::thread::spawn(move || post(addr, "/v1/messages", "", request.as_bytes()));
    std::thread::sleep(Duration::from_millis(150));
    let gateway = house.gateway.take().unwrap();
    house.runtime.block_on(gateway.stop());
    let answer = running.join().unwrap();
    assert!(answer.whole && answer.status == 200);
    assert!(answer.text().contains("message_stop"), "{}", answer.text());
    assert!(TcpStream::connect(addr).is_err(), "nobody listens any more");
}

#[test]
fn keys_are_asked_for_where_there_are_any() {
    let house = House::with(|config| {
        config.access.keys = vec![Key {
            name: "one".into(),
            sha256: Sha256::digest(b"secret").into(),
            requests_per_minute: Some(3),
            concurrent: None,
            tokens_per_day: None,
        }];
        config.limits.failures = 5;
    });
    let body = (CLIENTS[0].begin)("sim/echo", false, "Hi.").to_string();
    let ask = |headers: &str| post(house.addr(), "/v1/messages", headers, body.as_bytes());
    let wrong = ask("x-api-key: guess\r\n");
    assert_eq!(wrong.status, 401);
    assert!(wrong.text().contains("authentication_error"), "{}", wrong.text());
    assert_eq!(wrong.header("x-should-retry"), Some("false"));
    for shown in ["x-api-key: secret", "authorization: Bearer secret", "x-goog-api-key: secret"] {
        assert_eq!(ask(&format!("{shown}\r\n")).status, 200, "{shown}");
    }
    let fourth = ask("x-api-key: secret\r\n");
    assert_eq!(fourth.status, 429);
    assert!(fourth.header("retry-after").is_some());
    for path in ["/v1/models", "/metrics", "/v1/chat/completions", "/"] {
        assert_eq!(get(house.addr(), path, "").status, 401, "{path}");
    }
    assert_eq!(get(house.addr(), "/v1/models", "").status, 429, "whoever guesses has to wait");
    assert_eq!(get(house.addr(), "/healthz", "").status, 200);
}
