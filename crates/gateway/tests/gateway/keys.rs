//! Keys: what they may do, what they have used, and those that are made while the gateway runs.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use interlingua::find;
use interlingua::model::FailureKind;
use interlingua_gateway::config::{Config, Key, Place};
use interlingua_upstream::Provider;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{Answer, CLIENTS, Client, delete_with, get, post};
use crate::house::House;

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";

/// A key whose secret is its name.
pub(crate) fn key(name: &str) -> Key {
    Key {
        name: name.to_owned(),
        sha256: Sha256::digest(name.as_bytes()).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    }
}

pub(crate) fn shows(secret: &str) -> String {
    format!("authorization: Bearer {secret}\r\n")
}

pub(crate) fn ask(at: SocketAddr, client: &Client, secret: &str, stream: bool) -> Answer {
    let mut request = (client.begin)(CLAUDE, stream, "Look at the harbour.");
    if stream && client.dialect == "openai-chat" {
        request["stream_options"] = json!({"include_usage": true});
    }
    post(at, &(client.path)(CLAUDE, stream), &shows(secret), request.to_string().as_bytes())
}

/// Asks something small, and gives the status.
pub(crate) fn status(at: SocketAddr, secret: &str) -> u16 {
    ask(at, &CLIENTS[0], secret, false).status
}

pub(crate) fn usage(at: SocketAddr, secret: &str, query: &str) -> Vec<Value> {
    let answer = get(at, &format!("/api/usage{query}"), &shows(secret));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let shown: Value = serde_json::from_slice(&answer.body).unwrap();
    shown["usage"].as_array().unwrap().clone()
}

pub(crate) fn tokens(row: &Value) -> u64 {
    let buckets = ["input", "cache_read", "cache_write", "output", "reasoning"];
    buckets.iter().map(|bucket| row[bucket].as_u64().unwrap()).sum()
}

/// Makes a key, and gives its secret.
pub(crate) fn make(at: SocketAddr, operator: &str, wanted: &Value) -> String {
    let answer = post(at, "/api/keys", &shows(operator), wanted.to_string().as_bytes());
    assert_eq!(answer.status, 201, "{}", answer.text());
    let made: Value = serde_json::from_slice(&answer.body).unwrap();
    made["key"].as_str().unwrap().to_owned()
}

/// All tokens of a reply, as its client counts them.
fn total(client: &Client, reply: &Value) -> u64 {
    let sum = |of: &Value, names: &[&str]| names.iter().filter_map(|name| of[name].as_u64()).sum();
    match client.dialect {
        "anthropic" => {
            let input = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
            sum(&reply["usage"], &input) + sum(&reply["usage"], &["output_tokens"])
        }
        "gemini" => sum(&reply["usageMetadata"], &["totalTokenCount"]),
        _ => sum(&reply["usage"], &["total_tokens"]),
    }
}

fn in_file(folder: &Path) -> Place {
    Place::Sqlite(folder.join("data").join("store.db"))
}

#[test]
fn what_is_used_is_added_up_and_outlives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let change = |config: &mut Config| {
        config.access.keys = vec![key("ann"), key("bob")];
        config.store.place = in_file(folder.path());
        config.limits.retries = 0;
        let nowhere = "http://127.0.0.1:9".parse().unwrap();
        let dead = Provider::new("dead", find("anthropic").unwrap(), nowhere);
        config.providers.push(Arc::new(dead));
    };
    let mut house = House::with(change);
    let (mut requests, mut all) = (0, 0);
    for client in CLIENTS {
        for stream in [false, true] {
            let answer = ask(house.addr(), client, "ann", stream);
            assert_eq!(answer.status, 200, "{}", answer.text());
            let reply = if stream {
                client.folded(&answer.body).unwrap()
            } else {
                serde_json::from_slice(&answer.body).unwrap()
            };
            all += total(client, &reply);
            requests += 1;
        }
    }
    assert_eq!(status(house.addr(), "bob"), 200);
    let failing = (CLIENTS[0].begin)("dead/m", false, "Hi.").to_string();
    let failed = post(house.addr(), "/v1/messages", &shows("bob"), failing.as_bytes());
    assert!(failed.status >= 500, "{}", failed.text());
    for _ in 0..2 {
        let rows = usage(house.addr(), "bob", "?key=ann");
        assert_eq!(rows.len(), 1, "{rows:?}");
        let row = &rows[0];
        assert_eq!((&row["key"], &row["model"]), (&json!("ann"), &json!(CLAUDE)));
        assert_eq!((&row["requests"], &row["failures"]), (&json!(requests), &json!(0)));
        assert_eq!(tokens(row), all, "{row}");
        let everybodys = usage(house.addr(), "ann", "");
        let failures: u64 = everybodys.iter().filter_map(|row| row["failures"].as_u64()).sum();
        assert_eq!(failures, 1, "{everybodys:?}");
        let day = row["day"].as_str().unwrap();
        assert_eq!(usage(house.addr(), "ann", &format!("?from={day}&to={day}&key=ann")), rows);
        assert!(usage(house.addr(), "ann", "?from=2020-01-01&to=2020-12-31").is_empty());
        house.open(change);
    }
    let wrong = get(house.addr(), "/api/usage?from=yesterday", &shows("ann"));
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("YYYY-MM-DD"), "{}", wrong.text());
}

