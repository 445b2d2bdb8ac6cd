//! Tests of recent turns, live events and the debug UI.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use interlingua_gateway::config::ApiKey;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, get, post, reply_repairs};
use crate::harness::Harness;
use crate::lessons::stub_as_provider;
use crate::stub_provider::{StubProvider, success_answer};

/// Runs a turn with a built-in model; returns its id.
fn run_turn(harness: &Harness, headers: &str) -> String {
    let client = &CLIENTS[0];
    let request = (client.first_request)("sim/echo", false, "A secret of the harbour.").to_string();
    let response =
        post(harness.addr(), &(client.path)("sim/echo", false), headers, request.as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    response.header("x-interlingua-turn").unwrap().to_owned()
}

struct EventSource {
    stream: TcpStream,
    received: String,
}

impl EventSource {
    fn new(addr: SocketAddr, headers: &str) -> Self {
        let mut stream = TcpStream::connect(addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET /api/events HTTP/1.1\r\nhost: {addr}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut events = Self { stream, received: String::new() };
        events.read_until(": listening");
        events
    }

    /// Reads until this text was received.
    fn read_until(&mut self, text: &str) -> &str {
        let mut chunk = [0; 4096];
        while !self.received.contains(text) {
            let read = self.stream.read(&mut chunk).unwrap();
            assert!(read > 0, "it ended: {}", self.received);
            self.received.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
        &self.received
    }

    fn wait_event(&mut self, name: &str) -> Value {
        self.read_until(&format!("event: {name}\n"));
        let received = self.read_until("}\n\n");
        let text = received.split(&format!("event: {name}\ndata: ")).nth(1).unwrap();
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    }
}

#[test]
fn turns_are_published_and_listed() {
    let harness = Harness::new();
    let mut events = EventSource::new(harness.addr(), "");
    let id = run_turn(&harness, "");
    let begin_event = events.wait_event("turn.begun");
    assert_eq!([&begin_event["turn"], &begin_event["dialect"]], [&id, "anthropic"]);
    events.read_until("turn.ended");
    let end_event = events.wait_event("turn.ended");
    assert_eq!([&end_event["turn"], &end_event["outcome"]], [&id, "answered"]);
    assert_eq!([&end_event["provider"], &end_event["model"]], ["sim", "sim/echo"]);
    assert!(end_event["usage"]["output"].as_u64() > Some(0), "{end_event}");
    assert!(!events.received.contains("harbour"), "{}", events.received);

    let listed: Value =
        serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
    assert_eq!(listed["turns"][0], end_event);
    let details = get(harness.addr(), &format!("/api/turns/{id}"), "");
    let details: Value = serde_json::from_slice(&details.body).unwrap();
    assert_eq!(details["turn"], end_event);
}

#[test]
fn the_list_has_the_repairs() {
    let harness = Harness::new();
    let body = br#"{"model":"sim/echo","max_tokens":9,"messages":[{"role":"user","content":""}]}"#;
    let response = post(harness.addr(), "/v1/messages", "", body);
    let rules: Vec<_> = response.header("x-interlingua-repairs").unwrap().split(',').collect();
    let listed: Value =
        serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
    assert_eq!(listed["turns"][0]["repairs"], serde_json::json!(rules));
}

#[test]
fn what_the_client_has_no_form_for_is_listed_with_the_reply_and_is_no_loss() {
    let content = json!([{"type": "text", "text": "hm"}, {"type": "from_the_future", "x": 1}]);
    let mut reply: Value = serde_json::from_str(&success_answer("anthropic").1).unwrap();
    reply["content"] = content;
    let stub = StubProvider::with_answers(vec![(200, reply.to_string())]);
    let harness = Harness::with_config(|config| {
        config.providers = vec![Arc::new(stub_as_provider(&stub, "anthropic"))];
        config.capture.stages = true;
    });
    let body = json!({"model": "stub/m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}]});
    let path = "/v1/chat/completions";
    let response = post(harness.addr(), path, "", body.to_string().as_bytes());
    assert_eq!(response.header("x-interlingua-repairs"), None, "the request was not changed");
    let of_reply = reply_repairs(harness.addr(), &response);
    assert_eq!(of_reply, ["no-such-block"]);
    let path = format!("/api/turns/{}", response.header("x-interlingua-turn").unwrap());
    // The stages are stored after the turn is listed.
    let details = (0..200).find_map(|_| {
        let response = get(harness.addr(), &path, "");
        std::thread::sleep(Duration::from_millis(10));
        (response.status == 200).then(|| serde_json::from_slice::<Value>(&response.body).unwrap())
    });
    let details = details.unwrap();
    let entry = &details["turn"]["reply_repairs"][0];
    assert_eq!((&entry["rule"], &entry["loss"]), (&json!("no-such-block"), &json!(false)));
    assert_eq!(details["turn"]["repairs"], json!([]));
}

#[test]
fn the_list_is_bounded() {
    let harness = Harness::new();
    let ids: Vec<_> = (0..300).map(|_| run_turn(&harness, "")).collect();
    let listed: Value =
        serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
    let listed = listed["turns"].as_array().unwrap();
    assert_eq!(listed.len(), 256);
    assert_eq!([&listed[0]["turn"], &listed[255]["turn"]], [&ids[299], &ids[44]]);
}

#[test]
fn events_of_other_keys_are_not_visible() {
    let key = |name: &str| ApiKey {
        name: name.to_owned(),
        sha256: Sha256::digest(format!("key-of-{name}")).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    let harness =
        Harness::with_config(|config| config.access.keys = vec![key("anna"), key("bert")]);
    let auth_header = |name: &str| format!("authorization: Bearer key-of-{name}\r\n");
    assert_eq!(get(harness.addr(), "/api/events", "").status, 401);
    let mut anna = EventSource::new(harness.addr(), &auth_header("anna"));
    let other_turn = run_turn(&harness, &auth_header("bert"));
    let own_turn = run_turn(&harness, &auth_header("anna"));
    assert_eq!(anna.wait_event("turn.ended")["turn"], own_turn);
    assert!(!anna.received.contains(&other_turn), "{}", anna.received);
    let listed = get(harness.addr(), "/api/turns", &auth_header("anna")).text();
    assert!(listed.contains(&own_turn) && !listed.contains(&other_turn), "{listed}");
    assert_eq!(
        get(harness.addr(), &format!("/api/turns/{other_turn}"), &auth_header("anna")).status,
        404
    );
}

#[test]
fn subscribers_do_not_delay_shutdown() {
    let mut harness = Harness::with_config(|config| config.timeouts.drain = Duration::from_mins(1));
    let mut events = EventSource::new(harness.addr(), "");
    let start = Instant::now();
    let gateway = harness.gateway.take().unwrap();
    harness.runtime.block_on(gateway.stop());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let mut rest = String::new();
    events.stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "the stream has an end: {rest}");
}

#[test]
fn an_idle_event_stream_sends_heartbeats() {
    let harness =
        Harness::with_config(|config| config.timeouts.heartbeat = Duration::from_millis(50));
    let mut events = EventSource::new(harness.addr(), "");
    events.received.clear();
    events.read_until(": listening");
}

#[test]
fn the_page_loads_only_its_own_files() {
    let harness = Harness::new();
    let page = get(harness.addr(), "/ui/", "");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    let text = page.text();
    let files: Vec<_> = text
        .split('"')
        .filter(|word| [".js", ".css", ".svg"].iter().any(|end| word.ends_with(end)))
        .collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for name in files {
        let file = get(harness.addr(), &format!("/ui/{name}"), "");
        assert_eq!(file.status, 200, "{name}");
        let markup = ["innerHTML", "outerHTML", "insertAdjacent", "eval(", "document.write"];
        assert!(!markup.iter().any(|word| file.text().contains(word)), "{name}");
    }
    assert!(!text.contains("<style") && !text.contains("onclick"), "{text}");
    assert_eq!(get(harness.addr(), "/ui", "").header("location"), Some("/ui/"));
    assert_eq!(get(harness.addr(), "/ui/nothing.js", "").status, 404);
    assert_eq!(get(harness.addr(), "/ui/", "host: evil.example\r\n").status, 403);
}
