//! Tests of `/api/sessions`: a client sends only new turns.

use std::thread;

use interlingua_gateway::config::StoreLocation;
use serde_json::{Value, json};

use crate::client::{delete, get, post};
use crate::harness::Harness;

fn post_json(harness: &Harness, path: &str, body: &Value) -> (u16, Value) {
    let response = post(harness.addr(), path, "", body.to_string().as_bytes());
    (response.status, serde_json::from_slice(&response.body).unwrap_or_default())
}

fn create_session(harness: &Harness, body: &Value) -> String {
    let (status, session) = post_json(harness, "/api/sessions", body);
    assert_eq!(status, 200, "{session}");
    session["id"].as_str().unwrap().to_owned()
}

fn get_session(harness: &Harness, id: &str) -> Value {
    let response = get(harness.addr(), &format!("/api/sessions/{id}"), "");
    assert_eq!(response.status, 200, "{}", response.text());
    serde_json::from_slice(&response.body).unwrap()
}

/// Continues the session; returns the reply.
fn continue_session(harness: &Harness, id: &str, model: &str, text: &str) -> String {
    let body = json!({"model": model, "say": text, "settings": {"max_tokens": 9000, "reasoning":
        {"mode": "on", "budget": 2000}}});
    let (status, reply) = post_json(harness, &format!("/api/sessions/{id}/continue"), &body);
    assert_eq!(status, 200, "{model}: {reply}");
    reply.to_string()
}

fn assert_all_accepted(harness: &Harness) {
    for entry in harness.provider_requests() {
        assert_eq!(entry["status"], 200, "{entry:#}");
    }
}

#[test]
fn a_session_continues_with_every_model_and_keeps_reasoning() {
    let harness = Harness::new();
    let id = create_session(&harness, &json!({"title": "Harbour", "metadata": {"of": "me"}}));
    let (claude, other_models) = (
        "anthropic/claude-sonnet-4-5",
        ["codex/gpt-5.5-codex", "gemini/gemini-2.5-pro", "openai/gpt-4.1"],
    );
    assert!(continue_session(&harness, &id, claude, "Good morning").contains("Good morning"));
    for model in other_models {
        assert!(continue_session(&harness, &id, model, "And you?").contains("And you?"), "{model}");
    }
    continue_session(&harness, &id, claude, "Once more");
    let session = get_session(&harness, &id);
    assert_eq!(session["turns"], 10, "{session}");
    assert_eq!((&session["title"], &session["metadata"]["of"]), (&json!("Harbour"), &json!("me")));
    assert_eq!(session["model"], claude);
    assert_all_accepted(&harness);
    let last = harness.provider_requests().pop().unwrap();
    let first = last["request"]["messages"][1]["content"][0].clone();
    assert_eq!(first["type"], "thinking", "the first reasoning block is restored: {last:#}");
    assert!(first["signature"].as_str().is_some_and(|sealed| !sealed.is_empty()));
}

#[test]
fn a_streamed_reply_is_stored_before_the_next_request() {
    let harness = Harness::new();
    let id = create_session(&harness, &json!({}));
    let body = json!({"model": "anthropic/claude-sonnet-4-5", "say": "Hello", "stream": true});
    let path = format!("/api/sessions/{id}/continue");
    let response = post(harness.addr(), &path, "", body.to_string().as_bytes());
    assert!(response.is_complete && response.text().contains("data: "), "{}", response.text());
    continue_session(&harness, &id, "anthropic/claude-sonnet-4-5", "And now?");
    let session = get_session(&harness, &id);
    let roles: Vec<&Value> =
        session["history"].as_array().unwrap().iter().map(|entry| &entry["turn"]["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"], "{session}");
    assert_all_accepted(&harness);
}

#[test]
fn a_session_keeps_its_conversation_and_reasoning_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    let mut harness = Harness::with_config(|config| config.store.location = location());
    let ids = [create_session(&harness, &json!({})), create_session(&harness, &json!({}))];
    let mut conversations = Vec::new();
    for id in [&ids[0], &ids[0], &ids[1]] {
        let body = json!({"model": "anthropic/claude-sonnet-4-5", "say": "Hello", "settings":
            {"max_tokens": 9000, "reasoning": {"mode": "on", "budget": 2000}}});
        let path = format!("/api/sessions/{id}/continue");
        let response = post(harness.addr(), &path, "", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        conversations.push(response.header("x-interlingua-conversation").unwrap().to_owned());
        harness.restart_gateway(|config| config.store.location = location());
    }
    assert_eq!(conversations[0], conversations[1]);
    assert_ne!(conversations[0], conversations[2]);
    assert_all_accepted(&harness);
    let block = &harness.provider_requests()[1]["request"]["messages"][1]["content"][0];
    assert_eq!(block["type"], "thinking", "{block}");
    assert!(block["signature"].as_str().is_some_and(|sealed| !sealed.is_empty()));
}