#[test]
fn who_has_used_up_a_budget_waits_until_midnight() {
    let folder = tempfile::tempdir().unwrap();
    let change = |config: &mut Config| {
        config.access.keys = vec![Key { tokens_per_day: Some(1), ..key("ann") }, key("bob")];
        config.store.place = in_file(folder.path());
    };
    let mut house = House::with(change);
    assert_eq!(ask(house.addr(), &CLIENTS[0], "ann", true).status, 200, "it is never cut");
    for _ in 0..2 {
        let before = house.log().len();
        for client in CLIENTS {
            let answer = ask(house.addr(), client, "ann", true);
            let failure = find(client.dialect).unwrap().decode_error(answer.status, &answer.body);
            let said = answer.text();
            assert_eq!((answer.status, failure.kind), (429, FailureKind::RateLimit), "{said}");
            assert!(failure.written.is_some(), "not of {}: {said}", client.dialect);
            assert!(said.contains("1 tokens a day") && said.contains("midnight UTC"), "{said}");
            let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=86_400).contains(&wait), "{wait}");
        }
        let session = post(house.addr(), "/api/sessions", &shows("ann"), b"{}");
        assert_eq!(session.status, 200, "{}", session.text());
        let session: Value = serde_json::from_slice(&session.body).unwrap();
        let path = format!("/api/sessions/{}/continue", session["id"].as_str().unwrap());
        let body = json!({"model": CLAUDE, "say": "Hi."}).to_string();
        assert_eq!(post(house.addr(), &path, &shows("ann"), body.as_bytes()).status, 429);
        assert_eq!(house.log().len(), before, "nobody was asked");
        assert_eq!(status(house.addr(), "bob"), 200);
        house.open(change);
    }
}

#[test]
fn a_budget_holds_where_nothing_is_stored() {
    let house = House::with(|config| {
        config.access.keys = vec![Key { tokens_per_day: Some(1), ..key("ann") }];
        config.store.place = Place::Off;
    });
    assert_eq!((status(house.addr(), "ann"), status(house.addr(), "ann")), (200, 429));
    let usage = get(house.addr(), "/api/usage", &shows("ann"));
    assert_eq!(usage.status, 404, "{}", usage.text());
    let made = post(house.addr(), "/api/keys", &shows("ann"), br#"{"name":"eve"}"#);
    assert_eq!(made.status, 503, "{}", made.text());
}

#[test]
fn a_key_that_was_made_opens_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let change = |config: &mut Config| {
        config.access.keys = vec![key("operator")];
        config.store.place = in_file(folder.path());
    };
    let mut house = House::with(change);
    let wanted =
        json!({"name": "team ö", "requests_per_minute": 1000, "tokens_per_day": 1_000_000});
    let secret = make(house.addr(), "operator", &wanted);
    assert!(secret.starts_with("il-") && secret.len() == 46, "{secret}");
    let other = make(house.addr(), "operator", &json!({"name": "other"}));
    assert_ne!(secret, other);
    for _ in 0..2 {
        assert_eq!(status(house.addr(), &secret), 200);
        let listed = get(house.addr(), "/api/keys", &shows("operator")).text();
        let keys: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(keys["keys"].as_array().unwrap().len(), 2);
        assert_eq!(keys["keys"][1]["name"], "team ö");
        assert_eq!(keys["keys"][1]["tokens_per_day"], 1_000_000);
        assert_eq!(keys["keys"][1]["concurrent"], Value::Null);
        assert!(keys["keys"][1]["created"].as_u64().unwrap() > 1_700_000_000);
        assert!(!listed.contains("sha256") && !listed.contains(&secret[3..]), "{listed}");
        house.open(change);
    }
    let bytes = std::fs::read(folder.path().join("data").join("store.db")).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(&secret), "the secret itself is on disk");
    let removed = delete_with(house.addr(), "/api/keys/team%20%C3%B6", &shows("operator"));
    assert_eq!(removed.status, 200, "{}", removed.text());
    assert_eq!((status(house.addr(), &secret), status(house.addr(), &other)), (401, 200));
    let removed = delete_with(house.addr(), "/api/keys/team%20%C3%B6", &shows("operator"));
    assert_eq!(removed.status, 404);
    house.open(change);
    assert_eq!((status(house.addr(), &secret), status(house.addr(), &other)), (401, 200));
}

