//! Tests that usage on disk survives restarts and kills, and counts exactly once whatever fails.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use interlingua_store::{
    Day, EncryptionKey, NoopStore, PostgresStore, RecordKind, RecordStore as _, Retention,
    SessionError, Store, StoreOptions, UsageStore as _, UsageTotals,
};

use crate::disk::{contains_text, moved_aside};
use crate::kill_sessions::DATABASE;
use crate::sqlite::{fresh, open, wait_until};
use crate::support::record;
use crate::usage::{local_load, turn};

const FOLDER: &str = "INTERLINGUA_STORE_COUNTED_FOLDER";
const KEY: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";

/// Requests and output of an owner today.
async fn usage_today(store: &dyn Store, owner: &str) -> (u64, u64) {
    let day = Day::today();
    let usage = store.usage(day..=day, Some(owner)).await.unwrap();
    let add =
        |sums: (u64, u64), totals: &UsageTotals| (sums.0 + totals.requests, sums.1 + totals.output);
    usage.iter().fold((0, 0), |sums, usage| add(sums, &usage.totals))
}

#[tokio::test]
async fn usage_survives_a_restart() {
    let (store, folder) = fresh(StoreOptions::default());
    for _ in 0..3 {
        store.add_usage(Day::today(), "ann", "p/m", &turn(6));
    }
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(store.tokens_used(Day::today(), "ann"), 0, "the total was not read yet");
    store.sync_load(vec![local_load("ann")]).await.unwrap();
    assert_eq!(store.tokens_used(Day::today(), "ann"), 30);
    store.add_usage(Day::today(), "ann", "p/m", &turn(6));
    assert_eq!(store.tokens_used(Day::today(), "ann"), 40);
    assert_eq!(usage_today(&store, "ann").await, (4, 24));
}

#[tokio::test]
async fn usage_is_written_without_a_request() {
    let (store, folder) = fresh(StoreOptions::default());
    store.add_usage(Day::today(), "ann", "p/m", &turn(6));
    let file = folder.path().join("data").join("store.db");
    wait_until(|| {
        let connection = rusqlite::Connection::open(&file).unwrap();
        let rows =
            connection.query_row("SELECT count(*) FROM usage", [], |row| row.get::<_, i64>(0));
        rows == Ok(1)
    })
    .await;
    drop(store);
}

#[tokio::test]
async fn two_processes_on_one_file_add_to_the_same_sums() {
    let (one, folder) = fresh(StoreOptions::default());
    let two = open(folder.path(), StoreOptions::default());
    for nth in 0..30 {
        for store in [&one, &two] {
            store.add_usage(Day::today(), "ann", "p/m", &turn(6));
        }
        if nth % 5 == 0 {
            one.sync_load(vec![local_load("ann")]).await.unwrap();
        }
    }
    two.sync_load(vec![local_load("ann")]).await.unwrap();
    one.sync_load(vec![local_load("ann")]).await.unwrap();
    assert_eq!(one.tokens_used(Day::today(), "ann"), 600);
    assert_eq!(usage_today(&two, "ann").await, (60, 360));
}

#[tokio::test]
async fn usage_that_cannot_be_written_waits_and_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    for nth in 1..=5 {
        store.add_usage(Day::today(), "ann", "p/m", &turn(6));
        assert!(store.sync_load(vec![local_load("ann")]).await.is_err());
        assert_eq!(store.tokens_used(Day::today(), "ann"), 10 * nth);
    }
    assert!(store.usage(Day::today()..=Day::today(), None).await.is_err());
    fs::remove_file(folder.path().join("data")).unwrap();
    wait_until(|| store.health().error.is_none()).await;
    assert_eq!(usage_today(&store, "ann").await, (5, 30));
    assert_eq!(store.tokens_used(Day::today(), "ann"), 50);
}

/// The stored schema is damaged, the rows are intact.
#[tokio::test]
async fn api_keys_and_usage_are_salvaged_from_a_damaged_file() {
    let (store, folder) = fresh(StoreOptions::default());
    for nth in 0..40 {
        store.add_usage(Day::today(), "ann", &format!("p/{nth}"), &turn(6));
        store.put(record(RecordKind::ApiKey, "", &[&format!("name {nth}")], &format!("key {nth}")));
        store.put(record(RecordKind::VaultEntry, "", &["a"], &format!("{nth}")));
    }
    drop(store);
    let file = folder.path().join("data").join("store.db");
    let mut bytes = fs::read(&file).unwrap();
    let trigger = b"bytes = bytes - old.size";
    let index = bytes.windows(trigger.len()).position(|part| part == trigger).unwrap();
    bytes[index] ^= 1;
    fs::write(&file, bytes).unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(store.health().error, None);
    assert!(!moved_aside(folder.path()).is_empty(), "the damage was not detected");
    assert_eq!(usage_today(&store, "ann").await, (40, 240));
    assert_eq!(store.list_records(RecordKind::ApiKey).await.len(), 40);
    assert_eq!(store.remove(RecordKind::ApiKey, Some(""), Some("name 7")).await, Ok(1));
    assert_eq!(store.list_records(RecordKind::VaultEntry).await.len(), 0);
}

