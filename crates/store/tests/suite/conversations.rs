//! Conversations in a file: what happens to the file happens to them, and is told.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use interlingua_store::{
    Draft, Keep, Kind, Nothing, Options, Retention, Secret, SessionError, SessionId, Sessions as _,
    Sqlite, Store as _,
};
use rusqlite::Connection;

use crate::disk::holds;
use crate::sessions::{after, begin, bodies, draft, sessions, whole};
use crate::shared::{find, keep, together};
use crate::sqlite::{fresh, open, until};

const ONE: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

fn with(key: &str) -> Options {
    Options { secret: Some(Secret::new(key).unwrap()), ..Options::default() }
}

mod under_a_key {
    use super::*;
    sessions!(fresh(with(ONE)));
}

/// Something done to the file by somebody else.
fn tamper(folder: &Path, with: &str) {
    let connection = Connection::open(folder.join("data").join("store.db")).unwrap();
    connection.execute_batch(with).unwrap();
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_restart() {
    let (store, folder) = fresh(Options::default());
    let id = begin(&store, "ann", "t", &["0"]).await.id;
    store.append("ann", id, after(1, &["1"])).await.unwrap();
    let before = whole(&store, "ann", id).await;
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(whole(&store, "ann", id).await, before);
    assert_eq!(store.append("ann", id, after(2, &["2"])).await, Ok(3));
    assert_eq!(store.health().sessions, 1);
}

/// A file of the first version has records and knows no conversations.
#[tokio::test]
async fn a_file_of_the_first_version_is_brought_to_this_one() {
    let (store, folder) = fresh(Options::default());
    keep(&store, "", &["a"], "x");
    drop(store);
    let later = "DROP TABLE turns; DROP TABLE sessions; DROP TABLE usage; DROP TABLE batches;";
    tamper(folder.path(), &format!("{later} PRAGMA user_version = 1;"));
    let store = open(folder.path(), Options::default());
    assert_eq!(store.health().trouble, None);
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    let id = begin(&store, "", "t", &["0"]).await.id;
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(bodies(&whole(&store, "", id).await), ["0"]);
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
}

#[tokio::test]
async fn a_damaged_turn_is_told_and_all_others_are_read() {
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
        for options in [Options::default(), with(ONE)] {
            let (store, folder) = fresh(options);
            let id = begin(&store, "", "t", &["zero", "one", "two", "three"]).await.id;
            tamper(folder.path(), damage);
            for _ in 0..2 {
                let read = whole(&store, "", id).await;
                assert_eq!(bodies(&read), ["zero", "one", "three"], "{damage}");
                assert_eq!(read.damaged, [2], "{damage}");
                assert_eq!(store.health().damaged, 1, "{damage}");
            }
            assert_eq!(store.append("", id, after(4, &["four"])).await, Ok(5));
            let fork = store.fork("", id, 4).await.unwrap();
            let read = whole(&store, "", fork.id).await;
            assert_eq!((bodies(&read).len(), &*read.damaged, fork.turns), (3, &[2][..], 4));
        }
    }
}

#[tokio::test]
async fn a_damaged_title_costs_the_title() {
    let (store, folder) = fresh(Options::default());
    let id = begin(&store, "", "title", &["zero"]).await.id;
    tamper(folder.path(), "UPDATE sessions SET about = x'0102'");
    let read = whole(&store, "", id).await;
    assert!(read.session.is_damaged);
    assert_eq!((bodies(&read), &*read.session.title), (vec!["zero".to_owned()], ""));
    assert_eq!(store.append("", id, after(1, &["one"])).await, Ok(2));
    store.describe("", id, "again".into(), bytes::Bytes::new()).await.unwrap();
    assert_eq!(&*whole(&store, "", id).await.session.title, "again");
}

#[tokio::test]
async fn under_a_key_nothing_can_be_read_in_the_file() {
    let (store, folder) = fresh(with(ONE));
    let draft = Draft {
        metadata: b"canary".to_vec().into(),
        model: "canary".into(),
        ..draft("canary", &["canary"])
    };
    let id = store.create("canary", draft).await.unwrap().id;
    assert!(!holds(folder.path(), "canary"));
    drop(store);
    for options in [with(OTHER), Options::default()] {
        let store = open(folder.path(), options);
        assert_eq!(store.health().foreign, 1);
        assert_eq!(store.read("canary", id, 0..9).await, Err(SessionError::Missing));
        assert_eq!(store.list("canary", None, 9).await.unwrap().sessions, []);
    }
    let store = open(folder.path(), with(ONE));
    assert_eq!(bodies(&whole(&store, "canary", id).await), ["canary"]);
}

