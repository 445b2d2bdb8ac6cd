//! Tests of streams whose provider begins without content: the client gets first bytes at once, and
//! the next target follows if the provider fails.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use interlingua::find_dialect;
use interlingua_gateway::config::Config;
use interlingua_upstream::Provider;
use serde_json::Value;

use crate::client::{CLIENTS, Client, get};
use crate::harness::Harness;
use crate::raw_server::{SSE_HEAD, STREAM_END, STREAM_START, raw_server};

const ROLE: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n";
const WORDS: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I looked.\"},\"finish_reason\":null}]}\n\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

type Parts = &'static [(u64, &'static str)];

const FAILING_CHAT: Parts = &[(0, ROLE), (400, "")];
const FAILING_ANTHROPIC: Parts = &[(0, STREAM_START), (400, "")];
const CHAT: Parts = &[(0, ROLE), (1, WORDS)];
const ANTHROPIC: Parts = &[(0, STREAM_START), (300, STREAM_END)];

/// A provider that sends each part after a wait, and closes the connection.
fn server(parts: Parts) -> SocketAddr {
    raw_server(move |mut stream, _| {
        let mut write = |text: &str| stream.write_all(text.as_bytes()).is_ok();
        if write(SSE_HEAD) {
            for (millis, part) in parts {
                sleep(Duration::from_millis(*millis));
                if !write(part) {
                    return;
                }
            }
        }
    })
}

/// A gateway with these providers, in the order in which they are called.
fn harness(servers: &[(&str, &str, SocketAddr)], heartbeat: Duration) -> Harness {
    let tables = servers.iter().map(|(name, dialect, addr)| {
        format!("[providers.{name}]\ndialect = \"{dialect}\"\nbase_url = \"http://{addr}/\"\n")
    });
    let targets: Vec<_> = servers.iter().map(|(name, ..)| format!("\"{name}/m\"")).collect();
    let models = format!("[models]\n\"m\" = [{}]\n", targets.join(", "));
    let file = tables.chain([models]).collect::<Vec<_>>().concat();
    let models = Config::parse(&file, &|_| None);
    let models = models.unwrap_or_else(|errors| panic!("{errors:?}")).0.models;
    Harness::with_config(|config| {
        let provider = |(name, dialect, addr): &(&str, &str, SocketAddr)| {
            let base = format!("http://{addr}").parse().unwrap();
            Arc::new(Provider::new(*name, find_dialect(dialect).unwrap(), base))
        };
        config.providers = servers.iter().map(provider).collect();
        config.models = models;
        config.limits.retries = 0;
        config.timeouts.heartbeat = heartbeat;
    })
}

/// A streamed response with the times of its first bytes and of its first body bytes.
struct TimedResponse {
    head: String,
    body: String,
    first_body: Duration,
    total: Duration,
}

