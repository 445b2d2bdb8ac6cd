//! Reads a store that version 0.1.0 wrote: names in the code may change, stored forms may not.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interlingua_gateway::config::StoreLocation;
use interlingua_upstream::Proxies;
use serde_json::{Value, json};

use crate::client::{get, post};
use crate::harness::{Harness, providers};
use crate::keys::{auth_header, key, tokens, usage};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store_0_1_0");

/// No record of the fixture expires.
const FOREVER: Duration = Duration::from_hours(100 * 365 * 24);

#[test]
fn every_kind_of_record_of_version_0_1_0_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    fs::copy(Path::new(FIXTURE).join("store.db"), &path).unwrap();
    let facts: Value =
        serde_json::from_slice(&fs::read(Path::new(FIXTURE).join("facts.json")).unwrap()).unwrap();
    let harness = Harness::with_config(|config| {
        // Seals go back only to the address that they came from: a proxy stands for it here.
        let address = config.providers[0].base_url.authority().to_owned();
        config.providers = providers("provider.example");
        let proxy = |name: &str| (name == "HTTP_PROXY").then(|| format!("http://{address}"));
        config.proxies = Arc::new(Proxies::from_env(&proxy));
        config.store.location = StoreLocation::Sqlite(path);
        config.store.max_age = FOREVER;
        config.store.sessions.max_age = FOREVER;
        config.store.usage_max_age = FOREVER;
        config.capture.max_age = FOREVER;
        config.capture.stages = true;
        config.access.keys = vec![key("operator")];
    });
    let operator = auth_header("operator");
    let read = |path: &str| {
        let response = get(harness.addr(), path, &operator);
        assert_eq!(response.status, 200, "{path}: {}", response.text());
        serde_json::from_slice::<Value>(&response.body).unwrap()
    };
    let text_of = |name: &str| facts[name].as_str().unwrap();

    let keys = read("/api/keys");
    assert_eq!(keys["keys"][0]["name"], "search");
    assert_eq!(keys["keys"][0]["tokens_per_day"], 2_000_000);
    let issued = auth_header(text_of("issued_secret"));
    assert_eq!(get(harness.addr(), "/v1/models", &issued).status, 200);

    let day = text_of("day");
    let rows = usage(harness.addr(), "operator", &format!("?from={day}&to={day}"));
    let claude = rows.iter().find(|row| row["model"] == "anthropic/claude-opus-4-8").unwrap();
    assert_eq!((claude["requests"].as_u64(), tokens(claude)), (Some(4), 635));

    let lessons = read("/api/lessons");
    assert_eq!(lessons["lessons"][0]["lessons"], json!(["empty-text=drop"]));

    let session = read(&format!("/api/sessions/{}", text_of("session_id")));
    assert_eq!((&session["title"], &session["turns"]), (&json!("Harbour"), &json!(2)));
    assert_eq!(session["history"][1]["turn"]["blocks"][0]["text"], "Good evening");

    let id = text_of("response_id");
    let stored = read(&format!("/v1/responses/{id}"));
    assert_eq!(stored["output"][0]["content"][0]["text"], "Good morning");
    let next = json!({"model": "sim/echo", "input": "And you?", "previous_response_id": id});
    let next = post(harness.addr(), "/v1/responses", &operator, next.to_string().as_bytes());
    assert_eq!(next.status, 200, "{}", next.text());

    let turns = read("/api/turns");
    assert_eq!(turns["guard"][0]["kind"], "empty-arguments");
    let captured = turns["turns"].as_array().unwrap();
    assert!(captured.iter().any(|turn| turn["model"] == "claude-opus-4-8"), "{turns}");

    for (request, repair) in [
        ("request_without_reasoning", "restored-reasoning"),
        ("request_after_invalid_call", "guard-answer"),
    ] {
        let body = facts[request].to_string();
        let response = post(harness.addr(), "/v1/messages", &operator, body.as_bytes());
        assert_eq!(response.status, 200, "{request}: {}", response.text());
        let repairs = response.header("x-interlingua-repairs").unwrap_or_default();
        assert!(repairs.split(',').any(|name| name == repair), "{request}: {repairs}");
    }
}