#[tokio::test]
async fn what_was_written_before_the_key_comes_under_it() {
    let (store, folder) = fresh(Options::default());
    let mut ids = Vec::new();
    for nth in 0..40 {
        ids.push(begin(&store, "ann", &format!("canary {nth}"), &["canary 0", "canary 1"]).await);
    }
    drop(store);
    let store = open(folder.path(), with(ONE));
    let there = store.list("ann", None, 100).await.unwrap();
    assert_eq!(there.sessions.len(), 40);
    assert_eq!(store.append("ann", ids[0].id, after(2, &["canary 2"])).await, Ok(3));
    until(|| !holds(folder.path(), "canary")).await;
    let there = store.list("ann", None, 100).await.unwrap().sessions;
    assert_eq!((there.len(), there[0].id), (40, ids[0].id));
    assert_eq!(
        bodies(&whole(&store, "ann", ids[0].id).await),
        ["canary 0", "canary 1", "canary 2"]
    );
    let one = whole(&store, "ann", ids[7].id).await.session;
    assert_eq!((&one.title, one.updated), (&ids[7].title, ids[7].updated));
    assert_eq!(store.delete_all("ann").await, Ok(40));
}

fn keeping(age: Duration, bytes: u64) -> Options {
    let session = Keep { age, bytes };
    let retention = Retention { session, ..Retention::default() };
    Options { retention, tidy: Duration::from_millis(10), ..Options::default() }
}

#[tokio::test]
async fn what_is_too_old_goes_and_what_goes_on_stays() {
    let (store, _folder) = fresh(keeping(Duration::from_millis(1500), 1 << 30));
    let stays = begin(&store, "", "stays", &[]).await.id;
    begin(&store, "", "goes", &["0"]).await;
    for seen in 0..8 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(store.append("", stays, after(seen, &["x"])).await, Ok(seen + 1));
    }
    until(|| store.health().sessions == 1).await;
    assert_eq!(whole(&store, "", stays).await.turns.len(), 8);
}

#[tokio::test]
async fn what_is_too_much_goes_the_oldest_first() {
    let (store, _folder) = fresh(keeping(Duration::from_hours(1), 100_000));
    let text = "x".repeat(1000);
    let mut ids = Vec::new();
    for _ in 0..300 {
        ids.push(begin(&store, "", "", &[&text]).await.id);
    }
    until(|| store.health().sessions < 100).await;
    assert!(store.health().sessions > 60, "{:?}", store.health());
    assert_eq!(store.read("", ids[0], 0..1).await, Err(SessionError::Missing));
    assert_eq!(whole(&store, "", ids[299]).await.turns.len(), 1);
    let huge = "x".repeat(200_000);
    let last = begin(&store, "", "", &[&huge]).await.id;
    until(|| store.health().sessions == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(whole(&store, "", last).await.turns.len(), 1, "the last one stays");
}

#[tokio::test]
async fn what_is_deleted_is_overwritten() {
    let (store, folder) = fresh(Options::default());
    let canary = "canary in the store ".repeat(300);
    let id = begin(&store, "", "canary", &[&canary]).await.id;
    assert!(holds(folder.path(), "canary"));
    store.delete("", id).await.unwrap();
    assert!(!holds(folder.path(), "canary"));
}

#[tokio::test]
async fn where_no_file_can_be_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), Options::default());
    let trouble = |error| matches!(error, SessionError::Trouble(_));
    assert!(store.create("", draft("t", &["0"])).await.is_err_and(trouble));
    assert!(store.list("", None, 9).await.is_err_and(trouble));
    fs::remove_file(folder.path().join("data")).unwrap();
    until(|| store.health().trouble.is_none()).await;
    let id = begin(&store, "", "t", &["0"]).await.id;
    assert_eq!(store.list("", None, 9).await.unwrap().sessions.len(), 1, "nothing came later");
    assert_eq!(bodies(&whole(&store, "", id).await), ["0"]);
}

