//! Tests of keys: limits, usage, and keys issued at run time.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_gateway::config::{ApiKey, Config, StoreLocation};
use interlingua_model::ApiErrorKind;
use interlingua_upstream::Provider;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, Client, HttpResponse, delete_with, get, post};
use crate::harness::Harness;

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";

/// A key with its name as secret.
pub(crate) fn key(name: &str) -> ApiKey {
    ApiKey {
        name: name.to_owned(),
        sha256: Sha256::digest(name.as_bytes()).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    }
}

pub(crate) fn auth_header(secret: &str) -> String {
    format!("authorization: Bearer {secret}\r\n")
}

pub(crate) fn ask_with_key(
    at: SocketAddr,
    client: &Client,
    secret: &str,
    stream: bool,
) -> HttpResponse {
    let mut request = (client.first_request)(CLAUDE, stream, "Look at the harbour.");
    if stream && client.dialect == "openai-chat" {
        request["stream_options"] = json!({"include_usage": true});
    }
    post(at, &(client.path)(CLAUDE, stream), &auth_header(secret), request.to_string().as_bytes())
}

/// The status of a small request.
pub(crate) fn status(at: SocketAddr, secret: &str) -> u16 {
    ask_with_key(at, &CLIENTS[0], secret, false).status
}

pub(crate) fn usage(at: SocketAddr, secret: &str, query: &str) -> Vec<Value> {
    let response = get(at, &format!("/api/usage{query}"), &auth_header(secret));
    assert_eq!(response.status, 200, "{}", response.text());
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    body["usage"].as_array().unwrap().clone()
}

pub(crate) fn tokens(row: &Value) -> u64 {
    let buckets = ["input", "cache_read", "cache_write", "output", "reasoning"];
    buckets.iter().map(|bucket| row[bucket].as_u64().unwrap()).sum()
}

/// Issues a key; returns its secret.
pub(crate) fn create_key(at: SocketAddr, operator: &str, limits: &Value) -> String {
    let response = post(at, "/api/keys", &auth_header(operator), limits.to_string().as_bytes());
    assert_eq!(response.status, 201, "{}", response.text());
    let created: Value = serde_json::from_slice(&response.body).unwrap();
    created["key"].as_str().unwrap().to_owned()
}

/// All tokens of a reply, as its client counts them.
fn reply_tokens(client: &Client, reply: &Value) -> u64 {
    let sum = |counts: &Value, names: &[&str]| {
        names.iter().filter_map(|name| counts[name].as_u64()).sum()
    };
    match client.dialect {
        "anthropic" => {
            let input = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
            sum(&reply["usage"], &input) + sum(&reply["usage"], &["output_tokens"])
        }
        "gemini" => sum(&reply["usageMetadata"], &["totalTokenCount"]),
        _ => sum(&reply["usage"], &["total_tokens"]),
    }
}

fn sqlite_location(folder: &Path) -> StoreLocation {
    StoreLocation::Sqlite(folder.join("data").join("store.db"))
}

#[test]
fn usage_is_added_up_and_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |config: &mut Config| {
        config.access.keys = vec![key("ann"), key("bob")];
        config.store.location = sqlite_location(folder.path());
        config.limits.retries = 0;
        let unused_addr = "http://127.0.0.1:9".parse().unwrap();
        let unreachable = Provider::new("dead", find_dialect("anthropic").unwrap(), unused_addr);
        config.providers.push(Arc::new(unreachable));
    };
    let mut harness = Harness::with_config(configure);
    let (mut requests, mut total) = (0, 0);
    for client in CLIENTS {
        for stream in [false, true] {
            let response = ask_with_key(harness.addr(), client, "ann", stream);
            assert_eq!(response.status, 200, "{}", response.text());
            let reply = if stream {
                client.fold_stream(&response.body).unwrap()
            } else {
                serde_json::from_slice(&response.body).unwrap()
            };
            total += reply_tokens(client, &reply);
            requests += 1;
        }
    }
    assert_eq!(status(harness.addr(), "bob"), 200);
    let failing = (CLIENTS[0].first_request)("dead/m", false, "Hi.").to_string();
    let failed = post(harness.addr(), "/v1/messages", &auth_header("bob"), failing.as_bytes());
    assert!(failed.status >= 500, "{}", failed.text());
    for _ in 0..2 {
        let rows = usage(harness.addr(), "bob", "?key=ann");
        assert_eq!(rows.len(), 1, "{rows:?}");
        let row = &rows[0];
        assert_eq!((&row["key"], &row["model"]), (&json!("ann"), &json!(CLAUDE)));
        assert_eq!((&row["requests"], &row["failures"]), (&json!(requests), &json!(0)));
        assert_eq!(tokens(row), total, "{row}");
        let all_usage = usage(harness.addr(), "ann", "");
        let failures: u64 = all_usage.iter().filter_map(|row| row["failures"].as_u64()).sum();
        assert_eq!(failures, 1, "{all_usage:?}");
        let day = row["day"].as_str().unwrap();
        assert_eq!(usage(harness.addr(), "ann", &format!("?from={day}&to={day}&key=ann")), rows);
        assert!(usage(harness.addr(), "ann", "?from=2020-01-01&to=2020-12-31").is_empty());
        harness.restart_gateway(configure);
    }
    let invalid = get(harness.addr(), "/api/usage?from=yesterday", &auth_header("ann"));
    assert_eq!(invalid.status, 400);
    assert!(invalid.text().contains("YYYY-MM-DD"), "{}", invalid.text());
}

