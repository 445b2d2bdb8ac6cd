//! Tests that requests do not wait for dependencies that accept connections and say nothing.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use interlingua::find_dialect;
use interlingua_gateway::config::{StoreLocation, Telemetry};
use interlingua_upstream::Provider;
use serde_json::json;

use crate::client::{CLIENTS, get, post};
use crate::harness::Harness;
use crate::keys::{ask_with_key, auth_header, key};

/// A server that accepts connections and never answers.
struct BlackHole {
    addr: SocketAddr,
    /// For each connection, whether the gateway has given it up.
    connections: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
}

impl BlackHole {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let black_hole = Self { addr, connections: Arc::default() };
        let connections = Arc::clone(&black_hole.connections);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, is_closed) = (stream.unwrap(), Arc::<AtomicBool>::default());
                connections.lock().unwrap().push(Arc::clone(&is_closed));
                thread::spawn(move || {
                    let _ = stream.read_to_end(&mut Vec::new());
                    is_closed.store(true, Ordering::SeqCst);
                });
            }
        });
        black_hole
    }

    /// Waits for the next connection.
    fn next_connection(&self) -> Arc<AtomicBool> {
        let (before, start) = (self.connections.lock().unwrap().len(), Instant::now());
        loop {
            if let Some(connection) = self.connections.lock().unwrap().get(before) {
                return Arc::clone(connection);
            }
            assert!(start.elapsed() < Duration::from_mins(1), "it is not tried again");
            sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the first connection.
    fn first_connection(&self) -> Arc<AtomicBool> {
        let first = self.connections.lock().unwrap().first().cloned();
        first.unwrap_or_else(|| self.next_connection())
    }

    fn postgres(&self) -> StoreLocation {
        StoreLocation::Postgres(format!("postgres://user:pw@{}/name", self.addr).into())
    }
}

#[test]
fn turns_that_need_nothing_from_a_silent_database_do_not_wait() {
    let (database, collector, provider) = (BlackHole::new(), BlackHole::new(), BlackHole::new());
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![key("ann")];
        config.store.location = database.postgres();
        let endpoint = format!("http://{}", collector.addr);
        let env = |name: &str| match name {
            "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(endpoint.clone()),
            "OTEL_BSP_SCHEDULE_DELAY" => Some("10".to_owned()),
            _ => None,
        };
        config.telemetry = Telemetry::from_env(&env).0;
        let base_url = format!("http://{}", provider.addr).parse().unwrap();
        let silent = Provider::new("silent", find_dialect("anthropic").unwrap(), base_url);
        config.providers.push(Arc::new(silent));
    });
    let at = harness.addr();
    let listing = thread::spawn(move || get(at, "/v1/models", &auth_header("ann")).status);
    let listed = provider.first_connection();
    // By order: the turns end before a connection that was open before them is given up.
    let connection = database.next_connection();
    let ask = move |nth: usize| {
        ask_with_key(at, &CLIENTS[nth % CLIENTS.len()], "ann", nth.is_multiple_of(2)).status
    };
    let turns: Vec<_> = (0..20).map(|nth| thread::spawn(move || ask(nth))).collect();
    let statuses: Vec<u16> = turns.into_iter().map(|turn| turn.join().unwrap()).collect();
    assert_eq!(statuses, [200; 20]);
    assert!(!connection.load(Ordering::SeqCst), "they have waited for the database");
    assert!(!listed.load(Ordering::SeqCst), "they have waited for a list of models");
    let exported = collector.first_connection();
    assert_eq!(ask(0), 200);
    assert!(!exported.load(Ordering::SeqCst), "it has waited for the collector");
    assert_eq!(listing.join().unwrap(), 200);
}

#[test]
fn turns_that_need_a_silent_database_wait_two_seconds_at_the_most() {
    let database = BlackHole::new();
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![key("ann")];
        config.store.location = database.postgres();
    });
    let headers = auth_header("ann");
    let session = "/api/sessions/0198a7b2-0000-7000-8000-000000000000/continue";
    let continued = json!({"model": "sim/echo", "say": "Hi."});
    let chained = json!({"model": "sim/echo", "input": "Hi.", "previous_response_id": "resp_1"});
    let history = json!({"model": "anthropic/claude-sonnet-4-5", "messages": [
        {"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And now?"}], "max_tokens": 50});
    let hello = json!({"model": "sim/echo", "messages": [{"role": "user", "content": "Hi."}]});
    let cases = [
        ("/v1/messages", headers.as_str(), &history, 200),
        (session, headers.as_str(), &continued, 503),
        ("/v1/responses", headers.as_str(), &chained, 503),
        ("/v1/chat/completions", "authorization: Bearer il-unknown\r\n", &hello, 503),
    ];
    for (path, headers, body, status) in cases {
        let start = Instant::now();
        let response = post(harness.addr(), path, headers, body.to_string().as_bytes());
        let elapsed = start.elapsed();
        assert_eq!(response.status, status, "{path}: {}", response.text());
        // A connection to the database is given up after four seconds.
        assert!(elapsed < Duration::from_millis(3500), "{path}: {elapsed:?}");
    }
}
