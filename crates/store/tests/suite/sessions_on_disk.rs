//! Tests sessions in a SQLite file: damage, encryption, pruning and full disks.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use interlingua_store::{
    EncryptionKey, NewSession, NoopStore, RecordKind, RecordStore as _, Retention, RetentionLimits,
    SessionError, SessionId, SessionStore as _, SqliteStore, StoreOptions,
};
use rusqlite::Connection;

use crate::disk::contains_text;
use crate::sessions::{append_after, bodies, create_session, new_session, read_all, session_tests};
use crate::sqlite::{fresh, open, wait_until};
use crate::support::{find, join_all, put};

const KEY: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER_KEY: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

fn options_with_key(key: &str) -> StoreOptions {
    StoreOptions {
        encryption_key: Some(EncryptionKey::new(key).unwrap()),
        ..StoreOptions::default()
    }
}

mod with_a_key {
    use super::*;
    session_tests!(fresh(options_with_key(KEY)));
}

/// Changes the file behind the store's back.
fn tamper(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join("data").join("store.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn acknowledged_turns_survive_a_restart() {
    let (store, folder) = fresh(StoreOptions::default());
    let id = create_session(&store, "ann", "t", &["0"]).await.id;
    store.append("ann", id, append_after(1, &["1"])).await.unwrap();
    let before = read_all(&store, "ann", id).await;
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(read_all(&store, "ann", id).await, before);
    assert_eq!(store.append("ann", id, append_after(2, &["2"])).await, Ok(3));
    assert_eq!(store.health().sessions, 1);
}

/// A file of schema version 1 has records and no sessions.
#[tokio::test]
async fn a_file_of_the_first_version_is_migrated() {
    let (store, folder) = fresh(StoreOptions::default());
    put(&store, "", &["a"], "x");
    drop(store);
    let drop_tables =
        "DROP TABLE turns; DROP TABLE sessions; DROP TABLE usage; DROP TABLE batches;";
    tamper(folder.path(), &format!("{drop_tables} PRAGMA user_version = 1;"));
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(store.health().error, None);
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    let id = create_session(&store, "", "t", &["0"]).await.id;
    drop(store);
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(bodies(&read_all(&store, "", id).await), ["0"]);
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn a_damaged_turn_is_reported_and_all_others_are_read() {
    let damages = [
        "UPDATE turns SET payload = CAST('y' || payload AS BLOB) WHERE number = 2",
        "UPDATE turns SET payload = x'' WHERE number = 2",
        "UPDATE turns SET state = 1 WHERE number = 2",
        "UPDATE turns SET state = 9 WHERE number = 2",
        "UPDATE turns SET at = at + 1 WHERE number = 2",
        "DELETE FROM turns WHERE number = 2",
        "UPDATE turns SET payload = (SELECT payload FROM turns WHERE number = 1) WHERE number = 2",
    ];
    for damage in damages {
        for options in [StoreOptions::default(), options_with_key(KEY)] {
            let (store, folder) = fresh(options);
            let id = create_session(&store, "", "t", &["zero", "one", "two", "three"]).await.id;
            tamper(folder.path(), damage);
            for _ in 0..2 {
                let contents = read_all(&store, "", id).await;
                assert_eq!(bodies(&contents), ["zero", "one", "three"], "{damage}");
                assert_eq!(contents.damaged_turns, [2], "{damage}");
                assert_eq!(store.health().damaged_rows, 1, "{damage}");
            }
            assert_eq!(store.append("", id, append_after(4, &["four"])).await, Ok(5));
            let fork = store.fork("", id, 4).await.unwrap();
            let contents = read_all(&store, "", fork.id).await;
            assert_eq!(
                (bodies(&contents).len(), &*contents.damaged_turns, fork.turn_count),
                (3, &[2][..], 4)
            );
        }
    }
}

#[tokio::test]
async fn a_damaged_title_costs_only_the_title() {
    let (store, folder) = fresh(StoreOptions::default());
    let id = create_session(&store, "", "title", &["zero"]).await.id;
    tamper(folder.path(), "UPDATE sessions SET about = x'0102'");
    let contents = read_all(&store, "", id).await;
    assert!(contents.info.is_damaged);
    assert_eq!((bodies(&contents), &*contents.info.title), (vec!["zero".to_owned()], ""));
    assert_eq!(store.append("", id, append_after(1, &["one"])).await, Ok(2));
    store.update_details("", id, "again".into(), bytes::Bytes::new()).await.unwrap();
    assert_eq!(&*read_all(&store, "", id).await.info.title, "again");
}

#[tokio::test]
async fn with_a_key_nothing_in_the_file_is_readable() {
    let (store, folder) = fresh(options_with_key(KEY));
    let draft = NewSession {
        metadata: b"canary".to_vec().into(),
        model: "canary".into(),
        ..new_session("canary", &["canary"])
    };
    let id = store.create("canary", draft).await.unwrap().id;
    assert!(!contains_text(folder.path(), "canary"));
    drop(store);
    for options in [options_with_key(OTHER_KEY), StoreOptions::default()] {
        let store = open(folder.path(), options);
        assert_eq!(store.health().foreign_key_rows, 1);
        assert_eq!(store.read("canary", id, 0..9).await, Err(SessionError::NotFound));
        assert_eq!(store.list("canary", None, 9).await.unwrap().sessions, []);
    }
    let store = open(folder.path(), options_with_key(KEY));
    assert_eq!(bodies(&read_all(&store, "canary", id).await), ["canary"]);
}

#[tokio::test]
async fn rows_from_before_the_key_are_encrypted() {
    let (store, folder) = fresh(StoreOptions::default());
    let mut ids = Vec::new();
    for nth in 0..40 {
        ids.push(
            create_session(&store, "ann", &format!("canary {nth}"), &["canary 0", "canary 1"])
                .await,
        );
    }
    drop(store);
    let store = open(folder.path(), options_with_key(KEY));
    let page = store.list("ann", None, 100).await.unwrap();
    assert_eq!(page.sessions.len(), 40);
    assert_eq!(store.append("ann", ids[0].id, append_after(2, &["canary 2"])).await, Ok(3));
    wait_until(|| !contains_text(folder.path(), "canary")).await;
    let page = store.list("ann", None, 100).await.unwrap().sessions;
    assert_eq!((page.len(), page[0].id), (40, ids[0].id));
    assert_eq!(
        bodies(&read_all(&store, "ann", ids[0].id).await),
        ["canary 0", "canary 1", "canary 2"]
    );
    let info = read_all(&store, "ann", ids[7].id).await.info;
    assert_eq!((&info.title, info.updated), (&ids[7].title, ids[7].updated));
    assert_eq!(store.delete_all("ann").await, Ok(40));
}

fn options_with_limits(age: Duration, bytes: u64) -> StoreOptions {
    let session = RetentionLimits { max_age: age, max_bytes: bytes };
    let retention = Retention { session, ..Retention::default() };
    StoreOptions { retention, prune_interval: Duration::from_millis(10), ..StoreOptions::default() }
}

#[tokio::test]
async fn pruning_by_age_spares_sessions_in_use() {
    let (store, _folder) = fresh(options_with_limits(Duration::from_millis(1500), 1 << 30));
    let stays = create_session(&store, "", "stays", &[]).await.id;
    create_session(&store, "", "goes", &["0"]).await;
    for seen in 0..8 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(store.append("", stays, append_after(seen, &["x"])).await, Ok(seen + 1));
    }
    wait_until(|| store.health().sessions == 1).await;
    assert_eq!(read_all(&store, "", stays).await.turns.len(), 8);
}

#[tokio::test]
async fn pruning_by_size_removes_the_oldest_first() {
    let (store, _folder) = fresh(options_with_limits(Duration::from_hours(1), 100_000));
    let text = "x".repeat(1000);
    let mut ids = Vec::new();
    for _ in 0..300 {
        ids.push(create_session(&store, "", "", &[&text]).await.id);
    }
    wait_until(|| store.health().sessions < 100).await;
    assert!(store.health().sessions > 60, "{:?}", store.health());
    assert_eq!(store.read("", ids[0], 0..1).await, Err(SessionError::NotFound));
    assert_eq!(read_all(&store, "", ids[299]).await.turns.len(), 1);
    let huge = "x".repeat(200_000);
    let last = create_session(&store, "", "", &[&huge]).await.id;
    wait_until(|| store.health().sessions == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(read_all(&store, "", last).await.turns.len(), 1, "the last one stays");
}

#[tokio::test]
async fn deleted_sessions_are_overwritten() {
    let (store, folder) = fresh(StoreOptions::default());
    let canary = "canary in the store ".repeat(300);
    let id = create_session(&store, "", "canary", &[&canary]).await.id;
    assert!(contains_text(folder.path(), "canary"));
    store.delete("", id).await.unwrap();
    assert!(!contains_text(folder.path(), "canary"));
}

#[tokio::test]
async fn without_a_file_operations_fail() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    let is_store_error = |error| matches!(error, SessionError::Store(_));
    assert!(store.create("", new_session("t", &["0"])).await.is_err_and(is_store_error));
    assert!(store.list("", None, 9).await.is_err_and(is_store_error));
    fs::remove_file(folder.path().join("data")).unwrap();
    wait_until(|| store.health().error.is_none()).await;
    let id = create_session(&store, "", "t", &["0"]).await.id;
    assert_eq!(
        store.list("", None, 9).await.unwrap().sessions.len(),
        1,
        "the failed write was not made later"
    );
    assert_eq!(bodies(&read_all(&store, "", id).await), ["0"]);
}

/// The disk fills up at different times: exactly what was acknowledged is stored.
#[tokio::test]
async fn on_a_full_disk_appends_are_atomic() {
    let text = "x".repeat(3000);
    for kib in (128..400).step_by(64) {
        let (store, folder) =
            fresh(StoreOptions { max_file_bytes: Some(kib << 10), ..StoreOptions::default() });
        let deleted = create_session(&store, "", "goes", &[&text, &text, &text, &text]).await.id;
        let id = create_session(&store, "", "t", &[]).await.id;
        let mut seen = 0;
        let append_error = loop {
            match store.append("", id, append_after(seen, &[&text, "end"])).await {
                Ok(turns) => seen = turns,
                Err(error) => break error,
            }
            assert!(seen < 500, "it does not fill");
        };
        assert!(matches!(append_error, SessionError::Store(_)), "{append_error}");
        assert!(store.health().error.is_some());
        assert_eq!(read_all(&store, "", id).await.info.turn_count, seen, "at {kib}");
        store.delete("", deleted).await.unwrap();
        assert_eq!(store.append("", id, append_after(seen, &[&text, "end"])).await, Ok(seen + 2));
        drop(store);
        let store = open(folder.path(), StoreOptions::default());
        let contents = read_all(&store, "", id).await;
        assert_eq!(
            (contents.info.turn_count, contents.damaged_turns),
            (seen + 2, vec![]),
            "at {kib}"
        );
    }
}

/// Two stores stand for two processes.
#[tokio::test]
async fn a_session_may_move_between_processes() {
    let (one, folder) = fresh(StoreOptions::default());
    let two = open(folder.path(), StoreOptions::default());
    let id = create_session(&one, "", "t", &[]).await.id;
    for seen in (0..40).step_by(2) {
        assert_eq!(one.append("", id, append_after(seen, &["one"])).await, Ok(seen + 1));
        assert_eq!(two.append("", id, append_after(seen + 1, &["two"])).await, Ok(seen + 2));
        assert_eq!(read_all(&one, "", id).await.info.turn_count, seen + 2);
    }
    let conflict = Err(SessionError::Conflict { turns: 40 });
    assert_eq!(one.append("", id, append_after(39, &["late"])).await, conflict);
}

#[tokio::test]
async fn a_noop_store_returns_disabled() {
    let error = NoopStore::default().create("", new_session("t", &[])).await.unwrap_err();
    assert_eq!(error, SessionError::Disabled);
    assert!(error.to_string().contains("turned off"));
    assert_eq!(NoopStore::default().list("", None, 9).await, Err(SessionError::Disabled));
    let id: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    assert_eq!(
        NoopStore::default().append("", id, append_after(0, &[])).await,
        Err(SessionError::Disabled)
    );
}

/// Whichever bytes are wrong: no wrong turn, and almost all of the others.
#[tokio::test]
async fn flipped_bytes_damage_only_their_turns() {
    let (store, folder) = fresh(StoreOptions::default());
    let text = |session: usize, turn: usize| format!("{session}/{turn} ").repeat(60);
    let mut ids = Vec::new();
    for session in 0..20 {
        let texts: Vec<_> = (0..10).map(|turn| text(session, turn)).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        ids.push(create_session(&store, "", &session.to_string(), &texts).await.id);
    }
    drop(store);
    let intact = fs::read(folder.path().join("data").join("store.db")).unwrap();
    let mut random = 99_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % below
    };
    let (mut turns_read, mut damaged, mut missing) = (0, 0, 0);
    for trial in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let mut bytes = intact.clone();
        for _ in 0..=next(4) {
            // Not in the file header.
            let at = 100 + next(bytes.len() - 100);
            bytes[at] ^= 1 << next(8);
        }
        fs::write(folder.path().join("data").join("store.db"), bytes).unwrap();
        let store = open(folder.path(), StoreOptions::default());
        for (session, id) in ids.iter().enumerate() {
            let Ok(contents) = store.read("", *id, 0..10).await else {
                missing += 1;
                continue;
            };
            damaged += contents.damaged_turns.len();
            turns_read += contents.turns.len();
            for (body, numbered_turn) in bodies(&contents).iter().zip(&contents.turns) {
                let number = usize::try_from(numbered_turn.number).unwrap();
                assert_eq!(*body, text(session, number), "trial {trial}");
            }
        }
        create_session(&store, "", "new", &["0"]).await;
    }
    assert!(damaged > 50, "no turn was hit: {damaged}");
    assert!(
        turns_read > 18_000,
        "{turns_read} turns are there, {damaged} damaged, {missing} sessions gone"
    );
}

#[tokio::test]
async fn a_page_of_a_hundred_thousand_sessions_is_fast() {
    let (store, _folder) = fresh(StoreOptions::default());
    fill(&store, 100_000).await;
    let (mut cursor, mut times) = (None, Vec::new());
    for _ in 0..21 {
        let start = Instant::now();
        let page = store.list("ann", cursor, 100).await.unwrap();
        times.push(start.elapsed());
        assert_eq!(page.sessions.len(), 100);
        cursor = page.next;
    }
    times.sort();
    assert!(times[10] < Duration::from_millis(50), "{times:?}");
    assert_eq!(store.list_records(RecordKind::VaultEntry).await, []);
}

async fn fill(store: &SqliteStore, count: usize) {
    for _ in 0..count / 1000 {
        let drafts = (0..1000).map(|nth| new_session(&format!("Conversation {nth}"), &["0"]));
        let results = join_all(drafts.map(|draft| store.create("ann", draft))).await;
        assert!(results.iter().all(Result::is_ok));
    }
}