#[tokio::test]
async fn old_days_are_deleted() {
    let day = Duration::from_hours(24);
    let retention = Retention { usage_age: 2 * day, ..Retention::default() };
    let options = StoreOptions {
        retention,
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let (store, _folder) = fresh(options);
    for ago in 0..6 {
        store.add_usage(Day::today().minus_days(ago), "ann", "p/m", &turn(6));
    }
    let days = Day::today().minus_days(9)..=Day::today();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let usage = store.usage(days.clone(), None).await.unwrap();
        if usage.len() == 3 {
            assert_eq!(usage[0].day, Day::today().minus_days(2));
            return;
        }
    }
    panic!("old days were not deleted");
}

#[tokio::test]
async fn with_a_key_owners_and_models_are_unreadable() {
    let (store, folder) = fresh(StoreOptions::default());
    store.add_usage(Day::today(), "canary", "p/canary", &turn(6));
    drop(store);
    assert!(contains_text(folder.path(), "canary"));
    let secret = || Some(EncryptionKey::new(KEY).unwrap());
    let options = || StoreOptions {
        encryption_key: secret(),
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let store = open(folder.path(), options());
    store.add_usage(Day::today(), "canary", "p/canary", &turn(6));
    store.sync_load(vec![local_load("canary")]).await.unwrap();
    assert_eq!(store.tokens_used(Day::today(), "canary"), 20, "usage from before the key counts");
    assert_eq!(usage_today(&store, "canary").await, (2, 12));
    wait_until(|| !contains_text(folder.path(), "canary")).await;
    assert_eq!(usage_today(&store, "canary").await, (2, 12));
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(usage_today(&store, "canary").await, (0, 0));
}

#[tokio::test]
async fn a_noop_store_knows_only_todays_tokens() {
    let store = NoopStore::default();
    store.add_usage(Day::today(), "ann", "p/m", &turn(6));
    store.add_usage(Day::today(), "ann", "p/m", &turn(6));
    assert_eq!(store.tokens_used(Day::today(), "ann"), 20);
    let usage = store.usage(Day::today()..=Day::today(), None).await;
    assert_eq!(usage, Err(SessionError::Disabled));
}

/// The process that is killed. It prints how many requests are in the database.
#[tokio::test]
#[ignore = "started by the tests below"]
async fn victim() {
    if let Ok(url) = std::env::var(DATABASE) {
        count(&PostgresStore::open(&url, StoreOptions::default()).unwrap()).await;
    } else if let Ok(folder) = std::env::var(FOLDER) {
        count(&open(Path::new(&folder), StoreOptions::default())).await;
    }
}

#[expect(clippy::print_stdout, reason = "the test that kills it reads the output")]
async fn count(store: &dyn Store) {
    let mut total = usage_today(store, "ann").await.0;
    loop {
        for nth in 0..REQUESTS_PER_SYNC {
            store.add_usage(Day::today(), "ann", &format!("p/{nth}"), &turn(2));
        }
        store.sync_load(vec![local_load("ann")]).await.unwrap();
        total += REQUESTS_PER_SYNC;
        println!("counted {total}");
    }
}

/// Kills the process at a different time in each round: what it printed is stored, and the batch in
/// progress is stored entirely or not at all.
pub(crate) async fn kill(env: (&str, &str), reopen: impl Fn() -> Box<dyn Store>) {
    for round in 0..ROUNDS {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "usage_on_disk::victim"])
            .env(env.0, env.1)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let counts = lines.map_while(Result::ok).filter_map(|line| {
            line.rsplit_once("counted ").and_then(|(_, nth)| nth.parse::<u64>().ok())
        });
        let mut last_count = None;
        for (nth, count) in (0..).zip(counts) {
            last_count = Some(count);
            if nth == 2 + round % 5 {
                std::thread::sleep(Duration::from_micros(round * 787 % 5000));
                victim.kill().unwrap();
            }
        }
        victim.wait().unwrap();
        let (requests, output) = usage_today(&*reopen(), "ann").await;
        let last_count = last_count.unwrap();
        assert!(
            requests == last_count || requests == last_count + REQUESTS_PER_SYNC,
            "{requests} of {last_count}"
        );
        assert_eq!(output, 2 * requests);
    }
}

#[tokio::test]
async fn a_kill_loses_nothing_and_counts_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    kill((FOLDER, path), || Box::new(open(folder.path(), StoreOptions::default()))).await;
}

/// Requests per sync.
const REQUESTS_PER_SYNC: u64 = 3;
const ROUNDS: u64 = 20;
