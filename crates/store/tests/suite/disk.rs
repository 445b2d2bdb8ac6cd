//! Files and disks that do not do what they should: nobody waits, nothing is lost that need not be, and
//! it is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use interlingua_store::{Kind, Options, Sqlite, Store as _};
use rusqlite::Connection;

use crate::shared::{bodies, find, keep, record};
use crate::sqlite::{fresh, open, until};

fn file(folder: &Path) -> PathBuf {
    folder.join("data").join("store.db")
}

/// The files beside the database that were moved aside.
pub(crate) fn aside(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("data")).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.to_string_lossy().contains(".broken-")).collect()
}

#[tokio::test]
async fn where_no_file_can_be_memory_serves_until_one_can() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), Options::default());
    assert!(store.health().trouble.is_some());
    keep(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
    assert_eq!(bodies(&store, Kind::Sealed).await, ["x"]);
    assert!(store.flush().await.is_err(), "it is not on disk");
    fs::remove_file(folder.path().join("data")).unwrap();
    until(|| store.health().trouble.is_none()).await;
    store.flush().await.unwrap();
    drop(store);
    assert_eq!(find(&open(folder.path(), Options::default()), "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn what_cannot_wait_is_dropped_but_no_lesson() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), Options { queue: 100_000, ..Options::default() });
    store.keep(record(Kind::Lesson, "", &["l"], "learned"));
    let body = "x".repeat(1000);
    for nth in 0..500 {
        keep(&store, "", &[&format!("k{nth}")], &body);
    }
    until(|| store.health().dropped > 380).await;
    fs::remove_file(folder.path().join("data")).unwrap();
    until(|| store.health().trouble.is_none() && store.health().waiting == 0).await;
    store.flush().await.unwrap();
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(bodies(&store, Kind::Lesson).await, ["learned"]);
    let there = bodies(&store, Kind::Sealed).await.len();
    assert!((40..120).contains(&there), "{there}");
    assert_eq!(find(&store, "", &["k499"]).await.len(), 1);
}

/// A disk that is full from some moment on, for many moments.
#[tokio::test]
async fn a_full_disk_keeps_what_it_has_and_takes_more_when_it_can() {
    for kib in (64..400).step_by(24) {
        let limit = Some(kib << 10);
        let (store, folder) = fresh(Options { limit, ..Options::default() });
        let body = "x".repeat(3000);
        let mut written = 0;
        while store.flush().await.is_ok() {
            written += 1;
            keep(&store, "", &[&format!("k{written}")], &format!("{written}{body}"));
            assert!(written < 200, "it does not fill");
        }
        assert!(store.health().trouble.is_some());
        // All are found, the last in memory only.
        for nth in 1..=written {
            assert_eq!(find(&store, "", &[&format!("k{nth}")]).await.len(), 1, "{nth} at {kib}");
        }
        store.remove(Kind::Sealed, Some(""), Some("k1")).await.unwrap();
        store.remove(Kind::Sealed, Some(""), Some("k2")).await.unwrap();
        until(|| store.health().trouble.is_none()).await;
        store.flush().await.unwrap();
        drop(store);
        let store = open(folder.path(), Options::default());
        assert_eq!(find(&store, "", &["k1", "k2"]).await, [""; 0]);
        assert_eq!(store.all(Kind::Sealed).await.len(), written - 2, "at {kib}");
        assert!(aside(folder.path()).is_empty());
    }
}

#[tokio::test]
async fn what_is_no_database_is_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let garbage = "something else. ".repeat(1000);
    fs::write(file(folder.path()), &garbage).unwrap();
    let store = open(folder.path(), Options::default());
    assert_eq!(store.health().trouble, None);
    let aside = aside(folder.path());
    assert_eq!(fs::read_to_string(&aside[0]).unwrap(), garbage);
    keep(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn what_is_not_ours_is_left_alone() {
    let changes = [
        ("PRAGMA user_version = 99", "newer version"),
        ("PRAGMA application_id = 7", "another program"),
    ];
    for (change, said) in changes {
        let (store, folder) = fresh(Options::default());
        keep(&store, "", &["a"], "x");
        drop(store);
        let connection = Connection::open(file(folder.path())).unwrap();
        connection.execute_batch(change).unwrap();
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(connection);
        let before = fs::read(file(folder.path())).unwrap();
        let store = open(folder.path(), Options::default());
        let trouble = store.health().trouble.unwrap().to_string();
        assert!(trouble.contains(said), "{trouble}");
        keep(&store, "", &["b"], "y");
        assert_eq!(find(&store, "", &["b"]).await, ["b=y"]);
        assert!(store.flush().await.is_err());
        drop(store);
        assert!(fs::read(file(folder.path())).unwrap() == before, "it was changed");
        assert!(aside(folder.path()).is_empty());
    }
}

/// Whatever bytes are wrong: no panic, no wrong body, and a store that works.
#[tokio::test]
async fn flipped_bytes_cost_what_they_hit_and_nothing_else() {
    let (store, folder) = fresh(Options::default());
    for nth in 0..30 {
        keep(&store, "", &[&format!("k{nth}")], &format!("{nth}").repeat(400));
    }
    drop(store);
    let whole = fs::read(file(folder.path())).unwrap();
    let mut random = 12_345_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % below
    };
    let mut damaged = 0;
    for trial in 0..150 {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let mut bytes = whole.clone();
        for _ in 0..=next(8) {
            let at = next(bytes.len());
            bytes[at] ^= 1 << next(8);
        }
        if trial % 10 == 0 {
            bytes.truncate(next(whole.len()));
        }
        fs::write(file(folder.path()), bytes).unwrap();
        let store = open(folder.path(), Options::default());
        let mut found = 0;
        for nth in 0..30 {
            let bodies = find(&store, "", &[&format!("k{nth}")]).await;
            let right = format!("k{nth}={}", format!("{nth}").repeat(400));
            assert!(bodies.iter().all(|body| *body == right), "another body");
            found += bodies.len();
        }
        damaged += 30 - found;
        keep(&store, "", &["new"], "x");
        assert_eq!(find(&store, "", &["new"]).await, ["new=x"], "trial {trial}");
    }
    assert!(damaged > 30, "nothing was hit: {damaged}");
}

#[tokio::test]
async fn a_file_that_is_taken_away_is_begun_anew() {
    let (store, folder) = fresh(Options::default());
    keep(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    fs::rename(folder.path().join("data"), folder.path().join("away")).unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    keep(&store, "", &["b"], "y");
    store.flush().await.unwrap();
    assert_eq!(store.health().trouble, None);
    drop(store);
    let store = Sqlite::open(file(folder.path()), Options::default()).unwrap();
    assert_eq!(find(&store, "", &["a", "b"]).await, ["b=y"]);
}

/// What is removed is in no file any more.
#[tokio::test]
async fn what_is_removed_is_overwritten() {
    let (store, folder) = fresh(Options::default());
    let canary = "canary in the store ".repeat(300);
    keep(&store, "", &["a"], &canary);
    keep(&store, "", &["b"], "x");
    store.flush().await.unwrap();
    assert!(holds(folder.path(), "canary"));
    assert_eq!(store.remove(Kind::Sealed, Some(""), Some("a")).await, Ok(1));
    assert!(!holds(folder.path(), "canary"));
    assert_eq!(find(&store, "", &["b"]).await, ["b=x"]);
}

/// Whether any file of a store has this text in it.
pub(crate) fn holds(folder: &Path, text: &str) -> bool {
    let files = fs::read_dir(folder.join("data")).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| fs::read(path).unwrap())
        .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}
