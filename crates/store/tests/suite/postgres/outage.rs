//! Tests unavailable servers and lost connections: nothing hangs, and no lost write is
//! acknowledged.

use std::time::{Duration, Instant};

use interlingua_store::{
    PostgresStore, RecordKind, RecordStore as _, SessionError, SessionStore as _, StoreOptions,
};

use super::relay::Relay;
use super::{TestSchema, fresh};
use crate::sessions::{append_after, bodies, create_session, new_session, read_all};
use crate::sqlite::wait_until;
use crate::support::{bodies as kept_bodies, find, put};

/// Connections are closed, or go silent, and work again later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn an_outage_stops_writes_but_not_lookups() {
    for is_silent in [false, true] {
        let test_schema = TestSchema::new().await;
        let (relay, url) = Relay::to(&test_schema.url).await;
        let store = PostgresStore::open(&url, StoreOptions::default()).unwrap();
        assert_eq!(store.health().error, None);
        put(&store, "", &["a"], "x");
        store.flush().await.unwrap();
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
        let id = create_session(&store, "", "t", &["0"]).await.id;
        relay.cut(is_silent);
        let start = Instant::now();
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"], "from the cache");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        let start = Instant::now();
        let result = store.append("", id, append_after(1, &["1"])).await;
        assert!(matches!(result, Err(SessionError::Store(_))), "{result:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        wait_until(|| store.health().error.is_some()).await;
        put(&store, "", &["b"], "y");
        let start = Instant::now();
        assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x", "b=y"]);
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        relay.restore();
        let start = Instant::now();
        while store.health().error.is_some() || store.health().pending_records > 0 {
            assert!(start.elapsed() < Duration::from_secs(30), "{:?}", store.health());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        store.flush().await.unwrap();
        assert_eq!(store.append("", id, append_after(1, &["1"])).await, Ok(2));
        let other = test_schema.open(StoreOptions::default());
        assert_eq!(find(&other, "", &["a", "b"]).await, ["a=x", "b=y"]);
        assert_eq!(bodies(&read_all(&other, "", id).await), ["0", "1"]);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_killed_connection_is_replaced() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    let id = create_session(&store, "", "t", &[]).await.id;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE application_name = current_schema() AND pid <> pg_backend_pid()";
    for seen in 0..5 {
        let killed = test_schema.admin.query(kill, &[]).await.unwrap();
        assert!(!killed.is_empty());
        assert_eq!(store.append("", id, append_after(seen, &["x"])).await, Ok(seen + 1));
    }
}

/// Work that is cut off is done again at once, and only once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn work_on_killed_connections_is_repeated_at_once() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    let id = create_session(&store, "", "t", &[]).await.id;
    let TestSchema { admin, .. } = &test_schema;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE application_name = current_schema() AND pid <> pg_backend_pid()";
    let start = Instant::now();
    let killed = async {
        let mut killed = 0;
        while start.elapsed() < Duration::from_secs(3) {
            tokio::time::sleep(Duration::from_millis(97)).await;
            killed += admin.query(kill, &[]).await.unwrap().len();
        }
        killed
    };
    let worked = async {
        let mut seen = 0;
        while start.elapsed() < Duration::from_secs(3) {
            put(&store, "", &["a"], &format!("{seen}"));
            assert_eq!(store.flush().await, Ok(()), "{seen}");
            let appended = store.append("", id, append_after(seen, &["x"])).await;
            assert_eq!(appended, Ok(seen + 1));
            seen += 1;
            let found = store.try_find(RecordKind::VaultEntry, "", &["a"]).await.unwrap();
            assert_eq!(found.len() as u64, seen.min(64));
            assert_eq!(store.health().error, None);
        }
        seen
    };
    let (killed, seen) = tokio::join!(killed, worked);
    assert!(killed > 10 && seen > 20, "{killed} {seen}");
    assert_eq!(read_all(&store, "", id).await.turns.len() as u64, seen);
}

/// The reply to a commit is lost: the turn is in the session once, and there is one session.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn work_whose_commit_got_no_reply_is_done_once() {
    let test_schema = TestSchema::new().await;
    let (relay, url) = Relay::to(&test_schema.url).await;
    let store = PostgresStore::open(&url, StoreOptions::default()).unwrap();
    relay.drop_next_commit_reply();
    let id = create_session(&store, "", "t", &["0"]).await.id;
    for seen in (1..9).step_by(2) {
        relay.drop_next_commit_reply();
        let appended = store.append("", id, append_after(seen, &["x", "y"])).await;
        assert_eq!(appended, Ok(seen + 2));
        let repeated = store.append("", id, append_after(seen, &["x", "y"])).await;
        assert_eq!(repeated, Err(SessionError::Conflict { turns: seen + 2 }));
    }
    assert_eq!(store.list("", None, 9).await.unwrap().sessions.len(), 1);
    relay.drop_next_commit_reply();
    let fork = store.fork("", id, 2).await.unwrap();
    assert_eq!((fork.turn_count, fork.parent), (2, Some((id, 2))));
    assert_eq!(bodies(&read_all(&store, "", fork.id).await), ["0", "x"]);
    assert_eq!(store.list("", None, 9).await.unwrap().sessions.len(), 2, "it is forked once");
    relay.drop_next_commit_reply();
    assert_eq!(store.delete("", id).await, Ok(()));
}

