//! Tests that gateways with a shared database share keys, budgets and limits.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua_gateway::config::{ApiKey, Config, StoreLocation};
use interlingua_gateway::{Gateway, ServerHandle};
use serde_json::{Value, json};

use super::postgres_location;
use crate::client::{CLIENTS, delete_with, get, post};
use crate::harness::{Harness, providers};
use crate::keys::{ask_with_key, auth_header, create_key, key, status, tokens, usage};

/// A name that is unique to this process.
fn unique_name(label: &str) -> String {
    format!("{label}-{}", std::process::id())
}

fn start_node(harness: &Harness, change: impl FnOnce(&mut Config)) -> ServerHandle {
    let mut config = Config::from_env(&|_| None);
    config.providers = providers(&harness.simulator.as_ref().unwrap().addr.to_string());
    config.store.location = postgres_location();
    // A key that is not synchronized yet must not count as a guess.
    config.limits.wrong_keys_burst = 1000;
    change(&mut config);
    let gateway = Gateway::new(config).unwrap();
    let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
    harness.runtime.block_on(async { gateway.start(any_addr).unwrap() })
}

fn harness_without_store() -> Harness {
    Harness::with_config(|config| config.store.location = StoreLocation::Off)
}

/// Waits longer than one synchronization.
fn wait_for_sync() {
    sleep(Duration::from_millis(2500));
}

