//! Tests the SQLite store.

use std::path::Path;
use std::time::Duration;

use interlingua_store::{
    RecordKind, RecordStore as _, Retention, RetentionLimits, SqliteStore, StoreOptions,
};
use tempfile::TempDir;

use crate::records::record_tests;
use crate::sessions::session_tests;
use crate::support::{find, put, record};
use crate::usage::usage_tests;

record_tests!(fresh(StoreOptions::default()));
session_tests!(fresh(StoreOptions::default()));
usage_tests!(fresh(StoreOptions::default()));

/// With a cache so small that almost everything is read from the file.
mod with_little_memory {
    use super::*;
    record_tests!(fresh(StoreOptions { cache_bytes: 2000, ..StoreOptions::default() }));
}

pub(crate) fn open(folder: &Path, options: StoreOptions) -> SqliteStore {
    SqliteStore::open(folder.join("data").join("store.db"), options).unwrap()
}

pub(crate) fn fresh(options: StoreOptions) -> (SqliteStore, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (open(folder.path(), options), folder)
}

#[tokio::test]
async fn flushed_records_survive_a_restart() {
    let (store, folder) = fresh(StoreOptions::default());
    put(&store, "ann", &["a", "b"], "1");
    put(&store, "ann", &["b"], "2");
    store.put(record(RecordKind::Lesson, "", &["l"], "learned"));
    store.flush().await.unwrap();
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(find(&store, "ann", &["a", "b"]).await, ["a=1", "b=2", "b=1"]);
    assert_eq!(
        store.list_records(RecordKind::Lesson).await,
        [record(RecordKind::Lesson, "", &["l"], "learned")]
    );
    assert_eq!(store.health().records, 3);
    put(&store, "ann", &["b"], "3");
    assert_eq!(find(&store, "ann", &["b"]).await, ["b=3", "b=2", "b=1"]);
}

#[tokio::test]
async fn dropping_the_store_writes_pending_records() {
    let (store, folder) = fresh(StoreOptions::default());
    for nth in 0..2000 {
        put(&store, "", &[&format!("k{nth}")], "x");
    }
    drop(store);
    assert_eq!(
        open(folder.path(), StoreOptions::default())
            .list_records(RecordKind::VaultEntry)
            .await
            .len(),
        2000
    );
}

/// Keys that were looked up before need no database.
#[tokio::test]
async fn a_repeated_lookup_reads_no_file() {
    let (store, folder) = fresh(StoreOptions::default());
    put(&store, "", &["k7"], "x");
    store.flush().await.unwrap();
    let keys: Vec<_> = (0..300).map(|nth| format!("k{nth}")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    assert_eq!(find(&store, "", &keys).await, ["k7=x"]);
    std::fs::rename(folder.path().join("data"), folder.path().join("away")).unwrap();
    std::fs::remove_dir_all(folder.path().join("away")).unwrap();
    let start = std::time::Instant::now();
    assert_eq!(find(&store, "", &keys).await, ["k7=x"]);
    assert!(start.elapsed() < Duration::from_millis(50));
}

#[tokio::test]
async fn pruning_by_size_removes_the_least_recently_used() {
    let retention = Retention {
        vault_entry: RetentionLimits { max_age: Duration::from_hours(1), max_bytes: 200_000 },
        ..Retention::default()
    };
    let options = StoreOptions {
        retention,
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let (store, _folder) = fresh(options);
    let body = "x".repeat(1000);
    for nth in 0..500 {
        put(&store, "", &[&format!("k{nth}")], &format!("{nth} {body}"));
        if nth % 50 == 0 {
            store.flush().await.unwrap();
        }
    }
    wait_until(|| store.health().bytes <= 200_000).await;
    assert!(store.health().bytes > 100_000, "{:?}", store.health());
    assert_eq!(find(&store, "", &["k0"]).await, [""; 0]);
    assert_eq!(find(&store, "", &["k499"]).await.len(), 1);
}

#[tokio::test]
async fn pruning_by_age_spares_records_in_use() {
    let age = Duration::from_millis(1500);
    let retention = Retention {
        vault_entry: RetentionLimits { max_age: age, max_bytes: 1 << 30 },
        ..Retention::default()
    };
    let options = StoreOptions {
        retention,
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let (store, _folder) = fresh(options);
    put(&store, "", &["a"], "x");
    put(&store, "", &["b"], "x");
    for _ in 0..10 {
        tokio::time::sleep(age / 4).await;
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    }
    wait_until(|| store.health().records == 1).await;
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
}

/// Two stores stand for two processes.
#[tokio::test]
async fn two_stores_on_one_file_see_each_others_records() {
    let (one, folder) = fresh(StoreOptions::default());
    let two = open(folder.path(), StoreOptions::default());
    assert_eq!(find(&two, "", &["a"]).await, [""; 0]);
    for nth in 0..50 {
        put(&one, "", &[&format!("one {nth}")], "1");
        put(&two, "", &[&format!("two {nth}")], "2");
        put(&one, "", &["a"], &format!("{nth}"));
        if nth % 10 == 0 {
            one.flush().await.unwrap();
        }
    }
    one.flush().await.unwrap();
    two.flush().await.unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(find(&two, "", &["a"]).await.len(), 50);
    assert_eq!(find(&two, "", &["one 3", "two 3"]).await, ["one 3=1", "two 3=2"]);
    assert_eq!(one.list_records(RecordKind::VaultEntry).await.len(), 150);
    assert_eq!(one.health().error, None);
    assert_eq!(two.health().error, None);
}

pub(crate) async fn wait_until(done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the condition was not met in time");
}

#[tokio::test]
async fn a_file_without_records_is_known_to_be_empty_until_there_are_some() {
    let (store, folder) = fresh(StoreOptions::default());
    assert!(!store.is_known_empty(RecordKind::VaultEntry), "not known before the first lookup");
    assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
    assert!(store.is_known_empty(RecordKind::VaultEntry));
    // Another process on the same file.
    let other = open(folder.path(), StoreOptions::default());
    put(&other, "", &["a"], "x");
    other.flush().await.unwrap();
    let until_found = async {
        while find(&store, "", &["a"]).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), until_found).await.unwrap();
    assert!(!store.is_known_empty(RecordKind::VaultEntry));
    drop((store, other));
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(find(&store, "", &["b"]).await, [""; 0]);
    assert!(!store.is_known_empty(RecordKind::VaultEntry));
    store.remove(RecordKind::VaultEntry, None, None).await.unwrap();
    assert_eq!(find(&store, "", &["b", "c"]).await, [""; 0]);
    assert!(store.is_known_empty(RecordKind::VaultEntry));
}
