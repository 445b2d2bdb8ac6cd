//! Tests that access control that was in force once is taken away only by `access.open`.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use interlingua_gateway::config::{Config, StoreLocation};
use serde_json::{Value, json};

use crate::client::{HttpResponse, delete_with, get, post};
use crate::harness::Harness;
use crate::keys::{auth_header, create_key, key, status};

const HELLO: &[u8] = br#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;

/// A small request with these headers.
fn ask(at: SocketAddr, headers: &str) -> HttpResponse {
    post(at, "/v1/chat/completions", headers, HELLO)
}

fn keyless_status(at: SocketAddr) -> u16 {
    ask(at, "").status
}

fn in_file(path: &Path) -> impl Fn(&mut Config) + use<> {
    let location = StoreLocation::Sqlite(path.to_owned());
    move |config| config.store.location = location.clone()
}

/// A database whose port is closed.
fn refused_postgres() -> StoreLocation {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    StoreLocation::Postgres(format!("postgres://u@127.0.0.1:{port}/d?connect_timeout=1").into())
}

#[test]
fn a_restart_without_the_keys_stays_closed() {
    let folder = tempfile::tempdir().unwrap();
    let with_file = in_file(&folder.path().join("store.db"));
    let mut harness = Harness::with_config(&with_file);
    assert_eq!(keyless_status(harness.addr()), 200, "it never had keys");
    harness.restart_gateway(&with_file);
    assert_eq!(keyless_status(harness.addr()), 200, "it never had keys");
    harness.restart_gateway(|config| {
        with_file(config);
        config.access.keys = vec![key("operator")];
    });
    let secret = create_key(harness.addr(), "operator", &json!({"name": "ann"}));
    harness.restart_gateway(&with_file);
    assert_eq!(keyless_status(harness.addr()), 401);
    let usage = get(harness.addr(), "/api/usage", "");
    assert_eq!(usage.status, 401, "{}", usage.text());
    assert_eq!(post(harness.addr(), "/api/keys", "", br#"{"name":"eve"}"#).status, 401);
    assert_eq!((status(harness.addr(), "operator"), status(harness.addr(), &secret)), (401, 200));
    // A store key that was in the file is lost with it.
    harness.restart_gateway(|config| {
        with_file(config);
        config.store.encryption_key = Some("another key of at least 32 characters".into());
    });
    assert_eq!(keyless_status(harness.addr()), 401);
    harness.restart_gateway(|config| {
        with_file(config);
        config.access.open = true;
    });
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), &secret)), (200, 200));
}

#[test]
fn keys_of_an_encrypted_store_are_remembered_without_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let with_file = in_file(&folder.path().join("store.db"));
    let mut harness = Harness::with_config(|config| {
        with_file(config);
        config.access.keys = vec![key("operator")];
        config.store.encryption_key = Some("a key of at least thirty-two characters".into());
    });
    harness.restart_gateway(&with_file);
    assert_eq!(keyless_status(harness.addr()), 401);
}

#[test]
fn a_configuration_without_the_keys_opens_nothing() {
    let harness = Harness::with_config(|config| config.access.keys = vec![key("operator")]);
    let gateway = &harness.gateway.as_ref().unwrap().gateway;
    let mut config = (*gateway.config()).clone();
    config.access.keys.clear();
    let error = gateway.reload(config.clone()).unwrap_err();
    assert!(error.to_string().contains("access.open = true"), "{error}");
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), "operator")), (401, 200));
    gateway.reconfigure(config.clone());
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), "operator")), (401, 401));
    config.access.open = true;
    gateway.reload(config.clone()).unwrap();
    assert_eq!(keyless_status(harness.addr()), 200);
    config.access.open = false;
    gateway.reload(config).unwrap();
    assert_eq!(keyless_status(harness.addr()), 401);
}

#[test]
fn a_key_that_was_issued_while_open_closes_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let with_file = in_file(&folder.path().join("store.db"));
    let mut harness = Harness::with_config(&with_file);
    let secret = create_key(harness.addr(), "", &json!({"name": "ann"}));
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), &secret)), (200, 200));
    assert_eq!(delete_with(harness.addr(), "/api/keys/ann", "").status, 200);
    // Longer than a refresh of the keys: the marker is written with it.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(keyless_status(harness.addr()), 200, "it is the same process");
    harness.restart_gateway(&with_file);
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), &secret)), (401, 401));
    assert_eq!(get(harness.addr(), "/readyz", "").text(), "ready\n");
}

#[test]
fn a_file_that_cannot_be_read_may_have_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    fs::create_dir_all(path.join("not a file")).unwrap();
    let with_file = in_file(&path);
    let mut harness = Harness::with_config(&with_file);
    let response = ask(harness.addr(), "");
    assert_eq!(response.status, 503, "{}", response.text());
    assert!(response.header("retry-after").is_some(), "{}", response.text());
    assert_eq!(get(harness.addr(), "/readyz", "").status, 503);
    harness.restart_gateway(|config| {
        with_file(config);
        config.access.open = true;
    });
    assert_eq!(keyless_status(harness.addr()), 200);
    assert_eq!(get(harness.addr(), "/readyz", "").text(), "ready, but nothing is stored\n");
}

#[test]
fn keys_that_are_not_loaded_yet_are_not_wrong() {
    let mut harness = Harness::with_config(|config| {
        config.access.keys = vec![key("operator")];
        config.store.location = refused_postgres();
    });
    assert_eq!(status(harness.addr(), "operator"), 200);
    let unknown = ask(harness.addr(), &auth_header("il-unknown"));
    assert_eq!(unknown.status, 503, "{}", unknown.text());
    assert_eq!(unknown.header("retry-after"), Some("2"));
    let body: Value = serde_json::from_slice(&unknown.body).unwrap();
    assert!(body["error"]["message"].as_str().unwrap().contains("try again"), "{body}");
    assert_eq!(keyless_status(harness.addr()), 401);
    let ready = get(harness.addr(), "/readyz", "");
    assert_eq!(ready.status, 503, "{}", ready.text());
    assert!(ready.text().contains("keys"), "{}", ready.text());
    assert_eq!(get(harness.addr(), "/healthz", "").status, 200);
    // Without keys in the file, the gateway may be closed.
    harness.restart_gateway(|config| config.store.location = refused_postgres());
    assert_eq!(keyless_status(harness.addr()), 503);
    assert_eq!(get(harness.addr(), "/readyz", "").status, 503);
    harness.restart_gateway(|config| {
        config.store.location = refused_postgres();
        config.access.open = true;
    });
    assert_eq!((keyless_status(harness.addr()), status(harness.addr(), "any")), (200, 200));
    assert_eq!(get(harness.addr(), "/readyz", "").text(), "ready, but nothing is stored\n");
}

#[test]
fn a_user_without_a_data_directory_is_told_that_nothing_is_stored() {
    let harness = Harness::new();
    let ready = get(harness.addr(), "/readyz", "");
    assert_eq!((ready.status, &*ready.text()), (200, "ready, but nothing is stored\n"));
    let (config, _) = Config::parse("store.url = \"memory:\"", &|_| None).unwrap();
    let harness = Harness::with_config(|changed| changed.store = config.store);
    assert_eq!(get(harness.addr(), "/readyz", "").text(), "ready\n");
}
