//! Conversations that the gateway keeps: a client sends only what is new.

use std::thread;

use interlingua_gateway::config::Place;
use serde_json::{Value, json};

use crate::client::{delete, get, post};
use crate::house::House;

fn sent(house: &House, path: &str, body: &Value) -> (u16, Value) {
    let answer = post(house.addr(), path, "", body.to_string().as_bytes());
    (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
}

fn begun(house: &House, body: &Value) -> String {
    let (status, session) = sent(house, "/api/sessions", body);
    assert_eq!(status, 200, "{session}");
    session["id"].as_str().unwrap().to_owned()
}

fn shown(house: &House, id: &str) -> Value {
    let answer = get(house.addr(), &format!("/api/sessions/{id}"), "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

/// Goes on, and gives the words of the answer.
fn said(house: &House, id: &str, model: &str, words: &str) -> String {
    let body = json!({"model": model, "say": words, "settings": {"max_tokens": 9000, "reasoning":
        {"mode": "on", "budget": 2000}}});
    let (status, reply) = sent(house, &format!("/api/sessions/{id}/continue"), &body);
    assert_eq!(status, 200, "{model}: {reply}");
    reply.to_string()
}

fn accepted(house: &House) {
    for entry in house.log() {
        assert_eq!(entry["status"], 200, "{entry:#}");
    }
}

#[test]
fn a_session_goes_on_with_every_model_and_the_first_one_finds_its_thoughts() {
    let house = House::build();
    let id = begun(&house, &json!({"title": "Harbour", "metadata": {"of": "me"}}));
    let (claude, others) = (
        "anthropic/claude-sonnet-4-5",
        ["codex/gpt-5.5-codex", "gemini/gemini-2.5-pro", "openai/gpt-4.1"],
    );
    assert!(said(&house, &id, claude, "Good morning").contains("Good morning"));
    for model in others {
        assert!(said(&house, &id, model, "And you?").contains("And you?"), "{model}");
    }
    said(&house, &id, claude, "Once more");
    let session = shown(&house, &id);
    assert_eq!(session["turns"], 10, "{session}");
    assert_eq!((&session["title"], &session["metadata"]["of"]), (&json!("Harbour"), &json!("me")));
    assert_eq!(session["model"], claude);
    accepted(&house);
    let last = house.log().pop().unwrap();
    let first = last["request"]["messages"][1]["content"][0].clone();
    assert_eq!(first["type"], "thinking", "the first thought is back: {last:#}");
    assert!(first["signature"].as_str().is_some_and(|sealed| !sealed.is_empty()));
}

#[test]
fn a_streamed_answer_is_in_the_session_when_the_next_one_is_asked_for() {
    let house = House::build();
    let id = begun(&house, &json!({}));
    let body = json!({"model": "anthropic/claude-sonnet-4-5", "say": "Hello", "stream": true});
    let path = format!("/api/sessions/{id}/continue");
    let answer = post(house.addr(), &path, "", body.to_string().as_bytes());
    assert!(answer.whole && answer.text().contains("data: "), "{}", answer.text());
    said(&house, &id, "anthropic/claude-sonnet-4-5", "And now?");
    let session = shown(&house, &id);
    let roles: Vec<&Value> =
        session["history"].as_array().unwrap().iter().map(|one| &one["turn"]["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"], "{session}");
    accepted(&house);
}

#[test]
fn a_session_is_one_conversation_whose_thoughts_outlive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    let mut house = House::with(|config| config.store.place = place());
    let ids = [begun(&house, &json!({})), begun(&house, &json!({}))];
    let mut conversations = Vec::new();
    for id in [&ids[0], &ids[0], &ids[1]] {
        let body = json!({"model": "anthropic/claude-sonnet-4-5", "say": "Hello", "settings":
            {"max_tokens": 9000, "reasoning": {"mode": "on", "budget": 2000}}});
        let path = format!("/api/sessions/{id}/continue");
        let answer = post(house.addr(), &path, "", body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        conversations.push(answer.header("x-interlingua-conversation").unwrap().to_owned());
        house.open(|config| config.store.place = place());
    }
    assert_eq!(conversations[0], conversations[1]);
    assert_ne!(conversations[0], conversations[2]);
    accepted(&house);
    let thought = &house.log()[1]["request"]["messages"][1]["content"][0];
    assert_eq!(thought["type"], "thinking", "{thought}");
    assert!(thought["signature"].as_str().is_some_and(|sealed| !sealed.is_empty()));
}

#[test]
fn the_model_that_was_used_last_answers_where_none_is_named() {
    let house = House::build();
    let id = begun(&house, &json!({}));
    said(&house, &id, "sim/echo", "Hello");
    let path = format!("/api/sessions/{id}/continue");
    let (status, reply) = sent(&house, &path, &json!({"say": "Once more"}));
    assert_eq!(status, 200, "{reply}");
    assert!(reply.to_string().contains("Once more"), "{reply}");
    assert_eq!(shown(&house, &id)["model"], "sim/echo");
}

#[test]
fn two_who_go_on_at_once_wait_for_each_other() {
    let house = House::build();
    let id = begun(&house, &json!({}));
    thread::scope(|scope| {
        for number in 0..4 {
            let (house, id) = (&house, &id);
            scope.spawn(move || said(house, id, "openai/gpt-4.1", &format!("Number {number}")));
        }
    });
    said(&house, &id, "openai/gpt-4.1", "The last");
    assert_eq!(shown(&house, &id)["turns"], 10);
    accepted(&house);
}

#[test]
fn sessions_are_listed_forked_appended_to_and_deleted() {
    let house = House::build();
    let messages = json!([
        {"role": "user", "content": {"odd": true}}, null, {"role": "assistant", "content": "Hello"},
    ]);
    let body = json!({"title": "Old", "dialect": "openai-chat", "messages": messages});
    let (_, old) = sent(&house, "/api/sessions", &body);
    let id = old["id"].as_str().unwrap().to_owned();
    assert_eq!(old["turns"], 2);
    assert!(old["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{old}");

    let turn = json!({"role": "user", "blocks": [{"text": "Are you there?"}]});
    let more = json!({"seen": 2, "turns": [turn]});
    let turns = format!("/api/sessions/{id}/turns");
    assert_eq!(sent(&house, &turns, &more), (200, json!({"turns": 3})));
    let (status, conflict) = sent(&house, &turns, &more);
    assert_eq!(status, 409, "somebody else was faster: {conflict}");

    let (_, fork) = sent(&house, &format!("/api/sessions/{id}/fork"), &json!({"turns": 1}));
    assert_eq!((&fork["turns"], &fork["parent"]["id"]), (&json!(1), &json!(id)));
    let listed = get(house.addr(), "/api/sessions?limit=1", "");
    let page: Value = serde_json::from_slice(&listed.body).unwrap();
    assert_eq!(page["sessions"].as_array().map(Vec::len), Some(1), "{page}");
    let next = page["next"].as_str().unwrap();
    let listed = get(house.addr(), &format!("/api/sessions?limit=1&after={next}"), "");
    let second: Value = serde_json::from_slice(&listed.body).unwrap();
    assert_ne!(page["sessions"][0]["id"], second["sessions"][0]["id"]);

    assert_eq!(delete(house.addr(), &format!("/api/sessions/{id}")).status, 200);
    assert_eq!(get(house.addr(), &format!("/api/sessions/{id}"), "").status, 404);
    assert_eq!(shown(&house, fork["id"].as_str().unwrap())["turns"], 1, "the fork stays");
}

#[test]
fn a_session_outlives_the_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let place = || Place::Sqlite(file.clone());
    let mut house = House::with(|config| config.store.place = place());
    let id = begun(&house, &json!({}));
    said(&house, &id, "anthropic/claude-sonnet-4-5", "Good morning");
    house.open(|config| config.store.place = place());
    said(&house, &id, "gemini/gemini-2.5-pro", "And you?");
    assert_eq!(shown(&house, &id)["turns"], 4);
    accepted(&house);
}

#[test]
fn what_is_wrong_is_told() {
    let house = House::build();
    let id = begun(&house, &json!({}));
    let go_on = format!("/api/sessions/{id}/continue");
    for (path, body, status, words) in [
        ("/api/sessions/nobody", json!({}), 404, "nothing at this address"),
        (go_on.as_str(), json!({"model": "openai/gpt-4.1"}), 400, "`say` or `turn`"),
        (go_on.as_str(), json!({"say": "Hello"}), 400, "names no model"),
        (&format!("/api/sessions/{id}/turns"), json!({"turns": []}), 400, "`seen` says"),
        ("/api/sessions", json!({"dialect": "elvish", "messages": []}), 400, "no dialect `elvish`"),
    ] {
        let (found, said) = sent(&house, path, &body);
        assert_eq!(found, status, "{path} {said}");
        assert!(said.to_string().contains(words), "{said}");
    }
    let missing = "/api/sessions/01a1e02a-1b01-78c8-b7f9-45bef9263a19/continue";
    assert_eq!(sent(&house, missing, &json!({"say": "Hello"})).0, 404);
}
