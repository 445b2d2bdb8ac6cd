//! The contract of [`SessionStore`]: each function is one property, and [`session_tests!`] makes
//! tests of them for a store.

use std::collections::BTreeSet;

use bytes::Bytes;
use interlingua_store::{
    AppendTurns, Cursor, NewSession, SessionContents, SessionError, SessionId, SessionInfo,
    SessionPage, SessionStore, StoredTurn, TurnState,
};

use crate::support::join_all;

macro_rules! session_tests {
    (@one ($($attribute:meta)?) $make:expr; $property:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $property() {
            let (store, _guard) = $make;
            crate::sessions::$property(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($property:ident)+) => {
        $( crate::sessions::session_tests!(@one $attribute $make; $property); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        mod sessions {
            #[allow(unused_imports, reason = "the expression that makes a store may need it")]
            use super::*;
            crate::sessions::session_tests!(@all ($($attribute)?) $make;
                a_created_session_is_read_back turns_are_appended_in_order
                a_client_with_stale_turns_appends_nothing a_range_of_turns_can_be_read
                an_aborted_turn_stays_aborted the_last_changed_is_listed_first
                a_list_comes_in_pages owners_cannot_access_each_others_sessions
                a_fork_is_independent title_and_metadata_are_replaced
                a_deleted_session_is_gone delete_all_removes_only_the_owners_sessions
                bytes_are_read_back_unchanged one_of_many_concurrent_appends_wins
                many_sessions_work_concurrently ids_are_ordered_and_read_back);
        }
    };
}
pub(crate) use session_tests;

pub(crate) fn turns(bodies: &[&str]) -> Vec<StoredTurn> {
    bodies.iter().map(|body| StoredTurn::complete(body.as_bytes().to_vec())).collect()
}

pub(crate) fn new_session(title: &str, bodies: &[&str]) -> NewSession {
    NewSession { title: title.to_owned(), turns: turns(bodies), ..NewSession::default() }
}

pub(crate) fn append_after(seen: u64, bodies: &[&str]) -> AppendTurns {
    AppendTurns { expected_turns: seen, turns: turns(bodies), model: None }
}

pub(crate) async fn create_session(
    store: &dyn SessionStore,
    owner: &str,
    title: &str,
    bodies: &[&str],
) -> SessionInfo {
    store.create(owner, new_session(title, bodies)).await.unwrap()
}

pub(crate) async fn read_all(
    store: &dyn SessionStore,
    owner: &str,
    id: SessionId,
) -> SessionContents {
    store.read(owner, id, 0..u64::MAX).await.unwrap()
}

pub(crate) fn bodies(contents: &SessionContents) -> Vec<String> {
    let text = |body: &Bytes| String::from_utf8_lossy(body).into_owned();
    contents.turns.iter().map(|numbered_turn| text(&numbered_turn.turn.body)).collect()
}

async fn titles(store: &dyn SessionStore, owner: &str) -> Vec<String> {
    let page = store.list(owner, None, 100).await.unwrap();
    page.sessions.into_iter().map(|session| session.title).collect()
}

pub(crate) async fn a_created_session_is_read_back(store: &dyn SessionStore) {
    let draft = NewSession {
        title: "Ünïcode".into(),
        metadata: Bytes::from_static(br#"{"a": 1e2}"#),
        model: "m-1".into(),
        turns: turns(&["one", "two"]),
    };
    let session = store.create("ann", draft).await.unwrap();
    let contents = read_all(store, "ann", session.id).await;
    assert_eq!(contents.info, session);
    assert_eq!((&*session.title, &*session.model, session.turn_count), ("Ünïcode", "m-1", 2));
    assert_eq!(&*session.metadata, br#"{"a": 1e2}"#);
    assert!(session.bytes >= 6 && session.created == session.updated && session.parent.is_none());
    assert!(session.created > 1_700_000_000_000_000);
    assert_eq!(bodies(&contents), ["one", "two"]);
    assert_eq!(contents.turns.iter().map(|turn| turn.number).collect::<Vec<_>>(), [0, 1]);
    let empty = create_session(store, "", "", &[]).await;
    assert_eq!(bodies(&read_all(store, "", empty.id).await), [""; 0]);
}

pub(crate) async fn turns_are_appended_in_order(store: &dyn SessionStore) {
    let session = create_session(store, "", "t", &["0"]).await;
    assert_eq!(store.append("", session.id, append_after(1, &["1", "2"])).await, Ok(3));
    let more = AppendTurns { model: Some("other".into()), ..append_after(3, &["3"]) };
    assert_eq!(store.append("", session.id, more).await, Ok(4));
    assert_eq!(store.append("", session.id, append_after(4, &["4"])).await, Ok(5));
    let contents = read_all(store, "", session.id).await;
    assert_eq!(bodies(&contents), ["0", "1", "2", "3", "4"]);
    assert_eq!((contents.info.turn_count, &*contents.info.model), (5, "other"));
    assert!(contents.info.updated > session.updated && contents.info.bytes > session.bytes);
    assert!(contents.turns.is_sorted_by_key(|turn| turn.written_at));
    assert_eq!(contents.turns[1].written_at, contents.turns[2].written_at);
    assert_eq!(contents.damaged_turns, [0; 0]);
}

pub(crate) async fn a_client_with_stale_turns_appends_nothing(store: &dyn SessionStore) {
    let session = create_session(store, "", "t", &["0", "1"]).await;
    for seen in [0, 1, 3, u64::MAX] {
        let result = store.append("", session.id, append_after(seen, &["x"])).await;
        assert_eq!(result, Err(SessionError::Conflict { turns: 2 }), "{seen}");
    }
    let contents = read_all(store, "", session.id).await;
    assert_eq!(bodies(&contents), ["0", "1"]);
    assert_eq!(contents.info, session);
}

pub(crate) async fn a_range_of_turns_can_be_read(store: &dyn SessionStore) {
    let id = create_session(store, "", "t", &["0", "1", "2", "3"]).await.id;
    let cases: [(_, &[&str]); 6] = [
        (0..0, &[]),
        (1..3, &["1", "2"]),
        (2..u64::MAX, &["2", "3"]),
        (4..9, &[]),
        (u64::MAX - 1..u64::MAX, &[]),
        (0..4, &["0", "1", "2", "3"]),
    ];
    for (numbers, expected) in cases {
        let contents = store.read("", id, numbers.clone()).await.unwrap();
        assert_eq!(bodies(&contents), expected, "{numbers:?}");
        assert_eq!((contents.info.turn_count, contents.damaged_turns), (4, vec![]), "{numbers:?}");
    }
}

pub(crate) async fn an_aborted_turn_stays_aborted(store: &dyn SessionStore) {
    let id = create_session(store, "", "t", &["0"]).await.id;
    let turns = vec![StoredTurn::aborted("half"), StoredTurn::complete("1")];
    store.append("", id, AppendTurns { expected_turns: 1, turns, model: None }).await.unwrap();
    let contents = read_all(store, "", id).await;
    let states: Vec<_> =
        contents.turns.iter().map(|numbered_turn| numbered_turn.turn.state).collect();
    assert_eq!(states, [TurnState::Complete, TurnState::Aborted, TurnState::Complete]);
}

pub(crate) async fn the_last_changed_is_listed_first(store: &dyn SessionStore) {
    let first = create_session(store, "", "a", &[]).await;
    create_session(store, "", "b", &[]).await;
    create_session(store, "", "c", &[]).await;
    assert_eq!(titles(store, "").await, ["c", "b", "a"]);
    store.append("", first.id, append_after(0, &["x"])).await.unwrap();
    assert_eq!(titles(store, "").await, ["a", "c", "b"]);
    let page = store.list("", None, 1).await.unwrap();
    assert_eq!(page.sessions, [read_all(store, "", first.id).await.info]);
}

pub(crate) async fn a_list_comes_in_pages(store: &dyn SessionStore) {
    assert_eq!(store.list("", None, 10).await.unwrap(), SessionPage::default());
    for nth in 0..23 {
        create_session(store, "", &nth.to_string(), &[]).await;
        create_session(store, "other", "not this one", &[]).await;
    }
    let (mut seen, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = store.list("", cursor, 10).await.unwrap();
        seen.extend(page.sessions.iter().map(|session| session.title.clone()));
        pages += 1;
        let Some(next) = page.next else { break };
        cursor = Some(next.to_string().parse::<Cursor>().unwrap());
        // New sessions do not shift later pages.
        create_session(store, "", "new", &[]).await;
    }
    let expected: Vec<_> = (0..23).rev().map(|nth: i32| nth.to_string()).collect();
    assert_eq!((seen, pages), (expected, 3));
    let exact = store.list("other", None, 23).await.unwrap();
    assert_eq!((exact.sessions.len(), exact.next), (23, None));
    assert_eq!(store.list("", None, 0).await.unwrap().sessions.len(), 1);
}

pub(crate) async fn owners_cannot_access_each_others_sessions(store: &dyn SessionStore) {
    let id = create_session(store, "ann", "hers", &["0"]).await.id;
    for other in ["bob", "", "Ann", "ann "] {
        assert_eq!(titles(store, other).await, [""; 0]);
        let missing = SessionError::NotFound;
        assert_eq!(store.read(other, id, 0..9).await, Err(missing.clone()));
        assert_eq!(store.append(other, id, append_after(1, &["x"])).await, Err(missing.clone()));
        assert_eq!(store.fork(other, id, 1).await, Err(missing.clone()));
        let result = store.update_details(other, id, "x".into(), Bytes::new()).await;
        assert_eq!(result, Err(missing.clone()));
        assert_eq!(store.delete(other, id).await, Err(missing));
        assert_eq!(store.delete_all(other).await, Ok(0));
    }
    let contents = read_all(store, "ann", id).await;
    assert_eq!((&*contents.info.title, bodies(&contents)), ("hers", vec!["0".to_owned()]));
}

pub(crate) async fn a_fork_is_independent(store: &dyn SessionStore) {
    let draft = NewSession {
        metadata: Bytes::from_static(b"{}"),
        model: "m".into(),
        ..new_session("t", &["0", "1", "2"])
    };
    let original = store.create("ann", draft).await.unwrap();
    let fork = store.fork("ann", original.id, 2).await.unwrap();
    assert_ne!(original.id, fork.id);
    assert_eq!((fork.parent, fork.turn_count), (Some((original.id, 2)), 2));
    assert_eq!(
        (&fork.title, &fork.metadata, &fork.model),
        (&original.title, &original.metadata, &original.model)
    );
    store.append("ann", fork.id, append_after(2, &["other"])).await.unwrap();
    store.append("ann", original.id, append_after(3, &["3"])).await.unwrap();
    assert_eq!(bodies(&read_all(store, "ann", original.id).await), ["0", "1", "2", "3"]);
    assert_eq!(bodies(&read_all(store, "ann", fork.id).await), ["0", "1", "other"]);
    let full_fork = store.fork("ann", original.id, u64::MAX).await.unwrap();
    assert_eq!((full_fork.parent, full_fork.turn_count), (Some((original.id, 4)), 4));
    assert_eq!(store.fork("ann", original.id, 0).await.unwrap().turn_count, 0);
    store.delete("ann", original.id).await.unwrap();
    let remaining = read_all(store, "ann", fork.id).await;
    assert_eq!(bodies(&remaining), ["0", "1", "other"]);
    assert_eq!(remaining.info.parent, Some((original.id, 2)));
}

pub(crate) async fn title_and_metadata_are_replaced(store: &dyn SessionStore) {
    let original = create_session(store, "", "old", &["0"]).await;
    let fork = store.fork("", original.id, 1).await.unwrap();
    let metadata = Bytes::from_static(b"{\"pinned\":true}");
    store.update_details("", fork.id, "new".into(), metadata.clone()).await.unwrap();
    let contents = read_all(store, "", fork.id).await;
    assert_eq!((&*contents.info.title, &contents.info.metadata), ("new", &metadata));
    assert_eq!((contents.info.parent, contents.info.turn_count), (Some((original.id, 1)), 1));
    assert!(contents.info.updated > fork.updated);
    assert_eq!(titles(store, "").await, ["new", "old"]);
}

pub(crate) async fn a_deleted_session_is_gone(store: &dyn SessionStore) {
    let deleted = create_session(store, "", "one", &["0"]).await.id;
    create_session(store, "", "two", &["0"]).await;
    assert_eq!(store.delete("", deleted).await, Ok(()));
    assert_eq!(store.delete("", deleted).await, Err(SessionError::NotFound));
    assert_eq!(store.read("", deleted, 0..9).await, Err(SessionError::NotFound));
    assert_eq!(
        store.append("", deleted, append_after(1, &["x"])).await,
        Err(SessionError::NotFound)
    );
    assert_eq!(titles(store, "").await, ["two"]);
}

pub(crate) async fn delete_all_removes_only_the_owners_sessions(store: &dyn SessionStore) {
    for nth in 0..5 {
        create_session(store, "ann", &nth.to_string(), &["0"]).await;
    }
    create_session(store, "bob", "his", &["0"]).await;
    assert_eq!(store.delete_all("ann").await, Ok(5));
    assert_eq!(store.delete_all("ann").await, Ok(0));
    assert_eq!(titles(store, "ann").await, [""; 0]);
    assert_eq!(titles(store, "bob").await, ["his"]);
}

pub(crate) async fn bytes_are_read_back_unchanged(store: &dyn SessionStore) {
    let all: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    let id = create_session(store, "ö\u{0}", "\u{0}", &[]).await.id;
    let lengths = [0, 1, 4096, 3_000_000];
    let turns =
        lengths.iter().map(|length| StoredTurn::complete(all[..*length].to_vec())).collect();
    store
        .append("ö\u{0}", id, AppendTurns { expected_turns: 0, turns, model: None })
        .await
        .unwrap();
    let contents = read_all(store, "ö\u{0}", id).await;
    assert_eq!((contents.turns.len(), &*contents.info.title), (4, "\u{0}"));
    for (numbered_turn, length) in contents.turns.iter().zip(lengths) {
        assert!(numbered_turn.turn.body == all[..length], "{length}");
    }
}

pub(crate) async fn one_of_many_concurrent_appends_wins(store: &dyn SessionStore) {
    let id = create_session(store, "", "t", &[]).await.id;
    for seen in 0..10 {
        let texts: Vec<_> = (0..8).map(|nth| format!("{seen} {nth}")).collect();
        let results =
            join_all(texts.iter().map(|text| store.append("", id, append_after(seen, &[text]))))
                .await;
        let won = results.iter().filter(|answer| **answer == Ok(seen + 1)).count();
        let lost = Err(SessionError::Conflict { turns: seen + 1 });
        let lost = results.iter().filter(|answer| **answer == lost).count();
        assert_eq!((won, lost), (1, 7));
    }
    let contents = read_all(store, "", id).await;
    let texts_stored = bodies(&contents);
    assert!(
        (0..10).all(|seen: usize| texts_stored[seen].starts_with(&format!("{seen} "))),
        "{texts_stored:?}"
    );
}

pub(crate) async fn many_sessions_work_concurrently(store: &dyn SessionStore) {
    let tasks = (0..12).map(|task| async move {
        let id = create_session(store, "", &task.to_string(), &[]).await.id;
        for turn in 0..15 {
            let text = format!("{task}/{turn}");
            assert_eq!(store.append("", id, append_after(turn, &[&text])).await, Ok(turn + 1));
            let contents = store.read("", id, turn..u64::MAX).await.unwrap();
            assert_eq!(bodies(&contents), [text]);
        }
        id
    });
    for id in join_all(tasks).await {
        assert_eq!(read_all(store, "", id).await.turns.len(), 15);
    }
    assert_eq!(store.list("", None, 100).await.unwrap().sessions.len(), 12);
}

pub(crate) async fn ids_are_ordered_and_read_back(store: &dyn SessionStore) {
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(create_session(store, "", "", &[]).await.id);
    }
    assert!(ids.is_sorted());
    let texts: BTreeSet<_> = ids.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 50);
    for id in ids {
        let text = id.to_string();
        assert_eq!((text.len(), &text[14..15]), (36, "7"), "a UUID of version 7: {text}");
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().parse(), Ok(id));
        assert!(text[..35].parse::<SessionId>().is_err());
    }
    for bad in ["", "x", "00000000-0000-0000-0000-00000000000g", "+1_x", "_", "1_", "é"] {
        assert!(bad.parse::<SessionId>().is_err(), "{bad}");
        assert!(bad.parse::<Cursor>().is_err(), "{bad}");
    }
}
