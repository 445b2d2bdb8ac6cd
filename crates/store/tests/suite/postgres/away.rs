//! Servers that are away, and connections that are lost: nothing hangs, and nothing is taken for stored.

use std::time::{Duration, Instant};

use interlingua_store::{Kind, Options, Postgres, SessionError, Sessions as _, Store as _};

use super::relay::Relay;
use super::{Place, fresh};
use crate::sessions::{after, begin, bodies, draft, whole};
use crate::shared::{bodies as kept_bodies, find, keep};
use crate::sqlite::until;

/// The server goes away and comes back: the cable is pulled, or nothing is heard through it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_lost_database_stops_storing_and_nothing_else() {
    for silent in [false, true] {
        let place = Place::new().await;
        let (relay, url) = Relay::to(&place.url).await;
        let store = Postgres::open(&url, Options::default()).unwrap();
        assert_eq!(store.health().trouble, None);
        keep(&store, "", &["a"], "x");
        store.flush().await.unwrap();
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
        let id = begin(&store, "", "t", &["0"]).await.id;
        relay.cut(silent);
        let start = Instant::now();
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"], "as it was known");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        let start = Instant::now();
        let answer = store.append("", id, after(1, &["1"])).await;
        assert!(matches!(answer, Err(SessionError::Trouble(_))), "{answer:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        until(|| store.health().trouble.is_some()).await;
        keep(&store, "", &["b"], "y");
        let start = Instant::now();
        assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x", "b=y"]);
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        relay.mend();
        let start = Instant::now();
        while store.health().trouble.is_some() || store.health().waiting > 0 {
            assert!(start.elapsed() < Duration::from_secs(30), "{:?}", store.health());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        store.flush().await.unwrap();
        assert_eq!(store.append("", id, after(1, &["1"])).await, Ok(2));
        let other = place.open(Options::default());
        assert_eq!(find(&other, "", &["a", "b"]).await, ["a=x", "b=y"]);
        assert_eq!(bodies(&whole(&other, "", id).await), ["0", "1"]);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_killed_connection_is_replaced() {
    let (store, place) = fresh(Options::default()).await;
    let id = begin(&store, "", "t", &[]).await.id;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE application_name = current_schema() AND pid <> pg_backend_pid()";
    for seen in 0..5 {
        let killed = place.admin.query(kill, &[]).await.unwrap();
        assert!(!killed.is_empty());
        assert_eq!(store.append("", id, after(seen, &["x"])).await, Ok(seen + 1));
    }
}

/// A certificate that nobody trusts is refused, whatever `sslmode` is satisfied with elsewhere.
#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_server_must_show_who_it_is() {
    let Ok(certificate) = std::env::var("INTERLINGUA_TEST_POSTGRES_CERTIFICATE") else {
        panic!(
            "INTERLINGUA_TEST_POSTGRES_CERTIFICATE names no file; cargo xtask postgres makes one"
        );
    };
    let place = Place::new().await;
    let named = place.url.replacen("@127.0.0.1:", "@localhost:", 1);
    let open = |more: &str| Postgres::open(&format!("{named}{more}"), Options::default()).unwrap();
    for mode in ["require", "verify-ca", "verify-full", "prefer"] {
        let trouble = open(&format!("&sslmode={mode}")).health().trouble.unwrap().to_string();
        assert!(trouble.contains("certificate"), "{mode}: {trouble}");
    }
    for mode in ["require", "verify-full"] {
        let store = open(&format!("&sslmode={mode}&sslrootcert={certificate}"));
        assert_eq!(store.health().trouble, None);
        begin(&store, "", "t", &["0"]).await;
        let encrypted = "SELECT count(*) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) \
                         WHERE application_name = current_schema() AND ssl";
        let row = place.admin.query_one(encrypted, &[]).await.unwrap();
        assert!(row.get::<_, i64>(0) > 0);
    }
    // The certificate is for a name, and this is another.
    let other = format!("{}&sslmode=require&sslrootcert={certificate}", place.url);
    let trouble = Postgres::open(&other, Options::default()).unwrap().health().trouble;
    assert!(trouble.unwrap().to_string().contains("certificate"));
}

#[test]
fn an_address_that_is_none_is_refused_without_its_password() {
    let bad = [
        "",
        "x",
        "host=h user=u password=hunter2",
        "postgres:///d",
        "postgres://u:hunter2@h/d?what=1",
        "postgres://u:hunter2@h/d?sslmode=what",
        "postgres://u:hunter2@h/d?sslrootcert=/no/such/file",
        "postgres://u:hunter2@h:port/d",
    ];
    for url in bad {
        let Err(error) = Postgres::open(url, Options::default()) else { panic!("{url} is taken") };
        let error = error.to_string();
        assert!(error.contains("PostgreSQL") && !error.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn where_nobody_listens_memory_serves() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://u:hunter2@127.0.0.1:{port}/d");
    let start = Instant::now();
    let store = Postgres::open(&url, Options::default()).unwrap();
    let trouble = store.health().trouble.unwrap().to_string();
    assert!(trouble.contains("127.0.0.1/d") && !trouble.contains("hunter2"), "{trouble}");
    keep(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
    assert_eq!(kept_bodies(&store, Kind::Sealed).await, ["x"]);
    assert!(store.flush().await.is_err());
    assert!(matches!(store.create("", draft("", &[])).await, Err(SessionError::Trouble(_))));
    drop(store);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
