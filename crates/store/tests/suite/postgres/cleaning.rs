//! Tests counting, and the deletion of expired records while others are written.

use std::time::{Duration, Instant};

use interlingua_store::{
    PostgresStore, RecordKind, RecordStore as _, Retention, RetentionLimits, SessionStore as _,
    StoreOptions,
};

use super::{TestSchema, fresh};
use crate::sessions::{append_after, create_session};
use crate::sqlite::wait_until;
use crate::support::{bodies, find, put, record};

/// Records that were last used in 1970.
pub(crate) async fn insert_old_records(test_schema: &TestSchema, count: u64) {
    let insert = |from: u64, to: u64| {
        format!(
            "WITH inserted AS (INSERT INTO interlingua_records \
             (id, kind, owner, used, size, lock, digest, payload) \
             SELECT n, 1, '', n, 200, '', decode(md5(n::text), 'hex'), \
             decode(repeat(md5(n::text), 12), 'hex') FROM generate_series({from}, {to}) AS n \
             RETURNING id, digest) \
             INSERT INTO interlingua_addresses SELECT digest, id FROM inserted"
        )
    };
    let mut from = 1;
    while from <= count {
        let to = count.min(from + 99_999);
        test_schema.tamper(&insert(from, to)).await;
        from = to + 1;
    }
    test_schema.tamper("ANALYZE").await;
}

/// Keeps vault entries for an hour, and cleans often.
pub(crate) fn cleaning_options() -> StoreOptions {
    let vault_entry = RetentionLimits { max_age: Duration::from_hours(1), max_bytes: 100 << 30 };
    StoreOptions {
        retention: Retention { vault_entry, ..Retention::default() },
        prune_interval: Duration::from_millis(100),
        ..StoreOptions::default()
    }
}

/// Stores 50 turns a second; returns the time that each waited, sorted.
pub(crate) async fn keep_turns(
    store: &PostgresStore,
    label: &str,
    time: Duration,
) -> Vec<Duration> {
    let start = Instant::now();
    let turns = (0..).map(|nth| TURN_INTERVAL * nth).take_while(|due| *due < time);
    let turns = turns.enumerate().map(|(nth, due)| async move {
        tokio::time::sleep_until((start + due).into()).await;
        put(store, "ann", &[&format!("{label} {nth}"), label], &format!("{label} {nth}"));
        store.flush().await.unwrap();
        (start + due).elapsed()
    });
    let mut times = crate::support::join_all(turns).await;
    times.sort();
    times
}