#[test]
fn the_last_model_is_the_default() {
    let harness = Harness::new();
    let id = create_session(&harness, &json!({}));
    continue_session(&harness, &id, "sim/echo", "Hello");
    let path = format!("/api/sessions/{id}/continue");
    let (status, reply) = post_json(&harness, &path, &json!({"say": "Once more"}));
    assert_eq!(status, 200, "{reply}");
    assert!(reply.to_string().contains("Once more"), "{reply}");
    assert_eq!(get_session(&harness, &id)["model"], "sim/echo");
}

#[test]
fn concurrent_continuations_are_serialized() {
    let harness = Harness::new();
    let id = create_session(&harness, &json!({}));
    thread::scope(|scope| {
        for number in 0..4 {
            let (harness, id) = (&harness, &id);
            scope.spawn(move || {
                continue_session(harness, id, "openai/gpt-4.1", &format!("Number {number}"))
            });
        }
    });
    continue_session(&harness, &id, "openai/gpt-4.1", "The last");
    assert_eq!(get_session(&harness, &id)["turns"], 10);
    assert_all_accepted(&harness);
}

#[test]
fn sessions_are_listed_forked_appended_to_and_deleted() {
    let harness = Harness::new();
    let messages = json!([
        {"role": "user", "content": {"odd": true}}, null, {"role": "assistant", "content": "Hello"},
    ]);
    let body = json!({"title": "Old", "dialect": "openai-chat", "messages": messages});
    let (_, old) = post_json(&harness, "/api/sessions", &body);
    let id = old["id"].as_str().unwrap().to_owned();
    assert_eq!(old["turns"], 2);
    assert!(old["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{old}");

    let turn = json!({"role": "user", "blocks": [{"text": "Are you there?"}]});
    let append_body = json!({"seen": 2, "turns": [turn]});
    let turns = format!("/api/sessions/{id}/turns");
    assert_eq!(post_json(&harness, &turns, &append_body), (200, json!({"turns": 3})));
    let (status, conflict) = post_json(&harness, &turns, &append_body);
    assert_eq!(status, 409, "the session has changed: {conflict}");

    let (_, fork) = post_json(&harness, &format!("/api/sessions/{id}/fork"), &json!({"turns": 1}));
    assert_eq!((&fork["turns"], &fork["parent"]["id"]), (&json!(1), &json!(id)));
    let listed = get(harness.addr(), "/api/sessions?limit=1", "");
    let page: Value = serde_json::from_slice(&listed.body).unwrap();
    assert_eq!(page["sessions"].as_array().map(Vec::len), Some(1), "{page}");
    let next = page["next"].as_str().unwrap();
    let listed = get(harness.addr(), &format!("/api/sessions?limit=1&after={next}"), "");
    let second: Value = serde_json::from_slice(&listed.body).unwrap();
    assert_ne!(page["sessions"][0]["id"], second["sessions"][0]["id"]);

    assert_eq!(delete(harness.addr(), &format!("/api/sessions/{id}")).status, 200);
    assert_eq!(get(harness.addr(), &format!("/api/sessions/{id}"), "").status, 404);
    assert_eq!(get_session(&harness, fork["id"].as_str().unwrap())["turns"], 1, "the fork stays");
}

#[test]
fn a_session_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let location = || StoreLocation::Sqlite(file.clone());
    let mut harness = Harness::with_config(|config| config.store.location = location());
    let id = create_session(&harness, &json!({}));
    continue_session(&harness, &id, "anthropic/claude-sonnet-4-5", "Good morning");
    harness.restart_gateway(|config| config.store.location = location());
    continue_session(&harness, &id, "gemini/gemini-2.5-pro", "And you?");
    assert_eq!(get_session(&harness, &id)["turns"], 4);
    assert_all_accepted(&harness);
}

#[test]
fn invalid_requests_get_an_error() {
    let harness = Harness::new();
    let id = create_session(&harness, &json!({}));
    let continue_path = format!("/api/sessions/{id}/continue");
    for (path, body, status, text) in [
        ("/api/sessions/nobody", json!({}), 404, "nothing at this address"),
        (continue_path.as_str(), json!({"model": "openai/gpt-4.1"}), 400, "`say` or `turn`"),
        (continue_path.as_str(), json!({"say": "Hello"}), 400, "names no model"),
        (&format!("/api/sessions/{id}/turns"), json!({"turns": []}), 400, "`seen` is required"),
        ("/api/sessions", json!({"dialect": "elvish", "messages": []}), 400, "no dialect `elvish`"),
    ] {
        let (actual, reply) = post_json(&harness, path, &body);
        assert_eq!(actual, status, "{path} {reply}");
        assert!(reply.to_string().contains(text), "{reply}");
    }
    let missing = "/api/sessions/01a1e02a-1b01-78c8-b7f9-45bef9263a19/continue";
    assert_eq!(post_json(&harness, missing, &json!({"say": "Hello"})).0, 404);
}