/// Lookups that wait for a lock fail alone: nothing else waits, and the store stays readable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn slow_queries_concern_only_their_own_requests() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    put(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    let id = create_session(&store, "", "t", &["0"]).await.id;
    test_schema.tamper("BEGIN; LOCK TABLE interlingua_records IN ACCESS EXCLUSIVE MODE").await;
    let start = Instant::now();
    let lookups = async {
        let keys: Vec<String> = (0..12).map(|nth| format!("unknown {nth}")).collect();
        let lookup = |key| store.try_find(RecordKind::VaultEntry, "", &[key]);
        crate::support::join_all(keys.iter().map(|key| lookup(key.as_str()))).await
    };
    let sessions = async {
        let mut count = 0;
        while start.elapsed() < Duration::from_millis(2500) {
            let started = Instant::now();
            assert_eq!(bodies(&read_all(&store, "", id).await), ["0"]);
            assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
            assert_eq!(store.health().error, None);
            count += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        count
    };
    let (found, count) = tokio::join!(lookups, sessions);
    assert!(
        found.iter().all(Result::is_err),
        "a missing record could not be told from a locked one"
    );
    assert!(count > 20, "{count}");
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"], "from the cache");
    test_schema.tamper("ROLLBACK").await;
    assert_eq!(store.try_find(RecordKind::VaultEntry, "", &["unknown"]).await, Ok(Vec::new()));
    assert_eq!(store.health().error, None);
}

/// An untrusted certificate is rejected, whatever `sslmode` means to libpq.
#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn server_certificates_are_verified() {
    let Ok(certificate) = std::env::var("INTERLINGUA_TEST_POSTGRES_CERTIFICATE") else {
        panic!("INTERLINGUA_TEST_POSTGRES_CERTIFICATE is not set; cargo xtask postgres makes one");
    };
    let test_schema = TestSchema::new().await;
    let base_url = test_schema.url.replacen("@127.0.0.1:", "@localhost:", 1);
    let open = |parameters: &str| {
        PostgresStore::open(&format!("{base_url}{parameters}"), StoreOptions::default()).unwrap()
    };
    for mode in ["require", "verify-ca", "verify-full", "prefer"] {
        let error = open(&format!("&sslmode={mode}")).health().error.unwrap().to_string();
        assert!(error.contains("certificate"), "{mode}: {error}");
    }
    for mode in ["require", "verify-full"] {
        let store = open(&format!("&sslmode={mode}&sslrootcert={certificate}"));
        assert_eq!(store.health().error, None);
        create_session(&store, "", "t", &["0"]).await;
        let encrypted = "SELECT count(*) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) \
                         WHERE application_name = current_schema() AND ssl";
        let row = test_schema.admin.query_one(encrypted, &[]).await.unwrap();
        assert!(row.get::<_, i64>(0) > 0);
    }
    // The certificate is for another host name.
    let other_host = format!("{}&sslmode=require&sslrootcert={certificate}", test_schema.url);
    let error = PostgresStore::open(&other_host, StoreOptions::default()).unwrap().health().error;
    assert!(error.unwrap().to_string().contains("certificate"));
}

#[test]
fn an_invalid_url_is_rejected_without_showing_its_password() {
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
        let Err(error) = PostgresStore::open(url, StoreOptions::default()) else {
            panic!("{url} is accepted")
        };
        let error = error.to_string();
        assert!(error.contains("PostgreSQL") && !error.contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn without_a_server_memory_serves() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://u:hunter2@127.0.0.1:{port}/d");
    let start = Instant::now();
    let store = PostgresStore::open(&url, StoreOptions::default()).unwrap();
    let error = store.health().error.unwrap().to_string();
    assert!(error.contains("127.0.0.1/d") && !error.contains("hunter2"), "{error}");
    put(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
    assert_eq!(kept_bodies(&store, RecordKind::VaultEntry).await, ["x"]);
    assert!(store.flush().await.is_err());
    assert!(matches!(store.create("", new_session("", &[])).await, Err(SessionError::Store(_))));
    drop(store);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