/// The health report and the table have the same counts.
pub(crate) async fn assert_exact(store: &PostgresStore, test_schema: &TestSchema) {
    let count = "SELECT (SELECT count(*) FROM interlingua_records), \
                 (SELECT coalesce(sum(size), 0)::bigint FROM interlingua_records), \
                 (SELECT count(*) FROM interlingua_sessions)";
    let start = Instant::now();
    loop {
        let row = test_schema.admin.query_one(count, &[]).await.unwrap();
        let counted = [0, 1, 2].map(|nth| row.get::<_, i64>(nth).unsigned_abs());
        let health = store.health();
        if counted == [health.records, health.bytes, health.sessions] {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{counted:?}, but {health:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn expired_records_are_deleted_while_turns_are_stored() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    insert_old_records(&test_schema, 20_000).await;
    drop(store);
    let store = test_schema.open(cleaning_options());
    assert_eq!(store.health().records, 20_000, "known without counting");
    let start = Instant::now();
    keep_turns(&store, "turn", Duration::from_secs(1)).await;
    wait_until(|| store.health().records == 50).await;
    let rate = 20_000.0 / start.elapsed().as_secs_f64();
    assert!(rate > 1500.0, "{rate} a second");
    assert_eq!(find(&store, "ann", &["turn"]).await.len(), 50);
    assert_exact(&store, &test_schema).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn the_least_recently_used_records_go_first() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    insert_old_records(&test_schema, 5000).await;
    drop(store);
    let limits = RetentionLimits { max_age: Duration::MAX, max_bytes: 500_000 };
    let retention = Retention { vault_entry: limits, ..Retention::default() };
    let store = test_schema.open(StoreOptions { retention, ..cleaning_options() });
    wait_until(|| store.health().bytes <= 500_000).await;
    assert_exact(&store, &test_schema).await;
    let select = "SELECT min(id), max(id), count(*) FROM interlingua_records";
    let row = test_schema.admin.query_one(select, &[]).await.unwrap();
    let (oldest, newest, count): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    assert_eq!((newest, newest - oldest + 1), (5000, count));
    // A sixteenth more than needed, and no more.
    assert!((2300..=2344).contains(&count), "{count}");
}

/// All that changes the tables changes the sums, on every node.
#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn sums_are_exact() {
    let options =
        || StoreOptions { prune_interval: Duration::from_millis(50), ..StoreOptions::default() };
    let (one, test_schema) = fresh(options()).await;
    let two = test_schema.open(StoreOptions::default());
    let mut ids = Vec::new();
    for nth in 0..30 {
        for store in [&one, &two] {
            put(store, "ann", &[&format!("k{nth}")], "x");
            let id = create_session(store, "ann", "t", &["0"]).await.id;
            assert_eq!(store.append("ann", id, append_after(1, &["one", "two"])).await, Ok(3));
            ids.push((store, id));
        }
    }
    one.put(record(RecordKind::Lesson, "", &["l"], "learned"));
    one.flush().await.unwrap();
    two.flush().await.unwrap();
    for (store, id) in ids.iter().skip(40) {
        store.delete("ann", *id).await.unwrap();
    }
    assert_eq!(one.remove(RecordKind::VaultEntry, Some("ann"), Some("k3")).await, Ok(1));
    assert_exact(&one, &test_schema).await;
    // The rows of connections that have ended are added up.
    drop(two);
    wait_until(|| one.health().sessions == 40).await;
    assert_exact(&one, &test_schema).await;
}

/// A database from before the sums, with a version that does not know them still on it.
#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn the_version_before_the_sums_still_finds_its_store() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    put(&store, "ann", &["a"], "x");
    store.flush().await.unwrap();
    let id = create_session(&store, "ann", "t", &["0"]).await.id;
    drop(store);
    test_schema
        .tamper(
            "DROP TABLE interlingua_sums, interlingua_additions; \
             DROP FUNCTION interlingua_count_records, interlingua_count_sessions, \
             interlingua_count_changes CASCADE",
        )
        .await;
    insert_old_records(&test_schema, 1000).await;
    let options =
        StoreOptions { prune_interval: Duration::from_millis(50), ..StoreOptions::default() };
    let retention = Retention {
        vault_entry: RetentionLimits { max_age: Duration::MAX, max_bytes: 1 << 30 },
        ..Retention::default()
    };
    let store = test_schema.open(StoreOptions { retention, ..options });
    assert_eq!(bodies(&store, RecordKind::VaultEntry).await.len(), 1);
    assert_exact(&store, &test_schema).await;
    // What the other version reads and checks.
    let version = test_schema.admin.query("SELECT version FROM interlingua_schema", &[]).await;
    let versions: Vec<i64> = version.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(versions, [2]);
    // What it writes is counted.
    test_schema
        .tamper(
            "INSERT INTO interlingua_records (id, kind, owner, used, size, lock, digest, payload) \
             SELECT id + 5000, kind, owner, used, size, lock, digest || '1', payload \
             FROM interlingua_records WHERE id < 100; \
             DELETE FROM interlingua_records WHERE id BETWEEN 50 AND 80; \
             UPDATE interlingua_sessions SET bytes = bytes + 7",
        )
        .await;
    assert_exact(&store, &test_schema).await;
    assert_eq!(store.append("ann", id, append_after(1, &["1"])).await, Ok(2));
}

const TURN_INTERVAL: Duration = Duration::from_millis(20);