#[test]
fn a_used_up_budget_is_renewed_at_midnight() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |config: &mut Config| {
        config.access.keys = vec![ApiKey { tokens_per_day: Some(1), ..key("ann") }, key("bob")];
        config.store.location = sqlite_location(folder.path());
    };
    let mut harness = Harness::with_config(configure);
    assert_eq!(
        ask_with_key(harness.addr(), &CLIENTS[0], "ann", true).status,
        200,
        "a running request is not cut"
    );
    for _ in 0..2 {
        let before = harness.provider_requests().len();
        for client in CLIENTS {
            let response = ask_with_key(harness.addr(), client, "ann", true);
            let error =
                find_dialect(client.dialect).unwrap().decode_error(response.status, &response.body);
            let text = response.text();
            assert_eq!((response.status, error.kind), (429, ApiErrorKind::RateLimit), "{text}");
            assert!(error.original.is_some(), "not of {}: {text}", client.dialect);
            assert!(text.contains("1 tokens a day") && text.contains("midnight UTC"), "{text}");
            let wait: u64 = response.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=86_400).contains(&wait), "{wait}");
        }
        let session = post(harness.addr(), "/api/sessions", &auth_header("ann"), b"{}");
        assert_eq!(session.status, 200, "{}", session.text());
        let session: Value = serde_json::from_slice(&session.body).unwrap();
        let path = format!("/api/sessions/{}/continue", session["id"].as_str().unwrap());
        let body = json!({"model": CLAUDE, "say": "Hi."}).to_string();
        assert_eq!(post(harness.addr(), &path, &auth_header("ann"), body.as_bytes()).status, 429);
        assert_eq!(harness.provider_requests().len(), before, "no provider was called");
        assert_eq!(status(harness.addr(), "bob"), 200);
        harness.restart_gateway(configure);
    }
}

#[test]
fn budgets_work_without_a_store() {
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![ApiKey { tokens_per_day: Some(1), ..key("ann") }];
        config.store.location = StoreLocation::Off;
    });
    assert_eq!((status(harness.addr(), "ann"), status(harness.addr(), "ann")), (200, 429));
    let usage = get(harness.addr(), "/api/usage", &auth_header("ann"));
    assert_eq!(usage.status, 404, "{}", usage.text());
    let created = post(harness.addr(), "/api/keys", &auth_header("ann"), br#"{"name":"eve"}"#);
    assert_eq!(created.status, 503, "{}", created.text());
}

#[test]
fn an_issued_key_is_valid_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |config: &mut Config| {
        config.access.keys = vec![key("operator")];
        config.store.location = sqlite_location(folder.path());
    };
    let mut harness = Harness::with_config(configure);
    let limits =
        json!({"name": "team ö", "requests_per_minute": 1000, "tokens_per_day": 1_000_000});
    let secret = create_key(harness.addr(), "operator", &limits);
    assert!(secret.starts_with("il-") && secret.len() == 46, "{secret}");
    let other = create_key(harness.addr(), "operator", &json!({"name": "other"}));
    assert_ne!(secret, other);
    for _ in 0..2 {
        assert_eq!(status(harness.addr(), &secret), 200);
        let listed = get(harness.addr(), "/api/keys", &auth_header("operator")).text();
        let keys: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(keys["keys"].as_array().unwrap().len(), 2);
        assert_eq!(keys["keys"][1]["name"], "team ö");
        assert_eq!(keys["keys"][1]["tokens_per_day"], 1_000_000);
        assert_eq!(keys["keys"][1]["concurrent"], Value::Null);
        assert!(keys["keys"][1]["created"].as_u64().unwrap() > 1_700_000_000);
        assert!(!listed.contains("sha256") && !listed.contains(&secret[3..]), "{listed}");
        harness.restart_gateway(configure);
    }
    let bytes = std::fs::read(folder.path().join("data").join("store.db")).unwrap();
    let contains = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!contains(&secret), "the secret itself is on disk");
    let removed = delete_with(harness.addr(), "/api/keys/team%20%C3%B6", &auth_header("operator"));
    assert_eq!(removed.status, 200, "{}", removed.text());
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), &other)), (401, 200));
    let removed = delete_with(harness.addr(), "/api/keys/team%20%C3%B6", &auth_header("operator"));
    assert_eq!(removed.status, 404);
    harness.restart_gateway(configure);
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), &other)), (401, 200));
}

