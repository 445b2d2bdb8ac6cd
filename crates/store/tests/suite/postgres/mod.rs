//! Tests the PostgreSQL store on a server that `cargo xtask postgres` starts.

pub(crate) mod cleaning;
mod outage;
mod relay;
mod usage;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use interlingua_store::{
    EncryptionKey, PostgresStore, RecordKind, RecordStore as _, Retention, RetentionLimits,
    SessionError, SessionStore as _, StoreOptions,
};
use tokio_postgres::{Client, NoTls};

use crate::kill_sessions::{DATABASE, kill};
use crate::records::record_tests;
use crate::sessions::{append_after, bodies, create_session, new_session, read_all, session_tests};
use crate::sqlite::wait_until;
use crate::support::{bodies as kept_bodies, find, join_all, put};
use crate::usage::usage_tests;

record_tests!(fresh(StoreOptions::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
session_tests!(fresh(StoreOptions::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
usage_tests!(fresh(StoreOptions::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");

mod with_a_key {
    use super::*;
    record_tests!(fresh(options_with_key(KEY)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
    session_tests!(fresh(options_with_key(KEY)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
    usage_tests!(fresh(options_with_key(KEY)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
}

const KEY: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

fn options_with_key(key: &str) -> StoreOptions {
    StoreOptions {
        encryption_key: Some(EncryptionKey::new(key).unwrap()),
        ..StoreOptions::default()
    }
}

/// A schema for one test, on the shared server.
pub(crate) struct TestSchema {
    url: String,
    pub(crate) admin: Client,
}

impl TestSchema {
    pub(crate) async fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let Ok(server) = std::env::var("INTERLINGUA_TEST_POSTGRES") else {
            panic!("INTERLINGUA_TEST_POSTGRES is not set; cargo xtask postgres starts one");
        };
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let schema = format!("t_{}_{nth}", std::process::id());
        let parameters = format!("application_name={schema}&options=-csearch_path%3D{schema}");
        let url = format!("{server}?{parameters}");
        let (admin, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        admin.batch_execute(&format!("CREATE SCHEMA {schema}")).await.unwrap();
        Self { url, admin }
    }

    pub(crate) fn open(&self, options: StoreOptions) -> PostgresStore {
        PostgresStore::open(&self.url, options).unwrap()
    }

    /// Changes the database behind the store's back.
    pub(crate) async fn tamper(&self, sql: &str) {
        self.admin.batch_execute(sql).await.unwrap();
    }
}

async fn fresh(options: StoreOptions) -> (PostgresStore, TestSchema) {
    let test_schema = TestSchema::new().await;
    let store = test_schema.open(options);
    assert_eq!(store.health().error, None);
    (store, test_schema)
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn records_of_one_node_are_found_by_another_immediately() {
    let (one, test_schema) = fresh(StoreOptions::default()).await;
    let two = test_schema.open(StoreOptions::default());
    for nth in 0..20 {
        let key = format!("k{nth}");
        assert_eq!(find(&two, "ann", &[&key, "all"]).await.len(), nth);
        put(&one, "ann", &[&key, "all"], &format!("{nth}"));
        one.flush().await.unwrap();
        assert_eq!(find(&two, "ann", &[&key]).await, [format!("{key}={nth}")]);
        assert_eq!(find(&two, "ann", &["all"]).await.len(), nth + 1);
    }
    one.put(crate::support::record(RecordKind::Lesson, "", &["l"], "learned"));
    one.flush().await.unwrap();
    assert_eq!(kept_bodies(&two, RecordKind::Lesson).await, ["learned"]);
    assert_eq!(one.remove(RecordKind::VaultEntry, Some("ann"), Some("k3")).await, Ok(1));
    assert_eq!(find(&two, "ann", &["k3", "k4"]).await, ["k4=4"]);
    // A record that another node removed can be stored again.
    put(&two, "ann", &["k3", "all"], "3");
    two.flush().await.unwrap();
    assert_eq!(find(&one, "ann", &["k3"]).await, ["k3=3"]);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn equal_records_of_two_nodes_are_stored_once() {
    let (one, test_schema) = fresh(StoreOptions::default()).await;
    let two = test_schema.open(StoreOptions::default());
    for nth in 0..200 {
        for store in [&one, &two] {
            put(store, "", &[&format!("k{nth}")], "x");
        }
    }
    let flushed = join_all([one.flush(), two.flush()].into_iter()).await;
    assert_eq!(flushed, [Ok(()), Ok(())]);
    assert_eq!(one.list_records(RecordKind::VaultEntry).await.len(), 200);
    assert_eq!((one.health().error, two.health().error), (None, None));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn nodes_may_start_concurrently() {
    let test_schema = TestSchema::new().await;
    let stores: Vec<PostgresStore> = std::thread::scope(|scope| {
        let open = || test_schema.open(StoreOptions::default());
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for store in &stores {
        assert_eq!(store.health().error, None);
        create_session(store, "", "t", &[]).await;
    }
    assert_eq!(stores[0].list("", None, 9).await.unwrap().sessions.len(), 6);
    let versions =
        test_schema.admin.query("SELECT version FROM interlingua_schema", &[]).await.unwrap();
    assert_eq!(versions.len(), 1);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_newer_database_is_left_alone() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    drop(store);
    test_schema.tamper("UPDATE interlingua_schema SET version = 99").await;
    let store = test_schema.open(StoreOptions::default());
    let error = store.health().error.unwrap().to_string();
    assert!(error.contains("newer version"), "{error}");
    let password = test_schema.url.split([':', '@']).nth(2).unwrap();
    assert!(password.len() > 8 && !error.contains(password), "{error}");
    put(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    assert!(store.create("", new_session("t", &[])).await.is_err());
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn records_and_sessions_survive_a_restart() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    for nth in 0..700 {
        put(&store, "", &[&format!("k{nth}")], "x");
    }
    let id = create_session(&store, "ann", "t", &["0"]).await.id;
    let before = read_all(&store, "ann", id).await;
    drop(store);
    let store = test_schema.open(StoreOptions::default());
    assert_eq!(read_all(&store, "ann", id).await, before);
    assert_eq!(store.list_records(RecordKind::VaultEntry).await.len(), 700);
    assert_eq!((store.health().records, store.health().sessions), (700, 1));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_session_may_move_between_nodes() {
    let (one, test_schema) = fresh(StoreOptions::default()).await;
    let two = test_schema.open(StoreOptions::default());
    let id = create_session(&one, "", "t", &[]).await.id;
    for seen in (0..20).step_by(2) {
        assert_eq!(one.append("", id, append_after(seen, &["one"])).await, Ok(seen + 1));
        assert_eq!(two.append("", id, append_after(seen + 1, &["two"])).await, Ok(seen + 2));
        let both =
            [&one, &two].map(|store| store.append("", id, append_after(seen + 1, &["late"])));
        for result in join_all(both.into_iter()).await {
            assert_eq!(result, Err(SessionError::Conflict { turns: seen + 2 }));
        }
    }
    assert_eq!(bodies(&read_all(&one, "", id).await).len(), 20);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_damaged_turn_is_reported_and_all_others_are_read() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    let id = create_session(&store, "", "t", &["zero", "one", "two", "three"]).await.id;
    test_schema
        .tamper("UPDATE interlingua_turns SET payload = payload || 'x' WHERE number = 2")
        .await;
    let contents = read_all(&store, "", id).await;
    assert_eq!(
        (bodies(&contents).len(), contents.damaged_turns, store.health().damaged_rows),
        (3, vec![2], 1)
    );
    assert_eq!(store.append("", id, append_after(4, &["four"])).await, Ok(5));
    put(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    test_schema.tamper("UPDATE interlingua_records SET payload = payload || 'x'").await;
    assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
    assert_eq!(store.health().damaged_rows, 2);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn with_a_key_nothing_is_readable() {
    let (store, test_schema) = fresh(options_with_key(KEY)).await;
    put(&store, "canary", &["canary"], "canary");
    store.flush().await.unwrap();
    let id = create_session(&store, "canary", "canary", &["canary"]).await.id;
    drop(store);
    assert!(!contains_text(&test_schema, "canary").await);
    for options in [options_with_key(OTHER), StoreOptions::default()] {
        let store = test_schema.open(options);
        assert_eq!(store.health().foreign_key_rows, 2);
        assert_eq!(find(&store, "canary", &["canary"]).await, [""; 0]);
        assert_eq!(store.read("canary", id, 0..9).await, Err(SessionError::NotFound));
    }
    let store = test_schema.open(options_with_key(KEY));
    assert_eq!(find(&store, "canary", &["canary"]).await, ["canary=canary"]);
    assert_eq!(bodies(&read_all(&store, "canary", id).await), ["canary"]);
}

/// Whether any row contains this text.
async fn contains_text(test_schema: &TestSchema, text: &str) -> bool {
    let rows = "SELECT count(*) FROM (SELECT payload FROM interlingua_records UNION ALL \
                SELECT payload FROM interlingua_turns UNION ALL \
                SELECT about || model FROM interlingua_sessions) AS r \
                WHERE position($1::bytea IN payload) > 0";
    let row = test_schema.admin.query_one(rows, &[&text.as_bytes()]).await.unwrap();
    row.get::<_, i64>(0) > 0
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn rows_from_before_the_key_are_encrypted() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    for nth in 0..600 {
        put(&store, "ann", &[&format!("k{nth}")], &format!("canary {nth}"));
    }
    let ids = join_all((0..20).map(|_| create_session(&store, "ann", "canary", &["canary"]))).await;
    drop(store);
    assert!(contains_text(&test_schema, "canary").await);
    let store = test_schema.open(options_with_key(KEY));
    assert_eq!(find(&store, "ann", &["k7"]).await, ["k7=canary 7"]);
    assert_eq!(store.append("ann", ids[3].id, append_after(1, &["more"])).await, Ok(2));
    let start = Instant::now();
    while contains_text(&test_schema, "canary").await {
        assert!(start.elapsed() < Duration::from_secs(20), "some rows stay unencrypted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(find(&store, "ann", &["k7", "k599"]).await, ["k7=canary 7", "k599=canary 599"]);
    assert_eq!(bodies(&read_all(&store, "ann", ids[3].id).await), ["canary", "more"]);
    assert_eq!(store.remove(RecordKind::VaultEntry, Some("ann"), None).await, Ok(600));
    assert_eq!(store.delete_all("ann").await, Ok(20));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn pruning_removes_what_is_too_old_or_too_large() {
    let by_size = RetentionLimits { max_age: Duration::from_hours(1), max_bytes: 100_000 };
    let by_age = RetentionLimits { max_age: Duration::from_secs(2), max_bytes: 1 << 30 };
    let retention = Retention {
        vault_entry: by_size,
        session: by_size,
        guard_answer: by_age,
        ..Retention::default()
    };
    let options = StoreOptions {
        retention,
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let (store, test_schema) = fresh(options).await;
    let text = "x".repeat(1000);
    store.put(crate::support::record(RecordKind::GuardAnswer, "", &["needed"], "1"));
    store.put(crate::support::record(RecordKind::GuardAnswer, "", &["old"], "2"));
    for nth in 0..300 {
        put(&store, "", &[&format!("k{nth}")], &format!("{nth}{text}"));
        if nth % 50 == 0 {
            store.flush().await.unwrap();
        }
    }
    let mut last = create_session(&store, "", "", &[]).await;
    for _ in 0..150 {
        last = create_session(&store, "", "", &[&text]).await;
    }
    for _ in 0..16 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        assert_eq!(store.find(RecordKind::GuardAnswer, "", &["needed"]).await.len(), 1);
    }
    wait_until(|| (1..=101_000).contains(&store.health().bytes)).await;
    wait_until(|| (1..100).contains(&store.health().sessions)).await;
    assert!(store.health().records > 60 && store.health().sessions > 60, "{:?}", store.health());
    assert_eq!(find(&store, "", &["k0"]).await, [""; 0]);
    assert_eq!(find(&store, "", &["k299"]).await.len(), 1);
    assert_eq!(kept_bodies(&store, RecordKind::GuardAnswer).await, ["1"]);
    assert_eq!(read_all(&store, "", last.id).await.turns.len(), 1);
    drop(test_schema);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_page_of_a_hundred_thousand_sessions_is_fast() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    for _ in 0..20 {
        join_all((0..100).map(|_| create_session(&store, "ann", "t", &["0"]))).await;
    }
    test_schema
        .tamper(
            "INSERT INTO interlingua_sessions SELECT decode(md5(n::text), 'hex'), owner, created - n, \
             updated - 100000000 - n, turns, bytes, lock, about, model FROM \
             (SELECT * FROM interlingua_sessions LIMIT 1) AS s, generate_series(1, 98000) AS n; \
             ANALYZE interlingua_sessions",
        )
        .await;
    let (mut cursor, mut times) = (None, Vec::new());
    for _ in 0..20 {
        let start = Instant::now();
        let page = store.list("ann", cursor, 100).await.unwrap();
        times.push(start.elapsed());
        assert_eq!(page.sessions.len(), 100);
        cursor = page.next;
    }
    times.sort();
    assert!(times[10] < Duration::from_millis(50), "{times:?}");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn every_acknowledged_turn_survives_a_kill() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    let id = create_session(&store, "", "t", &[]).await.id;
    drop(store);
    kill(id, (DATABASE, &test_schema.url), || Box::new(test_schema.open(StoreOptions::default())))
        .await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn usage_survives_a_kill() {
    let test_schema = TestSchema::new().await;
    crate::usage_on_disk::kill((DATABASE, &test_schema.url), || {
        Box::new(test_schema.open(StoreOptions::default()))
    })
    .await;
}
