//! What was found in turns can be looked at later.

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