/// Waits until a condition holds.
fn wait_until(label: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(8), "{label}");
        sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn nodes_share_request_rates() {
    let harness = harness_without_store();
    let name = unique_name("minute");
    let start = || {
        let keys = vec![ApiKey { requests_per_minute: Some(3), ..key(&name) }];
        start_node(&harness, |config| config.access.keys = keys)
    };
    let (first, second) = (start(), start());
    assert_eq!((status(first.addr, &name), status(first.addr, &name)), (200, 200));
    wait_for_sync();
    assert_eq!(status(second.addr, &name), 200, "the third of three");
    assert_eq!(status(second.addr, &name), 429);
    wait_for_sync();
    assert_eq!(status(first.addr, &name), 429);
    // A new node loads what the others have counted.
    harness.runtime.block_on(first.stop());
    let third = start();
    let rejected = ask_with_key(third.addr, &CLIENTS[0], &name, false);
    assert_eq!(rejected.status, 429);
    let wait: u64 = rejected.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    for node in [second, third] {
        harness.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn nodes_share_concurrency_limits() {
    let harness = harness_without_store();
    let name = unique_name("concurrent");
    let start = |pause: &'static str| {
        let keys = vec![ApiKey { concurrent: Some(2), ..key(&name) }];
        start_node(&harness, |config| {
            config.access.keys = keys;
            for provider in &mut config.providers {
                let mut slow = (**provider).clone();
                slow.headers.insert("x-sim-fault", HeaderValue::from_static(pause));
                *provider = Arc::new(slow);
            }
        })
    };
    let (first, second) = (start("pause=500"), start("pause=1"));
    let (at, secret) = (first.addr, name.clone());
    let running: Vec<_> = [(); 2]
        .map(|()| secret.clone())
        .map(|secret| thread::spawn(move || ask_with_key(at, &CLIENTS[0], &secret, true)))
        .into_iter()
        .collect();
    let started = Instant::now();
    wait_for_sync();
    let statuses = [status(second.addr, &name), status(first.addr, &name)];
    let all_running = running.iter().all(|thread| !thread.is_finished());
    assert!(all_running, "they have ended after {:?}", started.elapsed());
    assert_eq!(statuses, [429, 429]);
    for thread in running {
        let response = thread.join().unwrap();
        assert!(response.is_complete && response.status == 200, "running requests continue");
    }
    wait_until("the limit is still reached", || status(second.addr, &name) == 200);
    for node in [first, second] {
        harness.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_budget_that_is_used_up_at_one_node_is_used_up_at_all() {
    let harness = harness_without_store();
    let name = unique_name("budget");
    let start = || {
        let keys = vec![ApiKey { tokens_per_day: Some(1), ..key(&name) }, key("operator")];
        start_node(&harness, |config| config.access.keys = keys)
    };
    let (first, second) = (start(), start());
    let path = format!("?key={name}");
    assert!(usage(second.addr, "operator", &path).is_empty());
    assert_eq!(status(first.addr, &name), 200);
    wait_for_sync();
    assert_eq!(status(second.addr, &name), 429);
    let rows = usage(second.addr, "operator", &path);
    assert_eq!((rows.len(), &rows[0]["requests"]), (1, &json!(1)), "{rows:?}");
    for node in [first, second] {
        harness.runtime.block_on(node.stop());
    }
    let third = start();
    assert_eq!(status(third.addr, &name), 429, "a restart keeps the count");
    assert_eq!(usage(third.addr, "operator", &path), rows);
    harness.runtime.block_on(third.stop());
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn usage_is_the_sum_of_all_nodes() {
    let harness = harness_without_store();
    let name = unique_name("sum");
    let start = || start_node(&harness, |config| config.access.keys = vec![key(&name)]);
    let nodes = [start(), start()];
    for nth in 0..10 {
        assert_eq!(status(nodes[nth % 2].addr, &name), 200);
    }
    let path = format!("?key={name}");
    // Each node writes its usage before it reports it.
    wait_until("some usage is missing", || {
        nodes.iter().all(|node| usage(node.addr, &name, &path)[0]["requests"] == 10)
    });
    let [first, second] = nodes.each_ref().map(|node| usage(node.addr, &name, &path));
    assert!(first == second && first.len() == 1 && tokens(&first[0]) > 100, "{first:?}");
    for node in nodes {
        harness.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn issued_and_removed_keys_reach_all_nodes() {
    let harness = harness_without_store();
    let start = || start_node(&harness, |config| config.access.keys = vec![key("operator")]);
    let (first, second) = (start(), start());
    let name = unique_name("made");
    let secret =
        create_key(first.addr, "operator", &json!({"name": name, "requests_per_minute": 500}));
    assert_eq!(status(first.addr, &secret), 200, "valid immediately on its node");
    wait_until("the key is not valid yet", || status(second.addr, &secret) == 200);
    let duplicate = json!({"name": name}).to_string();
    let duplicate = crate::client::post(
        second.addr,
        "/api/keys",
        &auth_header("operator"),
        duplicate.as_bytes(),
    );
    assert_eq!(duplicate.status, 409, "{}", duplicate.text());
    let third = start();
    assert_eq!(status(third.addr, &secret), 200, "a new node loads it at startup");
    let removed = delete_with(second.addr, &format!("/api/keys/{name}"), &auth_header("operator"));
    assert_eq!(removed.status, 200, "{}", removed.text());
    assert_eq!(status(second.addr, &secret), 401);
    wait_until("the key is still valid", || status(first.addr, &secret) == 401);
    wait_until("the key is still valid", || status(third.addr, &secret) == 401);
    let listed = get(first.addr, "/api/keys", &auth_header("operator")).text();
    assert!(!listed.contains(&format!("\"{name}\"")), "{listed}");
    for node in [first, second, third] {
        harness.runtime.block_on(node.stop());
    }
}

/// Of concurrent requests for one name on two nodes, at most one succeeds, and at most one key
/// exists.
#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn concurrent_requests_issue_a_name_once() {
    let harness = harness_without_store();
    let start = || start_node(&harness, |config| config.access.keys = vec![key("operator")]);
    let nodes = [start(), start()];
    for round in 0..5 {
        let name = unique_name(&format!("once-{round}"));
        let body = json!({"name": name}).to_string();
        let statuses = [0, 1, 0, 1].map(|nth: usize| {
            let (at, body) = (nodes[nth].addr, body.clone());
            let ask = move || {
                crate::client::post(at, "/api/keys", &auth_header("operator"), body.as_bytes())
                    .status
            };
            thread::spawn(ask)
        });
        let statuses = statuses.map(|thread| thread.join().unwrap());
        let created_count = statuses.iter().filter(|status| **status == 201).count();
        assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
        assert!(created_count <= 1, "{statuses:?}");
        wait_for_sync();
        for node in &nodes {
            let listed = get(node.addr, "/api/keys", &auth_header("operator"));
            let listed: Value = serde_json::from_slice(&listed.body).unwrap();
            let keys = listed["keys"].as_array().unwrap().iter();
            assert_eq!(
                keys.filter(|key| key["name"] == name.as_str()).count(),
                created_count,
                "{statuses:?}"
            );
        }
    }
    for node in nodes {
        harness.runtime.block_on(node.stop());
    }
}

/// A proxy to the database that can be interrupted, or become a black hole.
pub(crate) struct BreakableProxy {
    cut: Arc<AtomicBool>,
    silent: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

/// Copies until the end; what comes while the proxy is silent is lost.
fn copy_unless_silent(from: &mut TcpStream, into: &mut TcpStream, silent: &AtomicBool) {
    let mut buffer = [0; 8192];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if !silent.load(Ordering::Relaxed) && into.write_all(&buffer[..length]).is_err() {
            return;
        }
    }
    let _ = into.shutdown(Shutdown::Both);
}

impl BreakableProxy {
    pub(crate) fn new(url: &str) -> (Self, String) {
        let server = url.rsplit_once('@').unwrap().1.split('/').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy_addr = listener.local_addr().unwrap().to_string();
        let proxy = Self { cut: Arc::default(), silent: Arc::default(), open: Arc::default() };
        let (cut, open, to) = (Arc::clone(&proxy.cut), Arc::clone(&proxy.open), server.clone());
        let silent = Arc::clone(&proxy.silent);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if cut.load(Ordering::Relaxed) {
                    continue;
                }
                let server = TcpStream::connect(&to).unwrap();
                let sides = [client, server];
                open.lock().unwrap().extend(sides.iter().map(|side| side.try_clone().unwrap()));
                for (from, into) in [(0, 1), (1, 0)] {
                    let mut from = sides[from].try_clone().unwrap();
                    let mut into = sides[into].try_clone().unwrap();
                    let silent = Arc::clone(&silent);
                    thread::spawn(move || copy_unless_silent(&mut from, &mut into, &silent));
                }
            }
        });
        (proxy, url.replacen(&server, &proxy_addr, 1))
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
        self.close_connections();
    }

    /// Closes all connections, as `pg_terminate_backend` does; new ones work.
    pub(crate) fn close_connections(&self) {
        for side in self.open.lock().unwrap().drain(..) {
            let _ = side.shutdown(Shutdown::Both);
        }
    }

    fn restore(&self) {
        self.cut.store(false, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_node_that_starts_without_the_database_rejects_no_valid_key() {
    let harness = harness_without_store();
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    let first = start_node(&harness, |config| config.access.keys = vec![key("operator")]);
    let name = unique_name("early");
    let secret = create_key(first.addr, "operator", &json!({ "name": name }));
    let (proxy, url) = BreakableProxy::new(&url);
    proxy.cut();
    let location = StoreLocation::Postgres(url.into());
    let second = start_node(&harness, |config| {
        config.access.keys = vec![key("operator")];
        config.store.location = location.clone();
    });
    // As after an emptied file: it is not known whether there are keys.
    let third = start_node(&harness, |config| config.store.location = location.clone());
    let ready = |at: SocketAddr| get(at, "/readyz", "").status;
    let keyless = |at: SocketAddr| get(at, "/v1/models", "").status;
    assert_eq!((status(second.addr, &secret), status(second.addr, "operator")), (503, 200));
    assert_eq!((keyless(second.addr), keyless(third.addr)), (401, 503));
    assert_eq!((ready(second.addr), ready(third.addr)), (503, 503));
    proxy.restore();
    wait_until("it is not ready", || ready(second.addr) == 200 && ready(third.addr) == 200);
    assert_eq!((status(second.addr, &secret), status(third.addr, &secret)), (200, 200));
    assert_eq!((keyless(second.addr), keyless(third.addr)), (401, 401));
    assert_eq!(status(second.addr, "il-unknown"), 401);
    // Later outages leave it ready.
    proxy.cut();
    sleep(Duration::from_secs(3));
    assert_eq!((ready(second.addr), status(second.addr, &secret)), (200, 200));
    assert_eq!((ready(third.addr), keyless(third.addr)), (200, 401));
    for node in [first, second, third] {
        harness.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_database_that_becomes_silent_delays_no_turn() {
    let harness = harness_without_store();
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    let (proxy, url) = BreakableProxy::new(&url);
    let name = unique_name("silent");
    let node = start_node(&harness, |config| {
        config.access.keys = vec![ApiKey { tokens_per_day: Some(1_000_000), ..key(&name) }];
        config.store.location = StoreLocation::Postgres(url.into());
    });
    let secret = create_key(node.addr, &name, &json!({ "name": format!("{name}-issued") }));
    let hello = json!({"model": "sim/echo", "messages": [{"role": "user", "content": "Hi."}]});
    let ask = |secret: &str| {
        let (headers, body) = (auth_header(secret), hello.to_string());
        let start = Instant::now();
        let response =
            crate::client::post(node.addr, "/v1/chat/completions", &headers, body.as_bytes());
        (response.status, start.elapsed())
    };
    assert_eq!(ask(&secret).0, 200);
    proxy.silent.store(true, Ordering::Relaxed);
    let start = Instant::now();
    // Past the intervals of all background tasks, and their time-outs.
    while start.elapsed() < Duration::from_secs(12) {
        for secret in [&name, &secret] {
            let (status, elapsed) = ask(secret);
            assert_eq!(status, 200);
            assert!(elapsed < Duration::from_millis(900), "{elapsed:?} at {:?}", start.elapsed());
        }
        sleep(Duration::from_millis(20));
    }
    assert_eq!(get(node.addr, "/readyz", "").status, 200);
    proxy.cut();
    harness.runtime.block_on(node.stop());
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn an_interrupted_database_stops_no_request_and_loses_no_usage() {
    let harness = harness_without_store();
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    let (proxy, url) = BreakableProxy::new(&url);
    let (limited, name) = (unique_name("away"), unique_name("away-made"));
    let first = start_node(&harness, |config| {
        let limits = ApiKey { requests_per_minute: Some(8), ..key(&limited) };
        config.access.keys =
            vec![ApiKey { tokens_per_day: Some(1_000_000), ..limits }, key("operator")];
        config.store.location = StoreLocation::Postgres(url.into());
    });
    let secret = create_key(first.addr, "operator", &json!({ "name": name }));
    assert_eq!((status(first.addr, &limited), status(first.addr, &secret)), (200, 200));
    wait_for_sync();
    proxy.cut();
    for _ in 0..3 {
        let start = Instant::now();
        assert_eq!((status(first.addr, &limited), status(first.addr, &secret)), (200, 200));
        assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
        sleep(Duration::from_millis(700));
    }
    let removed = delete_with(first.addr, &format!("/api/keys/{name}"), &auth_header("operator"));
    assert_eq!(removed.status, 503, "{}", removed.text());
    proxy.restore();
    let second = start_node(&harness, |config| config.access.keys = vec![key("operator")]);
    for key in [&limited, &name] {
        let path = format!("?key={key}");
        wait_until("the usage is not stored", || {
            let rows = usage(second.addr, "operator", &path);
            rows.first().is_some_and(|row| row["requests"] == 4)
        });
    }
    sleep(Duration::from_secs(2));
    assert_eq!(usage(second.addr, "operator", &format!("?key={name}"))[0]["requests"], 4);
    for node in [first, second] {
        harness.runtime.block_on(node.stop());
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_lesson_is_confirmed_by_a_second_key_on_another_node() {
    // The simulator's provider rejects an unknown field of Anthropic's requests each time.
    let harness = harness_without_store();
    let names = ["ann", "bob", "eve"].map(unique_name);
    let start = || {
        let keys = names.iter().map(|name| key(name)).collect();
        start_node(&harness, |config| config.access.keys = keys)
    };
    let (first, second) = (start(), start());
    let model = unique_name("claude-opus-4-8");
    // The requests that the provider receives for one of the client.
    let ask = |node: &ServerHandle, name: &str| {
        let before = harness.provider_requests().len();
        let mut request = (CLIENTS[0].first_request)(&format!("anthropic/{model}"), false, "Hi.");
        request["frobnicate"] = json!(1);
        let body = request.to_string();
        let response = post(node.addr, "/v1/messages", &auth_header(name), body.as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        harness.provider_requests().len() - before
    };
    let lessons = |node: &ServerHandle, of: &str| {
        let text = get(node.addr, "/api/lessons", &auth_header(&names[0])).text();
        text.contains(&model) && text.contains(&format!("\"key\":\"{of}\""))
    };
    assert_eq!((ask(&first, &names[0]), ask(&first, &names[0])), (2, 1));
    wait_until("the lesson reaches the other node", || lessons(&second, &names[0]));
    assert_eq!(ask(&second, &names[1]), 2, "it serves only its owner");
    assert_eq!(ask(&second, &names[2]), 1, "the second key has confirmed it");
    wait_until("the confirmation reaches the first node", || lessons(&first, &names[1]));
    assert_eq!(ask(&first, &names[2]), 1);
    for node in [first, second] {
        harness.runtime.block_on(node.stop());
    }
}