/// From some moment on the disk is full, for many moments: what was acknowledged is there, and nothing else.
#[tokio::test]
async fn a_full_disk_takes_nothing_by_half() {
    let text = "x".repeat(3000);
    for kib in (128..400).step_by(64) {
        let (store, folder) = fresh(Options { limit: Some(kib << 10), ..Options::default() });
        let gone = begin(&store, "", "goes", &[&text, &text, &text, &text]).await.id;
        let id = begin(&store, "", "t", &[]).await.id;
        let mut seen = 0;
        let refused = loop {
            match store.append("", id, after(seen, &[&text, "end"])).await {
                Ok(turns) => seen = turns,
                Err(error) => break error,
            }
            assert!(seen < 500, "it does not fill");
        };
        assert!(matches!(refused, SessionError::Trouble(_)), "{refused}");
        assert!(store.health().trouble.is_some());
        assert_eq!(whole(&store, "", id).await.session.turns, seen, "at {kib}");
        store.delete("", gone).await.unwrap();
        assert_eq!(store.append("", id, after(seen, &[&text, "end"])).await, Ok(seen + 2));
        drop(store);
        let store = open(folder.path(), Options::default());
        let read = whole(&store, "", id).await;
        assert_eq!((read.session.turns, read.damaged), (seen + 2, vec![]), "at {kib}");
    }
}

/// Two processes are two stores that know nothing of each other.
#[tokio::test]
async fn a_conversation_may_hop_between_two() {
    let (one, folder) = fresh(Options::default());
    let two = open(folder.path(), Options::default());
    let id = begin(&one, "", "t", &[]).await.id;
    for seen in (0..40).step_by(2) {
        assert_eq!(one.append("", id, after(seen, &["one"])).await, Ok(seen + 1));
        assert_eq!(two.append("", id, after(seen + 1, &["two"])).await, Ok(seen + 2));
        assert_eq!(whole(&one, "", id).await.session.turns, seen + 2);
    }
    let conflict = Err(SessionError::Conflict { turns: 40 });
    assert_eq!(one.append("", id, after(39, &["late"])).await, conflict);
}

#[tokio::test]
async fn a_store_that_is_off_says_so() {
    let error = Nothing::default().create("", draft("t", &[])).await.unwrap_err();
    assert_eq!(error, SessionError::Off);
    assert!(error.to_string().contains("turned off"));
    assert_eq!(Nothing::default().list("", None, 9).await, Err(SessionError::Off));
    let id: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    assert_eq!(Nothing::default().append("", id, after(0, &[])).await, Err(SessionError::Off));
}

/// Whatever bytes are wrong: no wrong turn, and almost all of the others.
#[tokio::test]
async fn flipped_bytes_cost_the_turns_they_hit() {
    let (store, folder) = fresh(Options::default());
    let text = |session: usize, turn: usize| format!("{session}/{turn} ").repeat(60);
    let mut ids = Vec::new();
    for session in 0..20 {
        let texts: Vec<_> = (0..10).map(|turn| text(session, turn)).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        ids.push(begin(&store, "", &session.to_string(), &texts).await.id);
    }
    drop(store);
    let whole = fs::read(folder.path().join("data").join("store.db")).unwrap();
    let mut random = 99_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % below
    };
    let (mut read, mut damaged, mut gone) = (0, 0, 0);
    for trial in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("data")).unwrap();
        let mut bytes = whole.clone();
        for _ in 0..=next(4) {
            // Not where it says what file it is.
            let at = 100 + next(bytes.len() - 100);
            bytes[at] ^= 1 << next(8);
        }
        fs::write(folder.path().join("data").join("store.db"), bytes).unwrap();
        let store = open(folder.path(), Options::default());
        for (session, id) in ids.iter().enumerate() {
            let Ok(reading) = store.read("", *id, 0..10).await else {
                gone += 1;
                continue;
            };
            damaged += reading.damaged.len();
            read += reading.turns.len();
            for (said, written) in bodies(&reading).iter().zip(&reading.turns) {
                let number = usize::try_from(written.number).unwrap();
                assert_eq!(*said, text(session, number), "trial {trial}");
            }
        }
        begin(&store, "", "new", &["0"]).await;
    }
    assert!(damaged > 50, "nothing was hit: {damaged}");
    assert!(read > 18_000, "{read} turns are there, {damaged} damaged, {gone} sessions gone");
}

#[tokio::test]
async fn a_page_of_a_hundred_thousand_comes_at_once() {
    let (store, _folder) = fresh(Options::default());
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
    assert_eq!(store.all(Kind::Sealed).await, []);
}

async fn fill(store: &Sqlite, count: usize) {
    for _ in 0..count / 1000 {
        let drafts = (0..1000).map(|nth| draft(&format!("Conversation {nth}"), &["0"]));
        let begun = together(drafts.map(|draft| store.create("ann", draft))).await;
        assert!(begun.iter().all(Result::is_ok));
    }
}