#[test]
fn issued_keys_cannot_manage_keys_and_see_only_their_own_usage() {
    let harness = Harness::with_config(|config| config.access.keys = vec![key("operator")]);
    let secret = create_key(harness.addr(), "operator", &json!({"name": "ann"}));
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), "operator")), (200, 200));
    let rejected = [
        post(harness.addr(), "/api/keys", &auth_header(&secret), br#"{"name":"eve"}"#),
        get(harness.addr(), "/api/keys", &auth_header(&secret)),
        delete_with(harness.addr(), "/api/keys/ann", &auth_header(&secret)),
        get(harness.addr(), "/api/usage?key=operator", &auth_header(&secret)),
    ];
    for response in rejected {
        assert_eq!(response.status, 403, "{}", response.text());
        assert!(response.text().contains("error"), "{}", response.text());
    }
    let own_usage = usage(harness.addr(), &secret, "");
    assert!(own_usage.len() == 1 && own_usage[0]["key"] == "ann", "{own_usage:?}");
    assert_eq!(usage(harness.addr(), "operator", "").len(), 2);
    assert_eq!(post(harness.addr(), "/api/keys", "", br#"{"name":"eve"}"#).status, 401);
}

#[test]
fn an_issued_key_needs_rights_for_what_belongs_to_all_keys() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |config: &mut Config| {
        config.access.keys = vec![key("operator")];
        config.store.location = sqlite_location(folder.path());
    };
    let mut harness = Harness::with_config(configure);
    let secrets =
        [json!([]), json!(["metrics"]), json!(["lessons", "metrics", "lessons"])].map(|rights| {
            let name = rights.to_string().replace('"', "");
            create_key(harness.addr(), "operator", &json!({"name": name, "rights": rights}))
        });
    for _ in 0..2 {
        let statuses = |secret: &str| {
            let header = auth_header(secret);
            let responses = [
                get(harness.addr(), "/metrics", &header),
                get(harness.addr(), "/api/lessons", &header),
                delete_with(harness.addr(), "/api/lessons/anthropic", &header),
            ];
            for (response, right) in responses.iter().zip(["metrics", "lessons", "lessons"]) {
                let named = response.text().contains(&format!("right `{right}`"));
                assert_eq!(response.status == 403, named, "{}", response.text());
            }
            responses.map(|response| response.status)
        };
        assert_eq!(statuses(&secrets[0]), [403, 403, 403]);
        assert_eq!(statuses(&secrets[1]), [200, 403, 403]);
        assert_eq!(statuses(&secrets[2]), [200, 200, 200]);
        assert_eq!(statuses("operator"), [200, 200, 200]);
        let listed = get(harness.addr(), "/api/keys", &auth_header("operator"));
        let listed: Value = serde_json::from_slice(&listed.body).unwrap();
        let rights: Vec<&Value> =
            listed["keys"].as_array().unwrap().iter().map(|key| &key["rights"]).collect();
        let expected = [&Value::Null, &json!(["lessons", "metrics"]), &json!(["metrics"])];
        assert_eq!(rights, expected);
        harness.restart_gateway(configure);
    }
    let body = br#"{"name":"eve","rights":["keys"]}"#;
    let unknown = post(harness.addr(), "/api/keys", &auth_header("operator"), body);
    assert_eq!(unknown.status, 400);
    assert!(unknown.text().contains("`metrics` or `lessons`"), "{}", unknown.text());
}

#[test]
fn the_number_of_keys_of_an_open_gateway_is_bounded() {
    let harness = Harness::new();
    for number in 0..100 {
        create_key(harness.addr(), "", &json!({"name": format!("key {number}")}));
    }
    let response = post(harness.addr(), "/api/keys", "", br#"{"name":"one more"}"#);
    assert_eq!(response.status, 409, "{}", response.text());
    assert!(response.text().contains("at most 100 keys"), "{}", response.text());
    assert_eq!(delete_with(harness.addr(), "/api/keys/key%207", "").status, 200);
    create_key(harness.addr(), "", &json!({"name": "one more"}));
}

#[test]
fn invalid_keys_are_rejected() {
    let harness = Harness::with_config(|config| config.access.keys = vec![key("operator")]);
    create_key(harness.addr(), "operator", &json!({"name": "ann"}));
    let long_name = json!({"name": "x".repeat(65)}).to_string();
    let cases: [(&str, u16, &str); 8] = [
        (r#"{"name":"ann"}"#, 409, "already"),
        (r#"{"name":"operator"}"#, 409, "already"),
        (r#"{"name":""}"#, 400, "1 to 64"),
        (&long_name, 400, "1 to 64"),
        (r#"{"name":"a\nb"}"#, 400, "control characters"),
        (r#"{"name":"eve","concurrent":0}"#, 400, "at least 1"),
        (r#"{"name":"eve","tokens":5}"#, 400, "tokens_per_day"),
        ("what", 400, "cannot be created"),
    ];
    for (body, status, expected) in cases {
        let response = post(harness.addr(), "/api/keys", &auth_header("operator"), body.as_bytes());
        assert_eq!(response.status, status, "{body}: {}", response.text());
        assert!(response.text().contains(expected), "{body}: {}", response.text());
    }
}

/// A key must not see data that another key of the same name has stored.
#[test]
fn a_configured_name_wins_over_an_issued_one() {
    let folder = tempfile::tempdir().unwrap();
    let configure = |names: &[&str]| {
        let (location, keys) =
            (sqlite_location(folder.path()), names.iter().map(|name| key(name)).collect());
        move |config: &mut Config| (config.store.location, config.access.keys) = (location, keys)
    };
    let mut harness = Harness::with_config(configure(&["operator"]));
    let secret = create_key(harness.addr(), "operator", &json!({"name": "ann"}));
    assert_eq!(status(harness.addr(), &secret), 200);
    harness.restart_gateway(configure(&["operator", "ann"]));
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), "ann")), (401, 200));
}

#[test]
fn limits_of_issued_keys_are_enforced() {
    let harness = Harness::with_config(|config| config.access.keys = vec![key("operator")]);
    let limits = json!({"name": "ann", "requests_per_minute": 2});
    let secret = create_key(harness.addr(), "operator", &limits);
    let statuses = [(); 3].map(|()| status(harness.addr(), &secret));
    assert_eq!(statuses, [200, 200, 429]);
    let secret =
        create_key(harness.addr(), "operator", &json!({"name": "bob", "tokens_per_day": 1}));
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), &secret)), (200, 429));
}