fn ask(harness: &Harness, client: &Client) -> TimedResponse {
    let body = (client.first_request)("m", true, "Please look.").to_string();
    let mut stream = TcpStream::connect(harness.addr()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = format!(
        "POST {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        (client.path)("m", true),
        harness.addr(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let started = Instant::now();
    let (mut received, mut first_body) = (String::new(), None);
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).unwrap();
        if count == 0 {
            break;
        }
        received.push_str(&String::from_utf8_lossy(&chunk[..count]));
        let has_body = received.split_once("\r\n\r\n").is_some_and(|(_, body)| !body.is_empty());
        first_body = first_body.or_else(|| has_body.then(|| started.elapsed()));
    }
    let (head, body) = received.split_once("\r\n\r\n").unwrap();
    let body = without_chunk_sizes(body);
    let (head, total) = (head.to_owned(), started.elapsed());
    TimedResponse { head, body, first_body: first_body.unwrap(), total }
}

fn without_chunk_sizes(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    body
}

fn answering_provider(harness: &Harness, head: &str) -> String {
    let turn = head.lines().find_map(|line| line.strip_prefix("x-interlingua-turn: ")).unwrap();
    for _ in 0..200 {
        let listed: Value =
            serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
        let turns = listed["turns"].as_array().unwrap();
        if let Some(found) = turns.iter().find(|listed| listed["turn"] == turn) {
            return found["provider"].as_str().unwrap().to_owned();
        }
        sleep(Duration::from_millis(10));
    }
    panic!("the turn is not listed");
}

#[test]
fn the_first_bytes_come_with_a_chunk_that_has_only_a_role() {
    let at = server(&[(0, ROLE), (1500, WORDS)]);
    let harness = harness(&[("slow", "openai-chat", at)], Duration::from_secs(15));
    for client in CLIENTS {
        let response = ask(&harness, client);
        let name = client.dialect;
        assert!(response.first_body < Duration::from_secs(1), "{name}: {:?}", response.first_body);
        assert!(response.total > Duration::from_millis(1400), "{name}: {:?}", response.total);
        assert!(
            response.head.contains("x-interlingua-provider: slow"),
            "{name}: {}",
            response.head
        );
        let reply = client.fold_stream(response.body.as_bytes()).unwrap();
        assert_eq!((client.text)(&reply), "I looked.", "{name}");
    }
}

#[test]
fn content_that_follows_at_once_comes_without_a_heartbeat() {
    let at = server(&[(0, ROLE), (1, WORDS)]);
    let harness = harness(&[("fast", "openai-chat", at)], Duration::from_secs(15));
    let response = ask(&harness, &CLIENTS[1]);
    assert!(!response.body.contains(": ping"), "{}", response.body);
}

#[test]
fn a_provider_that_fails_after_its_role_is_followed_by_the_next_in_the_same_stream() {
    for (first, parts) in [("openai-chat", FAILING_CHAT), ("anthropic", FAILING_ANTHROPIC)] {
        for (second, answer) in [("openai-chat", CHAT), ("anthropic", ANTHROPIC)] {
            let servers = [("one", first, server(parts)), ("two", second, server(answer))];
            let harness = harness(&servers, Duration::from_secs(15));
            for client in CLIENTS {
                let name = format!("{} → {first}, then {second}", client.dialect);
                let response = ask(&harness, client);
                assert!(response.head.starts_with("HTTP/1.1 200"), "{name}: {}", response.head);
                assert!(response.head.contains("x-interlingua-provider: one"), "{name}");
                let reply = client
                    .fold_stream(response.body.as_bytes())
                    .unwrap_or_else(|error| panic!("{name}: {error}: {}", response.body));
                assert_eq!((client.text)(&reply), "I looked.", "{name}: {}", response.body);
                for start in
                    ["event: message_start", "event: response.created", "\"role\":\"assistant\""]
                {
                    let starts = response.body.matches(start).count();
                    assert!(
                        starts <= 1 || client.dialect == "openai-responses",
                        "{name}: {}",
                        response.body
                    );
                }
                assert_eq!(answering_provider(&harness, &response.head), "two", "{name}");
            }
        }
    }
}

#[test]
fn if_no_provider_answers_the_stream_ends_with_an_error() {
    let dead = server(&[(0, ROLE), (300, "")]);
    let harness = harness(&[("one", "openai-chat", dead)], Duration::from_secs(15));
    for client in CLIENTS {
        let response = ask(&harness, client);
        assert!(response.head.starts_with("HTTP/1.1 200"), "{}", response.head);
        let folded = client.fold_stream(response.body.as_bytes());
        assert!(folded.is_err(), "{}: {folded:?}", client.dialect);
    }
}

#[test]
fn heartbeats_are_counted_from_the_request() {
    let at = server(&[(100, ROLE), (1400, WORDS)]);
    let harness = harness(&[("slow", "openai-chat", at)], Duration::from_millis(500));
    let response = ask(&harness, &CLIENTS[1]);
    let pings = response.body.matches(": ping").count();
    // With the head, and at 0.5 and 1 s.
    assert!((3..=4).contains(&pings), "{pings}: {}", response.body);
}
