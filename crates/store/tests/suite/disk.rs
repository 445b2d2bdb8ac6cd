//! Tests damaged, missing and full SQLite files: nothing blocks, no other data is lost, and the
//! health report has the error.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use interlingua_store::{RecordKind, RecordStore as _, SqliteStore, StoreOptions};
use rusqlite::Connection;

use crate::sqlite::{fresh, open, wait_until};
use crate::support::{bodies, find, put, record};

fn file(folder: &Path) -> PathBuf {
    folder.join("data").join("store.db")
}

/// The damaged files next to the database.
pub(crate) fn moved_aside(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder.join("data")).unwrap().map(|file| file.unwrap().path());
    paths.filter(|path| path.to_string_lossy().contains(".broken-")).collect()
}

#[tokio::test]
async fn without_a_file_memory_serves_until_it_can_be_created() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert!(store.health().error.is_some());
    put(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
    assert_eq!(bodies(&store, RecordKind::VaultEntry).await, ["x"]);
    assert!(store.flush().await.is_err(), "it is not on disk");
    fs::remove_file(folder.path().join("data")).unwrap();
    wait_until(|| store.health().error.is_none()).await;
    store.flush().await.unwrap();
    drop(store);
    assert_eq!(find(&open(folder.path(), StoreOptions::default()), "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn a_full_queue_drops_records_but_no_lessons() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store =
        open(folder.path(), StoreOptions { queue_bytes: 100_000, ..StoreOptions::default() });
    store.put(record(RecordKind::Lesson, "", &["l"], "learned"));
    let body = "x".repeat(1000);
    for nth in 0..500 {
        put(&store, "", &[&format!("k{nth}")], &body);
    }
    wait_until(|| store.health().dropped_records > 380).await;
    fs::remove_file(folder.path().join("data")).unwrap();
    wait_until(|| store.health().error.is_none() && store.health().pending_records == 0).await;
    store.flush().await.unwrap();
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(bodies(&store, RecordKind::Lesson).await, ["learned"]);
    let count = bodies(&store, RecordKind::VaultEntry).await.len();
    assert!((40..120).contains(&count), "{count}");
    assert_eq!(find(&store, "", &["k499"]).await.len(), 1);
}

/// The disk fills up at different times.
#[tokio::test]
async fn a_full_disk_keeps_what_it_has_and_takes_more_when_it_can() {
    for kib in (64..400).step_by(24) {
        let limit = Some(kib << 10);
        let (store, folder) =
            fresh(StoreOptions { max_file_bytes: limit, ..StoreOptions::default() });
        let body = "x".repeat(3000);
        let mut written = 0;
        while store.flush().await.is_ok() {
            written += 1;
            put(&store, "", &[&format!("k{written}")], &format!("{written}{body}"));
            assert!(written < 200, "it does not fill");
        }
        assert!(store.health().error.is_some());
        // All are found, the last one only in memory.
        for nth in 1..=written {
            assert_eq!(find(&store, "", &[&format!("k{nth}")]).await.len(), 1, "{nth} at {kib}");
        }
        store.remove(RecordKind::VaultEntry, Some(""), Some("k1")).await.unwrap();
        store.remove(RecordKind::VaultEntry, Some(""), Some("k2")).await.unwrap();
        wait_until(|| store.health().error.is_none()).await;
        store.flush().await.unwrap();
        drop(store);
        let store = open(folder.path(), StoreOptions::default());
        assert_eq!(find(&store, "", &["k1", "k2"]).await, [""; 0]);
        assert_eq!(store.list_records(RecordKind::VaultEntry).await.len(), written - 2, "at {kib}");
        assert!(moved_aside(folder.path()).is_empty());
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let garbage = "something else. ".repeat(1000);
    fs::write(file(folder.path()), &garbage).unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(store.health().error, None);
    let aside = moved_aside(folder.path());
    assert_eq!(fs::read_to_string(&aside[0]).unwrap(), garbage);
    put(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn foreign_and_newer_files_are_left_alone() {
    let changes = [
        ("PRAGMA user_version = 99", "newer version"),
        ("PRAGMA application_id = 7", "another program"),
    ];
    for (change, expected) in changes {
        let (store, folder) = fresh(StoreOptions::default());
        put(&store, "", &["a"], "x");
        drop(store);
        let connection = Connection::open(file(folder.path())).unwrap();
        connection.execute_batch(change).unwrap();
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(connection);
        let before = fs::read(file(folder.path())).unwrap();
        let store = open(folder.path(), StoreOptions::default());
        let error = store.health().error.unwrap().to_string();
        assert!(error.contains(expected), "{error}");
        put(&store, "", &["b"], "y");
        assert_eq!(find(&store, "", &["b"]).await, ["b=y"]);
        assert!(store.flush().await.is_err());
        drop(store);
        assert!(fs::read(file(folder.path())).unwrap() == before, "it was changed");
        assert!(moved_aside(folder.path()).is_empty());
    }
}

/// Whichever bytes are wrong: no panic, no wrong body, and a working store.
#[tokio::test]
async fn flipped_bytes_damage_only_their_records() {
    let (store, folder) = fresh(StoreOptions::default());
    for nth in 0..30 {
        put(&store, "", &[&format!("k{nth}")], &format!("{nth}").repeat(400));
    }
    drop(store);
    let intact = fs::read(file(folder.path())).unwrap();
    let mut random = 12_345_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % below
    };
    let mut damaged = 0;
    for trial in 0..150 {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let mut bytes = intact.clone();
        for _ in 0..=next(8) {
            let index = next(bytes.len());
            bytes[index] ^= 1 << next(8);
        }
        if trial % 10 == 0 {
            bytes.truncate(next(intact.len()));
        }
        fs::write(file(folder.path()), bytes).unwrap();
        let store = open(folder.path(), StoreOptions::default());
        let mut found = 0;
        for nth in 0..30 {
            let bodies = find(&store, "", &[&format!("k{nth}")]).await;
            let expected = format!("k{nth}={}", format!("{nth}").repeat(400));
            assert!(bodies.iter().all(|body| *body == expected), "another body");
            found += bodies.len();
        }
        damaged += 30 - found;
        put(&store, "", &["new"], "x");
        assert_eq!(find(&store, "", &["new"]).await, ["new=x"], "trial {trial}");
    }
    assert!(damaged > 30, "no record was hit: {damaged}");
}

#[tokio::test]
async fn a_file_that_is_moved_away_is_created_again() {
    let (store, folder) = fresh(StoreOptions::default());
    put(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    fs::rename(folder.path().join("data"), folder.path().join("away")).unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    put(&store, "", &["b"], "y");
    store.flush().await.unwrap();
    assert_eq!(store.health().error, None);
    drop(store);
    let store = SqliteStore::open(file(folder.path()), StoreOptions::default()).unwrap();
    assert_eq!(find(&store, "", &["a", "b"]).await, ["b=y"]);
}

#[tokio::test]
async fn removed_records_are_overwritten() {
    let (store, folder) = fresh(StoreOptions::default());
    let canary = "canary in the store ".repeat(300);
    put(&store, "", &["a"], &canary);
    put(&store, "", &["b"], "x");
    store.flush().await.unwrap();
    assert!(contains_text(folder.path(), "canary"));
    assert_eq!(store.remove(RecordKind::VaultEntry, Some(""), Some("a")).await, Ok(1));
    assert!(!contains_text(folder.path(), "canary"));
    assert_eq!(find(&store, "", &["b"]).await, ["b=x"]);
}

/// Whether any file of a store contains this text.
pub(crate) fn contains_text(folder: &Path, text: &str) -> bool {
    let paths = fs::read_dir(folder.join("data")).unwrap().map(|file| file.unwrap().path());
    paths
        .map(|path| fs::read(path).unwrap())
        .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}
