//! Tests of captured guard findings and stages.

use std::sync::Arc;

use http::HeaderValue;
use interlingua_gateway::config::{Config, GuardMode, StoreLocation};
use serde_json::Value;

use crate::client::{CLIENTS, get, post};
use crate::harness::Harness;

const MODEL: &str = "openai/gpt-4.1";

/// Runs a turn with a bad tool call; returns the turn's id.
fn turn_with_bad_call(harness: &Harness) -> String {
    let client = &CLIENTS[1];
    let prompt = r#"Please look at it. sim:arguments={"place":["s3cret"]}"#;
    let body = (client.first_request)(MODEL, true, prompt).to_string();
    let response = post(harness.addr(), &(client.path)(MODEL, true), "", body.as_bytes());
    assert_eq!(response.status, 200);
    response.header("x-interlingua-turn").unwrap().to_owned()
}

fn findings(harness: &Harness, path: &str) -> (Vec<Value>, String) {
    let response = get(harness.addr(), path, "");
    assert_eq!(response.status, 200, "{}", response.text());
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    (body["guard"].as_array().unwrap().clone(), response.text())
}

#[test]
fn findings_are_captured_without_arguments() {
    for (mode, done) in [(GuardMode::Answer, "answered"), (GuardMode::Observe, "observed")] {
        let harness = Harness::with_config(|config| config.guard.default = mode);
        let (turn, other) = (turn_with_bad_call(&harness), turn_with_bad_call(&harness));
        let (finding, text) = findings(&harness, &format!("/api/turns/{turn}"));
        assert_eq!(finding.len(), 1, "{text}");
        let finding = &finding[0];
        for (key, expected) in [
            ("turn", turn.as_str()),
            ("provider", "openai"),
            ("model", "gpt-4.1"),
            ("tool", "look"),
            ("kind", "wrong-type"),
            ("done", done),
        ] {
            assert_eq!(finding[key], expected, "{finding}");
        }
        assert_eq!(finding["told"].is_string(), mode == GuardMode::Answer, "{finding}");
        assert!(finding["violations"][0].as_str().unwrap().contains("place"), "{finding}");
        assert!(!text.contains("s3cret"), "{text}");
        let (all, _) = findings(&harness, "/api/turns");
        assert_eq!([&all[0]["turn"], &all[1]["turn"]], [&other, &turn], "the newest comes first");
    }
}

#[test]
fn arguments_are_captured_without_redaction() {
    let harness = Harness::with_config(|config| config.capture.redact = false);
    turn_with_bad_call(&harness);
    assert_eq!(findings(&harness, "/api/turns").0[0]["arguments"], r#"{"place":["s3cret"]}"#);
}

#[test]
fn capture_can_be_disabled() {
    let harness = Harness::with_config(|config| config.capture.enabled = false);
    turn_with_bad_call(&harness);
    assert_eq!(findings(&harness, "/api/turns").0, [Value::Null; 0]);
}

#[test]
fn captures_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let with_file = |config: &mut Config| {
        config.store.location = StoreLocation::Sqlite(folder.path().join("store.db"));
    };
    let mut harness = Harness::with_config(with_file);
    let turn = turn_with_bad_call(&harness);
    harness.restart_gateway(with_file);
    assert_eq!(findings(&harness, &format!("/api/turns/{turn}")).0.len(), 1);
}