#[test]
fn without_configured_keys_anyone_can_issue_keys() {
    let harness = Harness::new();
    let secret =
        create_key(harness.addr(), "whatever", &json!({"name": "ann", "requests_per_minute": 1}));
    assert_eq!((status(harness.addr(), &secret), status(harness.addr(), &secret)), (200, 429));
    assert_eq!(status(harness.addr(), "another"), 200);
    assert_eq!(
        post(harness.addr(), "/api/keys", &auth_header(&secret), br#"{"name":"eve"}"#).status,
        403
    );
    let keys: Vec<_> = usage(harness.addr(), "", "").iter().map(|row| row["key"].clone()).collect();
    assert_eq!(keys, ["", "ann"]);
    let request = (CLIENTS[0].first_request)("sim/echo", false, "Hi.").to_string();
    assert_eq!(post(harness.addr(), "/v1/messages", "", request.as_bytes()).status, 200);
    let models = usage(harness.addr(), "", "?key=");
    assert!(models.iter().any(|row| row["model"] == "sim/echo"), "{models:?}");
}

#[test]
fn limits_work_without_the_database() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let harness = Harness::with_config(|config| {
        config.access.keys = vec![
            ApiKey { requests_per_minute: Some(3), ..key("ann") },
            ApiKey { tokens_per_day: Some(1), ..key("bob") },
        ];
        let url = format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=1");
        config.store.location = StoreLocation::Postgres(url.into());
    });
    assert_eq!([(); 4].map(|()| status(harness.addr(), "ann")), [200, 200, 200, 429]);
    assert_eq!((status(harness.addr(), "bob"), status(harness.addr(), "bob")), (200, 429));
    assert_eq!(get(harness.addr(), "/api/usage", &auth_header("ann")).status, 503);
    assert_eq!(
        post(harness.addr(), "/api/keys", &auth_header("ann"), br#"{"name":"eve"}"#).status,
        503
    );
}
