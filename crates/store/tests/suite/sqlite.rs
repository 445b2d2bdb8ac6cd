//! The store in a file.

use std::path::Path;
use std::time::Duration;

use interlingua_store::{Keep, Kind, Options, Retention, Sqlite, Store as _};
use tempfile::TempDir;

use crate::accounts::accounts;
use crate::contract::suite;
use crate::sessions::sessions;
use crate::shared::{find, keep, record};

suite!(fresh(Options::default()));
sessions!(fresh(Options::default()));
accounts!(fresh(Options::default()));

/// With so little room in memory that almost everything is read from the file.
mod with_little_memory {
    use super::*;
    suite!(fresh(Options { cache: 2000, ..Options::default() }));
}

pub(crate) fn open(folder: &Path, options: Options) -> Sqlite {
    Sqlite::open(folder.join("data").join("store.db"), options).unwrap()
}

pub(crate) fn fresh(options: Options) -> (Sqlite, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (open(folder.path(), options), folder)
}

#[tokio::test]
async fn what_was_flushed_survives_a_restart() {
    let (store, folder) = fresh(Options::default());
    keep(&store, "ann", &["a", "b"], "1");
    keep(&store, "ann", &["b"], "2");
    store.keep(record(Kind::Lesson, "", &["l"], "learned"));
    store.flush().await.unwrap();
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(find(&store, "ann", &["a", "b"]).await, ["a=1", "b=2", "b=1"]);
    assert_eq!(store.all(Kind::Lesson).await, [record(Kind::Lesson, "", &["l"], "learned")]);
    assert_eq!(store.health().records, 3);
    keep(&store, "ann", &["b"], "3");
    assert_eq!(find(&store, "ann", &["b"]).await, ["b=3", "b=2", "b=1"]);
}

#[tokio::test]
async fn an_orderly_end_writes_what_waits() {
    let (store, folder) = fresh(Options::default());
    for nth in 0..2000 {
        keep(&store, "", &[&format!("k{nth}")], "x");
    }
    drop(store);
    assert_eq!(open(folder.path(), Options::default()).all(Kind::Sealed).await.len(), 2000);
}

/// Without a database below it, a history that was asked for before is answered as before.
#[tokio::test]
async fn a_history_costs_no_reading_the_second_time() {
    let (store, folder) = fresh(Options::default());
    keep(&store, "", &["k7"], "x");
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
async fn what_is_too_much_goes_and_what_is_needed_stays() {
    let retention = Retention {
        sealed: Keep { age: Duration::from_hours(1), bytes: 200_000 },
        ..Retention::default()
    };
    let options = Options { retention, tidy: Duration::from_millis(10), ..Options::default() };
    let (store, _folder) = fresh(options);
    let body = "x".repeat(1000);
    for nth in 0..500 {
        keep(&store, "", &[&format!("k{nth}")], &format!("{nth} {body}"));
        if nth % 50 == 0 {
            store.flush().await.unwrap();
        }
    }
    until(|| store.health().bytes <= 200_000).await;
    assert!(store.health().bytes > 100_000, "{:?}", store.health());
    assert_eq!(find(&store, "", &["k0"]).await, [""; 0]);
    assert_eq!(find(&store, "", &["k499"]).await.len(), 1);
}

#[tokio::test]
async fn what_is_too_old_goes_and_what_is_asked_for_stays() {
    let age = Duration::from_millis(1500);
    let retention = Retention { sealed: Keep { age, bytes: 1 << 30 }, ..Retention::default() };
    let options = Options { retention, tidy: Duration::from_millis(10), ..Options::default() };
    let (store, _folder) = fresh(options);
    keep(&store, "", &["a"], "x");
    keep(&store, "", &["b"], "x");
    for _ in 0..10 {
        tokio::time::sleep(age / 4).await;
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    }
    until(|| store.health().records == 1).await;
    assert_eq!(find(&store, "", &["a", "b"]).await, ["a=x"]);
}

/// Two processes are two stores that know nothing of each other.
#[tokio::test]
async fn two_on_one_file_hear_of_each_other() {
    let (one, folder) = fresh(Options::default());
    let two = open(folder.path(), Options::default());
    assert_eq!(find(&two, "", &["a"]).await, [""; 0]);
    for nth in 0..50 {
        keep(&one, "", &[&format!("one {nth}")], "1");
        keep(&two, "", &[&format!("two {nth}")], "2");
        keep(&one, "", &["a"], &format!("{nth}"));
        if nth % 10 == 0 {
            one.flush().await.unwrap();
        }
    }
    one.flush().await.unwrap();
    two.flush().await.unwrap();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(find(&two, "", &["a"]).await.len(), 50);
    assert_eq!(find(&two, "", &["one 3", "two 3"]).await, ["one 3=1", "two 3=2"]);
    assert_eq!(one.all(Kind::Sealed).await.len(), 150);
    assert_eq!(one.health().trouble, None);
    assert_eq!(two.health().trouble, None);
}

pub(crate) async fn until(done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it does not come to that");
}

#[tokio::test]
async fn a_file_without_records_is_known_to_be_empty_until_there_are_some() {
    let (store, folder) = fresh(Options::default());
    assert!(!store.is_empty(Kind::Sealed), "nobody has looked");
    assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
    assert!(store.is_empty(Kind::Sealed));
    // Somebody else with the same file.
    let other = open(folder.path(), Options::default());
    keep(&other, "", &["a"], "x");
    other.flush().await.unwrap();
    let seen = async {
        while find(&store, "", &["a"]).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), seen).await.unwrap();
    assert!(!store.is_empty(Kind::Sealed));
    drop((store, other));
    let store = open(folder.path(), Options::default());
    assert_eq!(find(&store, "", &["b"]).await, [""; 0]);
    assert!(!store.is_empty(Kind::Sealed));
    store.remove(Kind::Sealed, None, None).await.unwrap();
    assert_eq!(find(&store, "", &["b", "c"]).await, [""; 0]);
    assert!(store.is_empty(Kind::Sealed));
}