/// The captured turn with all stages, or the first of the list.
pub(crate) fn captured_turn(harness: &Harness, id: Option<&str>) -> Value {
    let path = id.map_or_else(|| "/api/turns".to_owned(), |id| format!("/api/turns/{id}"));
    // Stages are stored shortly after the response.
    for _ in 0..100 {
        let response = get(harness.addr(), &path, "");
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        let capture = if id.is_some() { &body["turn"] } else { &body["turns"][0] };
        if !capture.is_null() {
            return capture.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Value::Null
}

fn with_stages(config: &mut Config) {
    config.capture.stages = true;
}

#[test]
fn every_stage_of_a_turn_is_captured() {
    let harness = Harness::with_config(with_stages);
    for client in CLIENTS {
        for model in ["openai/gpt-4.1", "anthropic/claude-sonnet-4-6"] {
            for stream in [false, true] {
                let request = (client.first_request)(model, stream, "Please look at the harbour.")
                    .to_string();
                let response =
                    post(harness.addr(), &(client.path)(model, stream), "", request.as_bytes());
                assert_eq!(response.status, 200, "{}", response.text());
                let id = response.header("x-interlingua-turn").unwrap().to_owned();
                let capture = captured_turn(&harness, Some(&id));
                let stages = capture["stages"].as_array().unwrap();
                let names: Vec<_> =
                    stages.iter().map(|stage| stage["stage"].as_str().unwrap()).collect();
                let all = ["client-request", "provider-request", "provider-reply", "client-reply"];
                assert_eq!(names, all);
                assert_eq!(stages[0]["body"], request);
                assert_eq!(stages[0]["dialect"], client.dialect);
                let sent = stages[1]["body"].as_str().unwrap();
                assert!(sent.contains("harbour") && !sent.contains(model), "{sent}");
                assert_eq!(stages[1]["provider"], model.split('/').next().unwrap());
                assert_eq!(stages[2]["status"], 200);
                assert!(!stages[2]["body"].as_str().unwrap().is_empty());
                assert_eq!(stages[3]["body"].as_str().unwrap().as_bytes(), response.body);
                assert_eq!(stages[3]["size"], response.body.len());
                for (key, expected) in [("turn", id.as_str()), ("outcome", "answered")] {
                    assert_eq!(capture[key], expected);
                }
                // Streams carry usage only on request.
                assert!(stream || capture["usage"]["output"].as_u64().unwrap() > 0, "{capture}");
                let listed = captured_turn(&harness, None);
                assert_eq!([&listed["turn"], &listed["stages"]], [&capture["turn"], &Value::Null]);
            }
        }
    }
}

#[test]
fn an_error_has_its_stages_too() {
    let harness = Harness::with_config(|config| {
        with_stages(config);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_static("429"));
            *provider = Arc::new(faulty);
        }
    });
    let client = &CLIENTS[1];
    let request = (client.first_request)("openai/gpt-4.1", false, "hello").to_string();
    let response = post(harness.addr(), &(client.path)("", false), "", request.as_bytes());
    assert_eq!(response.status, 429, "{}", response.text());
    let capture = captured_turn(&harness, response.header("x-interlingua-turn"));
    let stages = capture["stages"].as_array().unwrap();
    let count = |name: &str| stages.iter().filter(|stage| stage["stage"] == name).count();
    assert!(
        count("provider-request") >= 1 && count("provider-request") == count("provider-reply"),
        "{capture}"
    );
    let last = stages.last().unwrap();
    assert_eq!(
        [&last["status"], &capture["outcome"]],
        [&Value::from(429), &Value::from("rate-limit")]
    );
    assert_eq!(last["body"].as_str().unwrap().as_bytes(), response.body);
}

#[test]
fn secrets_in_stages_are_redacted_by_default() {
    for redact in [true, false] {
        let harness = Harness::with_config(|config| {
            with_stages(config);
            config.capture.redact = redact;
        });
        let client = &CLIENTS[0];
        let secret = "sk-ant-api03-s3cret0123456789";
        let request =
            (client.first_request)("openai/gpt-4.1", true, &format!("My key is {secret}."))
                .to_string();
        let header = "authorization: Bearer hush-hush-hush\r\nuser-agent: tester\r\n";
        let response = post(harness.addr(), &(client.path)("", true), header, request.as_bytes());
        assert_eq!(response.status, 200);
        let capture = captured_turn(&harness, response.header("x-interlingua-turn")).to_string();
        assert_eq!(capture.contains(secret), !redact, "{capture}");
        assert_eq!(capture.contains("sk-[blacked out]"), redact);
        assert!(capture.contains("tester") && !capture.contains("hush-hush"), "{capture}");
    }
}

#[test]
fn stages_are_captured_only_if_configured() {
    let harness = Harness::with_config(|_| ());
    let client = &CLIENTS[0];
    let request = (client.first_request)("openai/gpt-4.1", false, "hello harbour").to_string();
    let response = post(harness.addr(), &(client.path)("", false), "", request.as_bytes());
    assert_eq!(response.status, 200);
    let id = response.header("x-interlingua-turn").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    for path in ["/api/turns", &format!("/api/turns/{id}")] {
        let text = get(harness.addr(), path, "").text();
        assert!(text.contains(id), "in short it is there: {text}");
        assert!(!text.contains("stages") && !text.contains("harbour"), "{text}");
    }
}