#[test]
fn keys_that_were_made_make_no_others_and_see_only_their_own() {
    let house = House::with(|config| config.access.keys = vec![key("operator")]);
    let secret = make(house.addr(), "operator", &json!({"name": "ann"}));
    assert_eq!((status(house.addr(), &secret), status(house.addr(), "operator")), (200, 200));
    let refused = [
        post(house.addr(), "/api/keys", &shows(&secret), br#"{"name":"eve"}"#),
        get(house.addr(), "/api/keys", &shows(&secret)),
        delete_with(house.addr(), "/api/keys/ann", &shows(&secret)),
        get(house.addr(), "/api/usage?key=operator", &shows(&secret)),
    ];
    for answer in refused {
        assert_eq!(answer.status, 403, "{}", answer.text());
        assert!(answer.text().contains("error"), "{}", answer.text());
    }
    let seen = usage(house.addr(), &secret, "");
    assert!(seen.len() == 1 && seen[0]["key"] == "ann", "{seen:?}");
    assert_eq!(usage(house.addr(), "operator", "").len(), 2);
    assert_eq!(post(house.addr(), "/api/keys", "", br#"{"name":"eve"}"#).status, 401);
}

#[test]
fn a_key_that_cannot_be_is_refused() {
    let house = House::with(|config| config.access.keys = vec![key("operator")]);
    make(house.addr(), "operator", &json!({"name": "ann"}));
    let long = json!({"name": "x".repeat(65)}).to_string();
    let cases: [(&str, u16, &str); 7] = [
        (r#"{"name":"ann"}"#, 409, "already"),
        (r#"{"name":"operator"}"#, 409, "already"),
        (r#"{"name":""}"#, 400, "1 to 64"),
        (&long, 400, "1 to 64"),
        (r#"{"name":"eve","concurrent":0}"#, 400, "1 at least"),
        (r#"{"name":"eve","tokens":5}"#, 400, "tokens_per_day"),
        ("what", 400, "cannot be made"),
    ];
    for (body, status, words) in cases {
        let answer = post(house.addr(), "/api/keys", &shows("operator"), body.as_bytes());
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(words), "{body}: {}", answer.text());
    }
}

/// Whoever has a key of a name is not to find what another of that name has stored.
#[test]
fn a_name_that_the_file_gives_is_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let change = |names: &[&str]| {
        let (place, keys) = (in_file(folder.path()), names.iter().map(|name| key(name)).collect());
        move |config: &mut Config| (config.store.place, config.access.keys) = (place, keys)
    };
    let mut house = House::with(change(&["operator"]));
    let secret = make(house.addr(), "operator", &json!({"name": "ann"}));
    assert_eq!(status(house.addr(), &secret), 200);
    house.open(change(&["operator", "ann"]));
    assert_eq!((status(house.addr(), &secret), status(house.addr(), "ann")), (401, 200));
}

#[test]
fn limits_of_a_key_that_was_made_hold() {
    let house = House::with(|config| config.access.keys = vec![key("operator")]);
    let wanted = json!({"name": "ann", "requests_per_minute": 2});
    let secret = make(house.addr(), "operator", &wanted);
    let asked = [(); 3].map(|()| status(house.addr(), &secret));
    assert_eq!(asked, [200, 200, 429]);
    let secret = make(house.addr(), "operator", &json!({"name": "bob", "tokens_per_day": 1}));
    assert_eq!((status(house.addr(), &secret), status(house.addr(), &secret)), (200, 429));
}

#[test]
fn where_no_keys_are_asked_for_anybody_makes_them() {
    let house = House::build();
    let secret = make(house.addr(), "whatever", &json!({"name": "ann", "requests_per_minute": 1}));
    assert_eq!((status(house.addr(), &secret), status(house.addr(), &secret)), (200, 429));
    assert_eq!(status(house.addr(), "another"), 200);
    assert_eq!(post(house.addr(), "/api/keys", &shows(&secret), br#"{"name":"eve"}"#).status, 403);
    let keys: Vec<_> = usage(house.addr(), "", "").iter().map(|row| row["key"].clone()).collect();
    assert_eq!(keys, ["", "ann"]);
    let built_in = (CLIENTS[0].begin)("sim/echo", false, "Hi.").to_string();
    assert_eq!(post(house.addr(), "/v1/messages", "", built_in.as_bytes()).status, 200);
    let models = usage(house.addr(), "", "?key=");
    assert!(models.iter().any(|row| row["model"] == "sim/echo"), "{models:?}");
}

#[test]
fn a_database_that_is_not_there_stops_nobody() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let house = House::with(|config| {
        config.access.keys = vec![
            Key { requests_per_minute: Some(3), ..key("ann") },
            Key { tokens_per_day: Some(1), ..key("bob") },
        ];
        let url = format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=1");
        config.store.place = Place::Postgres(url.into());
    });
    assert_eq!([(); 4].map(|()| status(house.addr(), "ann")), [200, 200, 200, 429]);
    assert_eq!((status(house.addr(), "bob"), status(house.addr(), "bob")), (200, 429));
    assert_eq!(get(house.addr(), "/api/usage", &shows("ann")).status, 503);
    assert_eq!(post(house.addr(), "/api/keys", &shows("ann"), br#"{"name":"eve"}"#).status, 503);
}
