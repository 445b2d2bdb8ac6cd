//! Tests that the store is optional: no request depends on it.

use std::fs;
use std::net::TcpListener;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, StoreLocation};
use secrecy::SecretString;

use crate::client::{get, post};
use crate::harness::Harness;

const HELLO: &str = r#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;

#[test]
fn an_unusable_store_stops_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no folder");
    fs::write(&file, "").unwrap();
    let harness = Harness::with_config(|config| {
        config.store.location = StoreLocation::Sqlite(file.join("store.db"));
    });
    let ready = get(harness.addr(), "/readyz", "");
    assert_eq!((ready.status, &*ready.text()), (200, "ready, but nothing is stored\n"));
    assert_eq!(post(harness.addr(), "/v1/chat/completions", "", HELLO.as_bytes()).status, 200);
    let metrics = get(harness.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_store_up "), "{metrics}");
}

#[test]
fn store_files_are_private_to_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("store.db");
    let location = StoreLocation::Sqlite(path.clone());
    let harness = Harness::with_config(|config| config.store.location = location);
    assert_eq!(get(harness.addr(), "/readyz", "").text(), "ready\n");
    drop(harness);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |file| fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&folder.path().join("data")), 0o700);
    }
}

#[test]
fn an_unreachable_postgres_stops_no_request() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = SecretString::from(format!("postgres://user:canary@127.0.0.1:{port}/name"));
    let harness = Harness::with_config(|config| {
        config.access.open = true;
        config.store.location = StoreLocation::Postgres(url);
    });
    let ready = get(harness.addr(), "/readyz", "");
    assert_eq!((ready.status, &*ready.text()), (200, "ready, but nothing is stored\n"));
    assert_eq!(post(harness.addr(), "/v1/chat/completions", "", HELLO.as_bytes()).status, 200);
}

#[test]
fn an_invalid_store_url_fails_at_startup() {
    let mut config = Config::from_env(&|_| None);
    let url = SecretString::from("postgres://user:canary@host/name?what=1");
    config.store.location = StoreLocation::Postgres(url);
    let error = Gateway::new(config).unwrap_err();
    let message = error.message.unescape();
    assert!(message.contains("PostgreSQL") && !message.contains("canary"), "{message}");
}
