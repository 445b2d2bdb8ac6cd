//! Tests that a client gets the end of an answer after its session has it, and that no answer is
//! lost if that fails.

mod gated_store;

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use interlingua_gateway::config::Config;
use interlingua_gateway::{Gateway, ServerHandle};
use interlingua_store::{
    AppendTurns, MemoryStore, Retention, SqliteStore, StoreError, StoreOptions, StoredTurn,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::gated_store::GatedStore;
use crate::client::{HttpResponse, delete, get, post};

/// A gateway with the built-in models, on a gated store.
struct GatedGateway {
    runtime: Runtime,
    server: Option<ServerHandle>,
    store: Arc<GatedStore>,
}

impl GatedGateway {
    fn new(store: GatedStore) -> Self {
        let runtime = Runtime::new().unwrap();
        let store = Arc::new(store);
        let config = Config::from_env(&|_| None);
        let gateway = Gateway::with_store(config, Arc::clone(&store) as Arc<_>).unwrap();
        let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
        // As `interlingua serve`: the runtimes of the workers end with their connections.
        let threads = NonZero::new(2).unwrap();
        let server =
            runtime.block_on(async { gateway.start_on_threads(any_addr, threads).unwrap() });
        Self { runtime, server: Some(server), store }
    }

    fn on_sqlite(folder: &Path, is_open: bool) -> Self {
        let store = SqliteStore::open(folder.join("store.db"), StoreOptions::default()).unwrap();
        Self::new(GatedStore::new(store, is_open))
    }

    fn addr(&self) -> SocketAddr {
        self.server.as_ref().unwrap().addr
    }

    fn create_session(&self) -> String {
        let created = parse(&post(self.addr(), "/api/sessions", "", b"{}"));
        created["id"].as_str().unwrap().to_owned()
    }

    fn session(&self, id: &str) -> Value {
        parse(&get(self.addr(), &format!("/api/sessions/{id}"), ""))
    }
}

impl Drop for GatedGateway {
    fn drop(&mut self) {
        self.store.open();
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }
}

fn parse(response: &HttpResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    serde_json::from_slice(&response.body).unwrap()
}

fn continue_session(at: SocketAddr, id: &str, text: &str, stream: bool) -> HttpResponse {
    let body = json!({"model": "sim/echo", "say": text, "stream": stream}).to_string();
    post(at, &format!("/api/sessions/{id}/continue"), "", body.as_bytes())
}

fn texts(session: &Value) -> Vec<String> {
    let history = session["history"].as_array().unwrap().iter();
    history.map(|entry| entry["turn"].to_string()).collect()
}

#[test]
fn the_end_of_an_answer_waits_for_its_commit() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = GatedGateway::on_sqlite(folder.path(), false);
    for stream in [true, false] {
        gateway.store.close();
        let (at, id) = (gateway.addr(), gateway.create_session());
        let client = thread::spawn({
            let id = id.clone();
            move || continue_session(at, &id, "Ahoy", stream)
        });
        gateway.store.wait_arrived(if stream { 1 } else { 2 });
        // What goes into no session waits for nothing.
        let hello = json!({"model": "sim/echo", "messages": [{"role": "user", "content": "Hi."}]});
        let start = Instant::now();
        for _ in 0..5 {
            let hello = hello.to_string();
            assert_eq!(post(at, "/v1/chat/completions", "", hello.as_bytes()).status, 200);
        }
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert!(!client.is_finished(), "it has its end before the commit");
        gateway.store.open();
        let response = client.join().unwrap();
        assert!(response.is_complete && response.status == 200, "{}", response.text());
        let text = response.text();
        assert!(text.contains("Ahoy") && !text.contains("event: fail"), "{text}");
        assert_eq!(text.contains("event: stop"), stream, "{text}");
        assert_eq!(gateway.session(&id)["turns"], 2);
    }
}

/// The client gets an error after two seconds; the answer is stored later.
#[test]
fn a_late_commit_ends_in_an_error_and_the_answer_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = GatedGateway::on_sqlite(folder.path(), false);
    let at = gateway.addr();
    let answers = [true, false].map(|stream| {
        let id = gateway.create_session();
        thread::spawn(move || {
            let start = Instant::now();
            let response = continue_session(at, &id, "Ahoy", stream);
            let elapsed = start.elapsed();
            assert!((1500..3500).contains(&elapsed.as_millis()), "{elapsed:?}");
            (stream, id, response)
        })
    });
    for (stream, id, response) in answers.map(|answer| answer.join().unwrap()) {
        let text = response.text();
        assert_eq!(response.status, if stream { 200 } else { 503 }, "{text}");
        assert!(response.is_complete && text.contains(&format!("GET /api/sessions/{id} shows it")));
        assert!(!text.contains("event: stop"), "{text}");
        assert_eq!(
            (text.contains("event: fail"), text.contains("Ahoy")),
            (stream, stream),
            "{text}"
        );
        let waiting = [
            thread::spawn({
                let id = id.clone();
                move || continue_session(at, &id, "And now?", false)
            }),
            thread::spawn(move || get(at, &format!("/api/sessions/{id}"), "")),
        ];
        for response in waiting.map(|request| request.join().unwrap()) {
            assert_eq!(response.status, 503, "{}", response.text());
            assert_eq!(response.header("retry-after"), Some("1"));
        }
    }
    gateway.store.open();
    let listed = parse(&get(at, "/api/sessions", ""));
    for session in listed["sessions"].as_array().unwrap() {
        let id = session["id"].as_str().unwrap();
        let turns = texts(&gateway.session(id));
        assert!(turns.len() == 2 && turns[1].contains("Ahoy"), "{turns:?}");
        assert_eq!(continue_session(at, id, "And now?", false).status, 200);
        assert_eq!(gateway.session(id)["turns"], 4);
    }
}

