//! Tests of three gateways on one database behind a balancer without stickiness: each request goes to
//! the next one, without a pause.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use interlingua_gateway::ServerHandle;
use interlingua_gateway::config::StoreLocation;
use serde_json::{Value, json};

use super::keys::BreakableProxy;
use super::postgres_location;
use crate::client::{HttpResponse, get, post};
use crate::harness::Harness;
use crate::responses::second_gateway;

/// Three gateways, called in turn.
pub(crate) struct RoundRobin {
    harness: Harness,
    nodes: Vec<ServerHandle>,
    requests: usize,
}

impl RoundRobin {
    pub(crate) fn new(location: &StoreLocation) -> Self {
        let harness = Harness::with_config(|config| config.store.location = StoreLocation::Off);
        let nodes = (0..3).map(|_| second_gateway(&harness, location.clone())).collect();
        Self { harness, nodes, requests: 0 }
    }

    fn post(&mut self, path: &str, body: &Value) -> HttpResponse {
        self.requests += 1;
        let at = self.nodes[self.requests % 3].addr;
        post(at, path, "", body.to_string().as_bytes())
    }

    /// Posts until the answer is no 503; returns how many there were.
    fn post_until_ready(&mut self, path: &str, body: &Value) -> (HttpResponse, usize) {
        for retries in 0..50 {
            let response = self.post(path, body);
            if response.status != 503 {
                return (response, retries);
            }
            assert_eq!(response.header("retry-after"), Some("1"), "{}", response.text());
            sleep(Duration::from_millis(100));
        }
        panic!("{path} stays unavailable");
    }

    fn get(&self, path: &str) -> Value {
        let response = get(self.nodes[0].addr, path, "");
        assert_eq!(response.status, 200, "{}", response.text());
        serde_json::from_slice(&response.body).unwrap()
    }
}

impl Drop for RoundRobin {
    fn drop(&mut self) {
        for node in self.nodes.drain(..) {
            self.harness.runtime.block_on(node.stop());
        }
    }
}

/// Continues one session so many times: no conflict, and no answer is lost or out of order.
pub(crate) fn continue_without_pause(count: usize) {
    let mut nodes = RoundRobin::new(&postgres_location());
    let created: Value =
        serde_json::from_slice(&nodes.post("/api/sessions", &json!({})).body).unwrap();
    let id = created["id"].as_str().unwrap().to_owned();
    let path = format!("/api/sessions/{id}/continue");
    for nth in 0..count {
        let text = format!("number {nth}.");
        let body = json!({"model": "sim/echo", "say": text, "stream": nth.is_multiple_of(2)});
        let response = nodes.post(&path, &body);
        assert_eq!(response.status, 200, "{nth}: {}", response.text());
        assert!(!response.text().contains("event: fail"), "{nth}: {}", response.text());
    }
    let session = nodes.get(&format!("/api/sessions/{id}"));
    assert_eq!(session["beside"], Value::Null);
    let history = session["history"].as_array().unwrap();
    assert_eq!(history.len(), 2 * count);
    for (nth, turns) in history.chunks(2).enumerate() {
        for (entry, role) in turns.iter().zip(["user", "assistant"]) {
            assert_eq!(entry["turn"]["role"], role);
            assert!(entry["turn"].to_string().contains(&format!("number {nth}.")), "{entry}");
        }
    }
}

/// For so long, connections are closed each second: replies that were given out are found, or are to
/// be asked for again; sessions lose no answer that has its end.
pub(crate) fn continue_with_killed_connections(time: Duration) {
    let url = std::env::var("INTERLINGUA_TEST_POSTGRES").unwrap();
    let (proxy, url) = BreakableProxy::new(&url);
    let mut nodes = RoundRobin::new(&StoreLocation::Postgres(url.into()));
    let created: Value =
        serde_json::from_slice(&nodes.post("/api/sessions", &json!({})).body).unwrap();
    let session_path = format!("/api/sessions/{}", created["id"].as_str().unwrap());
    let (is_done, start) = (AtomicBool::new(false), Instant::now());
    let (mut previous, mut replies, mut retries) = (Value::Null, Vec::new(), 0);
    let mut acknowledged = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                sleep(Duration::from_secs(1));
                proxy.close_connections();
            }
        });
        for nth in 0.. {
            if start.elapsed() > time {
                break;
            }
            // A new chain now and then, so that requests stay small.
            let after = if nth % 100 == 0 { Value::Null } else { previous };
            let body = json!({"model": "sim/echo", "input": "Hi.", "previous_response_id": after});
            let (response, unavailable) = nodes.post_until_ready("/v1/responses", &body);
            assert_eq!(response.status, 200, "{nth}: {}", response.text());
            retries += unavailable;
            let reply: Value = serde_json::from_slice(&response.body).unwrap();
            previous = reply["id"].clone();
            replies.push(previous.as_str().unwrap().to_owned());
            if nth % 4 == 0 {
                let text = format!("number {nth}.");
                let body = json!({"model": "sim/echo", "say": text, "stream": true});
                let path = format!("{session_path}/continue");
                let response = nodes.post_until_ready(&path, &body).0;
                assert_eq!(response.status, 200, "{nth}: {}", response.text());
                if response.text().contains("event: stop") {
                    acknowledged.push(text);
                }
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(replies.len() > 50 && retries < replies.len(), "{retries} of {}", replies.len());
    for id in &replies {
        nodes.get(&format!("/v1/responses/{id}"));
    }
    let session = nodes.get(&session_path);
    let turns = session["history"].as_array().unwrap().iter().map(|entry| &entry["turn"]);
    let mut answers = turns.filter(|turn| turn["role"] == "assistant").map(Value::to_string);
    for text in &acknowledged {
        assert!(answers.any(|answer| answer.contains(text)), "{text} is lost: {session}");
    }
    assert!(acknowledged.len() > 10, "{}", acknowledged.len());
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_session_continues_on_any_node_without_a_pause() {
    continue_without_pause(300);
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn replies_are_found_while_connections_are_killed() {
    continue_with_killed_connections(Duration::from_secs(6));
}
