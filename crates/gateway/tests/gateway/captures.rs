//! What was found in turns can be looked at later.

use std::sync::Arc;

use http::HeaderValue;
use interlingua_gateway::config::{Config, Mode, Place};
use serde_json::Value;

use crate::client::{CLIENTS, get, post};
use crate::house::House;

const MODEL: &str = "openai/gpt-4.1";

/// A turn in which a model calls its tool wrongly; gives the turn's id.
fn wrong(house: &House) -> String {
    let client = &CLIENTS[1];
    let prompt = r#"Please look at it. sim:arguments={"place":["s3cret"]}"#;
    let body = (client.begin)(MODEL, true, prompt).to_string();
    let answer = post(house.addr(), &(client.path)(MODEL, true), "", body.as_bytes());
    assert_eq!(answer.status, 200);
    answer.header("x-interlingua-turn").unwrap().to_owned()
}

fn shown(house: &House, path: &str) -> (Vec<Value>, String) {
    let answer = get(house.addr(), path, "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    (body["guard"].as_array().unwrap().clone(), answer.text())
}

#[test]
fn what_the_guard_found_is_kept_without_what_the_call_says() {
    for (mode, done) in [(Mode::Answer, "answered"), (Mode::Observe, "observed")] {
        let house = House::with(|config| config.guard.mode = mode);
        let (turn, other) = (wrong(&house), wrong(&house));
        let (found, text) = shown(&house, &format!("/api/turns/{turn}"));
        assert_eq!(found.len(), 1, "{text}");
        let found = &found[0];
        for (key, expected) in [
            ("turn", turn.as_str()),
            ("provider", "openai"),
            ("model", "gpt-4.1"),
            ("tool", "look"),
            ("kind", "wrong-type"),
            ("done", done),
        ] {
            assert_eq!(found[key], expected, "{found}");
        }
        assert_eq!(found["told"].is_string(), mode == Mode::Answer, "{found}");
        assert!(found["violations"][0].as_str().unwrap().contains("place"), "{found}");
        assert!(!text.contains("s3cret"), "{text}");
        let (all, _) = shown(&house, "/api/turns");
        assert_eq!([&all[0]["turn"], &all[1]["turn"]], [&other, &turn], "the newest comes first");
    }
}

#[test]
fn calls_are_kept_as_they_are_where_that_is_wanted() {
    let house = House::with(|config| config.capture.redact = false);
    wrong(&house);
    assert_eq!(shown(&house, "/api/turns").0[0]["arguments"], r#"{"place":["s3cret"]}"#);
}

#[test]
fn nothing_is_kept_where_that_is_wanted() {
    let house = House::with(|config| config.capture.enabled = false);
    wrong(&house);
    assert_eq!(shown(&house, "/api/turns").0, [Value::Null; 0]);
}

#[test]
fn captures_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let kept = |config: &mut Config| {
        config.store.place = Place::Sqlite(folder.path().join("store.db"));
    };
    let mut house = House::with(kept);
    let turn = wrong(&house);
    house.open(kept);
    assert_eq!(shown(&house, &format!("/api/turns/{turn}")).0.len(), 1);
}

/// What is kept of a turn: all of it, or what the list says.
fn turn(house: &House, id: Option<&str>) -> Value {
    let path = id.map_or_else(|| "/api/turns".to_owned(), |id| format!("/api/turns/{id}"));
    // Stages are written down a moment after the answer.
    for _ in 0..100 {
        let answer = get(house.addr(), &path, "");
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        let there = if id.is_some() { &body["turn"] } else { &body["turns"][0] };
        if !there.is_null() {
            return there.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Value::Null
}

fn with_stages(config: &mut Config) {
    config.capture.stages = true;
}

#[test]
fn every_stage_of_a_turn_is_kept_as_it_was() {
    let house = House::with(with_stages);
    for client in CLIENTS {
        for model in ["openai/gpt-4.1", "anthropic/claude-sonnet-4-6"] {
            for stream in [false, true] {
                let said = (client.begin)(model, stream, "Please look at the harbour.").to_string();
                let answer = post(house.addr(), &(client.path)(model, stream), "", said.as_bytes());
                assert_eq!(answer.status, 200, "{}", answer.text());
                let id = answer.header("x-interlingua-turn").unwrap().to_owned();
                let kept = turn(&house, Some(&id));
                let stages = kept["stages"].as_array().unwrap();
                let names: Vec<_> =
                    stages.iter().map(|one| one["stage"].as_str().unwrap()).collect();
                let all = ["client-request", "provider-request", "provider-reply", "client-reply"];
                assert_eq!(names, all);
                assert_eq!(stages[0]["body"], said);
                assert_eq!(stages[0]["dialect"], client.dialect);
                let asked = stages[1]["body"].as_str().unwrap();
                assert!(asked.contains("harbour") && !asked.contains(model), "{asked}");
                assert_eq!(stages[1]["provider"], model.split('/').next().unwrap());
                assert_eq!(stages[2]["status"], 200);
                assert!(!stages[2]["body"].as_str().unwrap().is_empty());
                assert_eq!(stages[3]["body"].as_str().unwrap().as_bytes(), answer.body);
                assert_eq!(stages[3]["size"], answer.body.len());
                for (key, expected) in [("turn", id.as_str()), ("outcome", "answered")] {
                    assert_eq!(kept[key], expected);
                }
                // Where nobody asks for it, not every stream says it.
                assert!(stream || kept["usage"]["output"].as_u64().unwrap() > 0, "{kept}");
                let listed = turn(&house, None);
                assert_eq!([&listed["turn"], &listed["stages"]], [&kept["turn"], &Value::Null]);
            }
        }
    }
}

#[test]
fn a_refusal_has_its_stages_too() {
    let house = House::with(|config| {
        with_stages(config);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_static("429"));
            *provider = Arc::new(faulty);
        }
    });
    let client = &CLIENTS[1];
    let said = (client.begin)("openai/gpt-4.1", false, "hello").to_string();
    let answer = post(house.addr(), &(client.path)("", false), "", said.as_bytes());
    assert_eq!(answer.status, 429, "{}", answer.text());
    let kept = turn(&house, answer.header("x-interlingua-turn"));
    let stages = kept["stages"].as_array().unwrap();
    let of = |name: &str| stages.iter().filter(|one| one["stage"] == name).count();
    assert!(
        of("provider-request") >= 1 && of("provider-request") == of("provider-reply"),
        "{kept}"
    );
    let last = stages.last().unwrap();
    assert_eq!(
        [&last["status"], &kept["outcome"]],
        [&Value::from(429), &Value::from("rate-limit")]
    );
    assert_eq!(last["body"].as_str().unwrap().as_bytes(), answer.body);
}

#[test]
fn secrets_are_blacked_out_of_stages_unless_they_are_wanted() {
    for redact in [true, false] {
        let house = House::with(|config| {
            with_stages(config);
            config.capture.redact = redact;
        });
        let client = &CLIENTS[0];
        let secret = "sk-ant-api03-s3cret0123456789";
        let said =
            (client.begin)("openai/gpt-4.1", true, &format!("My key is {secret}.")).to_string();
        let header = "authorization: Bearer hush-hush-hush\r\nuser-agent: tester\r\n";
        let answer = post(house.addr(), &(client.path)("", true), header, said.as_bytes());
        assert_eq!(answer.status, 200);
        let kept = turn(&house, answer.header("x-interlingua-turn")).to_string();
        assert_eq!(kept.contains(secret), !redact, "{kept}");
        assert_eq!(kept.contains("sk-[blacked out]"), redact);
        assert!(kept.contains("tester") && !kept.contains("hush-hush"), "{kept}");
    }
}

#[test]
fn stages_are_kept_only_where_that_is_wanted() {
    let house = House::with(|_| ());
    let client = &CLIENTS[0];
    let said = (client.begin)("openai/gpt-4.1", false, "hello harbour").to_string();
    let answer = post(house.addr(), &(client.path)("", false), "", said.as_bytes());
    assert_eq!(answer.status, 200);
    let id = answer.header("x-interlingua-turn").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    for path in ["/api/turns", &format!("/api/turns/{id}")] {
        let shown = get(house.addr(), path, "").text();
        assert!(shown.contains(id), "in short it is there: {shown}");
        assert!(!shown.contains("stages") && !shown.contains("harbour"), "{shown}");
    }
}