/// The client has its error, and its connection has ended: nothing but the stop waits.
#[test]
fn a_stop_waits_five_seconds_for_answers_that_were_reported_late() {
    let is_answered = [true, false].map(|opens| {
        thread::spawn(move || {
            let folder = tempfile::tempdir().unwrap();
            let mut gateway = GatedGateway::on_sqlite(folder.path(), false);
            let id = gateway.create_session();
            assert_eq!(continue_session(gateway.addr(), &id, "Ahoy", false).status, 503);
            let start = Instant::now();
            let stop = gateway.runtime.spawn(gateway.server.take().unwrap().stop());
            thread::sleep(Duration::from_millis(500));
            assert!(!stop.is_finished(), "it does not wait");
            if opens {
                gateway.store.open();
            }
            gateway.runtime.block_on(stop).unwrap();
            let elapsed = start.elapsed().as_millis();
            assert!(if opens { elapsed < 3000 } else { (4500..9000).contains(&elapsed) });
            drop(gateway);
            let gateway = GatedGateway::on_sqlite(folder.path(), true);
            texts(&gateway.session(&id)).iter().any(|turn| turn.contains("assistant"))
        })
    });
    assert_eq!(is_answered.map(|stopped| stopped.join().unwrap()), [true, false]);
}

#[test]
fn an_answer_to_a_history_that_has_moved_is_stored_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = GatedGateway::on_sqlite(folder.path(), false);
    let (at, id) = (gateway.addr(), gateway.create_session());
    let client = thread::spawn({
        let id = id.clone();
        move || continue_session(at, &id, "Ahoy", true)
    });
    gateway.store.wait_arrived(1);
    let turn = json!({"role": "user", "blocks": [{"text": "Another gateway was faster."}]});
    let turns = vec![StoredTurn::complete(turn.to_string())];
    let append = AppendTurns { expected_turns: 1, turns, model: None };
    let session_id = id.parse().unwrap();
    let appended = gateway.store.append_directly(session_id, append);
    assert_eq!(gateway.runtime.block_on(appended), 2);
    gateway.store.open();
    let response = client.join().unwrap();
    assert!(response.text().contains("event: stop"), "{}", response.text());
    let check = |gateway: &GatedGateway| {
        let session = gateway.session(&id);
        assert_eq!((&session["turns"], texts(&session).len()), (&json!(2), 2));
        let beside = session["beside"].as_array().unwrap();
        assert_eq!((beside.len(), &beside[0]["seen"]), (1, &json!(1)), "{session}");
        assert_eq!(beside[0]["model"], "sim/echo");
        assert!(beside[0]["turn"].to_string().contains("Ahoy"), "{session}");
        assert!(beside[0]["at"].as_u64().unwrap() >= session["created"].as_u64().unwrap());
    };
    check(&gateway);
    drop(gateway);
    gateway = GatedGateway::on_sqlite(folder.path(), true);
    check(&gateway);
    let path = format!("/api/sessions/{id}");
    assert_eq!(delete(gateway.addr(), &path).status, 200);
    assert_eq!(get(gateway.addr(), &path, "").status, 404);
}

#[test]
fn an_answer_whose_commit_got_no_reply_is_stored_once() {
    let gateway =
        GatedGateway::new(GatedStore::new(MemoryStore::new(&Retention::default(), 1 << 20), true));
    let id = gateway.create_session();
    gateway.store.loses_next_result.store(true, Ordering::SeqCst);
    let response = continue_session(gateway.addr(), &id, "Ahoy", true);
    assert!(response.text().contains("event: stop"), "{}", response.text());
    let session = gateway.session(&id);
    assert_eq!((&session["turns"], &session["beside"]), (&json!(2), &Value::Null), "{session}");
}

/// In a shared store a missing reply may still be on its way; elsewhere it does not exist.
#[test]
fn a_young_reply_that_is_missing_is_to_be_asked_for_again() {
    let mut store = GatedStore::new(MemoryStore::new(&Retention::default(), 1 << 20), true);
    store.is_shared = true;
    let gateway = GatedGateway::new(store);
    let at = gateway.addr();
    let ask_after = |previous: Value| {
        let body = json!({"model": "sim/echo", "input": "Hi.", "previous_response_id": previous});
        post(at, "/v1/responses", "", body.to_string().as_bytes())
    };
    let ask = |previous: &str| ask_after(json!(previous));
    let stored = parse(&ask_after(Value::Null));
    let stored = stored["id"].as_str().unwrap();
    let (start, last) = stored.split_at(stored.len() - 1);
    let young = format!("{start}{}", if last == "0" { "1" } else { "0" });
    assert_eq!(ask(stored).status, 200);
    let item = |id: &str| get(at, &format!("/v1/responses/{id}"), "");
    for response in [ask(&young), item(&young)] {
        assert_eq!(response.status, 503, "{}", response.text());
        assert_eq!(response.header("retry-after"), Some("1"));
    }
    for id in
        ["resp_0198a7b2-0000-7000-8000-000000000000", "resp_ffffffff-ffff-7fff-8fff-ffffffffffff"]
    {
        assert_eq!((ask(id).status, item(id).status), (400, 404), "{id}");
    }
    *gateway.store.read_error.lock().unwrap() = Some(StoreError("away".to_owned()));
    assert_eq!((ask(stored).status, item(stored).status), (503, 503));
    *gateway.store.read_error.lock().unwrap() = None;
    assert_eq!(delete(at, &format!("/v1/responses/{stored}")).status, 200);
    assert_eq!((ask(stored).status, item(stored).status), (400, 404), "it was deleted");
}
