//! The store of the gateway: where it is, and that no request depends on it.

use std::fs;
use std::net::TcpListener;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, Place};
use secrecy::SecretString;

use crate::client::{get, post};
use crate::house::House;

const HELLO: &str = r#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;

#[test]
fn a_store_that_cannot_be_used_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no folder");
    fs::write(&file, "").unwrap();
    let house = House::with(|config| config.store.place = Place::Sqlite(file.join("store.db")));
    let ready = get(house.addr(), "/readyz", "");
    assert_eq!((ready.status, &*ready.text()), (200, "ready, but nothing is stored\n"));
    assert_eq!(post(house.addr(), "/v1/chat/completions", "", HELLO.as_bytes()).status, 200);
    let metrics = get(house.addr(), "/metrics", "").text();
    assert!(metrics.contains("interlingua_store_up "), "{metrics}");
}

#[test]
fn a_store_is_the_users_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("store.db");
    let place = Place::Sqlite(path.clone());
    let house = House::with(|config| config.store.place = place);
    assert_eq!(get(house.addr(), "/readyz", "").text(), "ready\n");
    drop(house);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let rights = |of| fs::metadata(of).unwrap().permissions().mode() & 0o777;
        assert_eq!(rights(&path), 0o600);
        assert_eq!(rights(&folder.path().join("data")), 0o700);
    }
}

#[test]
fn a_database_that_is_away_stops_nobody() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = SecretString::from(format!("postgres://user:canary@127.0.0.1:{port}/name"));
    let house = House::with(|config| config.store.place = Place::Postgres(url));
    let ready = get(house.addr(), "/readyz", "");
    assert_eq!((ready.status, &*ready.text()), (200, "ready, but nothing is stored\n"));
    assert_eq!(post(house.addr(), "/v1/chat/completions", "", HELLO.as_bytes()).status, 200);
}

#[test]
fn what_cannot_be_a_store_is_said_at_the_start() {
    let mut config = Config::from_nothing(&|_| None);
    let url = SecretString::from("postgres://user:canary@host/name?what=1");
    config.store.place = Place::Postgres(url);
    let failure = Gateway::new(config).unwrap_err();
    let said = failure.message.contents();
    assert!(said.contains("PostgreSQL") && !said.contains("canary"), "{said}");
}
