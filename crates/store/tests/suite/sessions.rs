//! What every store does with conversations. Each function is one promise; [`sessions!`] makes tests of
//! them for a store.

use std::collections::BTreeSet;

use bytes::Bytes;
use interlingua_store::{
    Append, Cursor, Draft, Page, Reading, Session, SessionError, SessionId, Sessions, State, Turn,
};

use crate::shared::together;

macro_rules! sessions {
    (@one ($($attribute:meta)?) $make:expr; $promise:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $promise() {
            let (store, _held) = $make;
            crate::sessions::$promise(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($promise:ident)+) => {
        $( crate::sessions::sessions!(@one $attribute $make; $promise); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        mod conversations {
            #[allow(unused_imports, reason = "what makes a store may need it")]
            use super::*;
            crate::sessions::sessions!(@all ($($attribute)?) $make;
                what_was_begun_is_read turns_are_added_in_their_order
                who_has_not_seen_all_adds_nothing some_turns_can_be_read an_aborted_turn_stays_one
                the_last_changed_is_listed_first a_list_comes_in_pages
                owners_do_not_reach_each_others a_fork_goes_its_own_way it_is_described_anew
                what_is_deleted_is_gone all_of_an_owner_go bytes_come_back_whole
                of_many_at_once_one_wins many_conversations_at_once ids_are_ordered_and_read_back);
        }
    };
}
pub(crate) use sessions;

pub(crate) fn turns(bodies: &[&str]) -> Vec<Turn> {
    bodies.iter().map(|body| Turn::whole(body.as_bytes().to_vec())).collect()
}

pub(crate) fn draft(title: &str, bodies: &[&str]) -> Draft {
    Draft { title: title.to_owned(), turns: turns(bodies), ..Draft::default() }
}

pub(crate) fn after(seen: u64, bodies: &[&str]) -> Append {
    Append { seen, turns: turns(bodies), model: None }
}

pub(crate) async fn begin(
    store: &dyn Sessions,
    owner: &str,
    title: &str,
    bodies: &[&str],
) -> Session {
    store.create(owner, draft(title, bodies)).await.unwrap()
}

pub(crate) async fn whole(store: &dyn Sessions, owner: &str, id: SessionId) -> Reading {
    store.read(owner, id, 0..u64::MAX).await.unwrap()
}

pub(crate) fn bodies(reading: &Reading) -> Vec<String> {
    let text = |body: &Bytes| String::from_utf8_lossy(body).into_owned();
    reading.turns.iter().map(|written| text(&written.turn.body)).collect()
}

async fn titles(store: &dyn Sessions, owner: &str) -> Vec<String> {
    let page = store.list(owner, None, 100).await.unwrap();
    page.sessions.into_iter().map(|session| session.title).collect()
}

pub(crate) async fn what_was_begun_is_read(store: &dyn Sessions) {
    let draft = Draft {
        title: "Ünïcode".into(),
        metadata: Bytes::from_static(br#"{"a": 1e2}"#),
        model: "m-1".into(),
        turns: turns(&["one", "two"]),
    };
    let begun = store.create("ann", draft).await.unwrap();
    let read = whole(store, "ann", begun.id).await;
    assert_eq!(read.session, begun);
    assert_eq!((&*begun.title, &*begun.model, begun.turns), ("Ünïcode", "m-1", 2));
    assert_eq!(&*begun.metadata, br#"{"a": 1e2}"#);
    assert!(begun.bytes >= 6 && begun.created == begun.updated && begun.parent.is_none());
    assert!(begun.created > 1_700_000_000_000_000);
    assert_eq!(bodies(&read), ["one", "two"]);
    assert_eq!(read.turns.iter().map(|turn| turn.number).collect::<Vec<_>>(), [0, 1]);
    let empty = begin(store, "", "", &[]).await;
    assert_eq!(bodies(&whole(store, "", empty.id).await), [""; 0]);
}

pub(crate) async fn turns_are_added_in_their_order(store: &dyn Sessions) {
    let begun = begin(store, "", "t", &["0"]).await;
    assert_eq!(store.append("", begun.id, after(1, &["1", "2"])).await, Ok(3));
    let more = Append { model: Some("other".into()), ..after(3, &["3"]) };
    assert_eq!(store.append("", begun.id, more).await, Ok(4));
    assert_eq!(store.append("", begun.id, after(4, &["4"])).await, Ok(5));
    let read = whole(store, "", begun.id).await;
    assert_eq!(bodies(&read), ["0", "1", "2", "3", "4"]);
    assert_eq!((read.session.turns, &*read.session.model), (5, "other"));
    assert!(read.session.updated > begun.updated && read.session.bytes > begun.bytes);
    assert!(read.turns.is_sorted_by_key(|turn| turn.at));
    assert_eq!(read.turns[1].at, read.turns[2].at);
    assert_eq!(read.damaged, [0; 0]);
}

pub(crate) async fn who_has_not_seen_all_adds_nothing(store: &dyn Sessions) {
    let begun = begin(store, "", "t", &["0", "1"]).await;
    for seen in [0, 1, 3, u64::MAX] {
        let answer = store.append("", begun.id, after(seen, &["x"])).await;
        assert_eq!(answer, Err(SessionError::Conflict { turns: 2 }), "{seen}");
    }
    let read = whole(store, "", begun.id).await;
    assert_eq!(bodies(&read), ["0", "1"]);
    assert_eq!(read.session, begun);
}

pub(crate) async fn some_turns_can_be_read(store: &dyn Sessions) {
    let id = begin(store, "", "t", &["0", "1", "2", "3"]).await.id;
    let cases: [(_, &[&str]); 6] = [
        (0..0, &[]),
        (1..3, &["1", "2"]),
        (2..u64::MAX, &["2", "3"]),
        (4..9, &[]),
        (u64::MAX - 1..u64::MAX, &[]),
        (0..4, &["0", "1", "2", "3"]),
    ];
    for (numbers, expected) in cases {
        let read = store.read("", id, numbers.clone()).await.unwrap();
        assert_eq!(bodies(&read), expected, "{numbers:?}");
        assert_eq!((read.session.turns, read.damaged), (4, vec![]), "{numbers:?}");
    }
}

pub(crate) async fn an_aborted_turn_stays_one(store: &dyn Sessions) {
    let id = begin(store, "", "t", &["0"]).await.id;
    let turns = vec![Turn::aborted("half"), Turn::whole("1")];
    store.append("", id, Append { seen: 1, turns, model: None }).await.unwrap();
    let read = whole(store, "", id).await;
    let states: Vec<_> = read.turns.iter().map(|written| written.turn.state).collect();
    assert_eq!(states, [State::Whole, State::Aborted, State::Whole]);
}

pub(crate) async fn the_last_changed_is_listed_first(store: &dyn Sessions) {
    let first = begin(store, "", "a", &[]).await;
    begin(store, "", "b", &[]).await;
    begin(store, "", "c", &[]).await;
    assert_eq!(titles(store, "").await, ["c", "b", "a"]);
    store.append("", first.id, after(0, &["x"])).await.unwrap();
    assert_eq!(titles(store, "").await, ["a", "c", "b"]);
    let page = store.list("", None, 1).await.unwrap();
    assert_eq!(page.sessions, [whole(store, "", first.id).await.session]);
}

pub(crate) async fn a_list_comes_in_pages(store: &dyn Sessions) {
    assert_eq!(store.list("", None, 10).await.unwrap(), Page::default());
    for nth in 0..23 {
        begin(store, "", &nth.to_string(), &[]).await;
        begin(store, "other", "not this one", &[]).await;
    }
    let (mut seen, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = store.list("", cursor, 10).await.unwrap();
        seen.extend(page.sessions.iter().map(|session| session.title.clone()));
        pages += 1;
        let Some(next) = page.next else { break };
        cursor = Some(next.to_string().parse::<Cursor>().unwrap());
        // What is new meanwhile is not in the way.
        begin(store, "", "new", &[]).await;
    }
    let expected: Vec<_> = (0..23).rev().map(|nth: i32| nth.to_string()).collect();
    assert_eq!((seen, pages), (expected, 3));
    let exact = store.list("other", None, 23).await.unwrap();
    assert_eq!((exact.sessions.len(), exact.next), (23, None));
    assert_eq!(store.list("", None, 0).await.unwrap().sessions.len(), 1);
}

pub(crate) async fn owners_do_not_reach_each_others(store: &dyn Sessions) {
    let id = begin(store, "ann", "hers", &["0"]).await.id;
    for other in ["bob", "", "Ann", "ann "] {
        assert_eq!(titles(store, other).await, [""; 0]);
        let missing = SessionError::Missing;
        assert_eq!(store.read(other, id, 0..9).await, Err(missing.clone()));
        assert_eq!(store.append(other, id, after(1, &["x"])).await, Err(missing.clone()));
        assert_eq!(store.fork(other, id, 1).await, Err(missing.clone()));
        let described = store.describe(other, id, "x".into(), Bytes::new()).await;
        assert_eq!(described, Err(missing.clone()));
        assert_eq!(store.delete(other, id).await, Err(missing));
        assert_eq!(store.delete_all(other).await, Ok(0));
    }
    let read = whole(store, "ann", id).await;
    assert_eq!((&*read.session.title, bodies(&read)), ("hers", vec!["0".to_owned()]));
}

pub(crate) async fn a_fork_goes_its_own_way(store: &dyn Sessions) {
    let draft = Draft {
        metadata: Bytes::from_static(b"{}"),
        model: "m".into(),
        ..draft("t", &["0", "1", "2"])
    };
    let one = store.create("ann", draft).await.unwrap();
    let two = store.fork("ann", one.id, 2).await.unwrap();
    assert_ne!(one.id, two.id);
    assert_eq!((two.parent, two.turns), (Some((one.id, 2)), 2));
    assert_eq!((&two.title, &two.metadata, &two.model), (&one.title, &one.metadata, &one.model));
    store.append("ann", two.id, after(2, &["other"])).await.unwrap();
    store.append("ann", one.id, after(3, &["3"])).await.unwrap();
    assert_eq!(bodies(&whole(store, "ann", one.id).await), ["0", "1", "2", "3"]);
    assert_eq!(bodies(&whole(store, "ann", two.id).await), ["0", "1", "other"]);
    let all = store.fork("ann", one.id, u64::MAX).await.unwrap();
    assert_eq!((all.parent, all.turns), (Some((one.id, 4)), 4));
    assert_eq!(store.fork("ann", one.id, 0).await.unwrap().turns, 0);
    store.delete("ann", one.id).await.unwrap();
    let left = whole(store, "ann", two.id).await;
    assert_eq!(bodies(&left), ["0", "1", "other"]);
    assert_eq!(left.session.parent, Some((one.id, 2)));
}

pub(crate) async fn it_is_described_anew(store: &dyn Sessions) {
    let one = begin(store, "", "old", &["0"]).await;
    let fork = store.fork("", one.id, 1).await.unwrap();
    let metadata = Bytes::from_static(b"{\"pinned\":true}");
    store.describe("", fork.id, "new".into(), metadata.clone()).await.unwrap();
    let read = whole(store, "", fork.id).await;
    assert_eq!((&*read.session.title, &read.session.metadata), ("new", &metadata));
    assert_eq!((read.session.parent, read.session.turns), (Some((one.id, 1)), 1));
    assert!(read.session.updated > fork.updated);
    assert_eq!(titles(store, "").await, ["new", "old"]);
}

pub(crate) async fn what_is_deleted_is_gone(store: &dyn Sessions) {
    let one = begin(store, "", "one", &["0"]).await.id;
    begin(store, "", "two", &["0"]).await;
    assert_eq!(store.delete("", one).await, Ok(()));
    assert_eq!(store.delete("", one).await, Err(SessionError::Missing));
    assert_eq!(store.read("", one, 0..9).await, Err(SessionError::Missing));
    assert_eq!(store.append("", one, after(1, &["x"])).await, Err(SessionError::Missing));
    assert_eq!(titles(store, "").await, ["two"]);
}

pub(crate) async fn all_of_an_owner_go(store: &dyn Sessions) {
    for nth in 0..5 {
        begin(store, "ann", &nth.to_string(), &["0"]).await;
    }
    begin(store, "bob", "his", &["0"]).await;
    assert_eq!(store.delete_all("ann").await, Ok(5));
    assert_eq!(store.delete_all("ann").await, Ok(0));
    assert_eq!(titles(store, "ann").await, [""; 0]);
    assert_eq!(titles(store, "bob").await, ["his"]);
}

pub(crate) async fn bytes_come_back_whole(store: &dyn Sessions) {
    let all: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    let id = begin(store, "ö\u{0}", "\u{0}", &[]).await.id;
    let lengths = [0, 1, 4096, 3_000_000];
    let turns = lengths.iter().map(|length| Turn::whole(all[..*length].to_vec())).collect();
    store.append("ö\u{0}", id, Append { seen: 0, turns, model: None }).await.unwrap();
    let read = whole(store, "ö\u{0}", id).await;
    assert_eq!((read.turns.len(), &*read.session.title), (4, "\u{0}"));
    for (written, length) in read.turns.iter().zip(lengths) {
        assert!(written.turn.body == all[..length], "{length}");
    }
}

pub(crate) async fn of_many_at_once_one_wins(store: &dyn Sessions) {
    let id = begin(store, "", "t", &[]).await.id;
    for seen in 0..10 {
        let texts: Vec<_> = (0..8).map(|nth| format!("{seen} {nth}")).collect();
        let answers =
            together(texts.iter().map(|text| store.append("", id, after(seen, &[text])))).await;
        let won = answers.iter().filter(|answer| **answer == Ok(seen + 1)).count();
        let lost = Err(SessionError::Conflict { turns: seen + 1 });
        let lost = answers.iter().filter(|answer| **answer == lost).count();
        assert_eq!((won, lost), (1, 7));
    }
    let read = whole(store, "", id).await;
    let said = bodies(&read);
    assert!((0..10).all(|seen: usize| said[seen].starts_with(&format!("{seen} "))), "{said:?}");
}

pub(crate) async fn many_conversations_at_once(store: &dyn Sessions) {
    let tasks = (0..12).map(|task| async move {
        let id = begin(store, "", &task.to_string(), &[]).await.id;
        for turn in 0..15 {
            let text = format!("{task}/{turn}");
            assert_eq!(store.append("", id, after(turn, &[&text])).await, Ok(turn + 1));
            let read = store.read("", id, turn..u64::MAX).await.unwrap();
            assert_eq!(bodies(&read), [text]);
        }
        id
    });
    for id in together(tasks).await {
        assert_eq!(whole(store, "", id).await.turns.len(), 15);
    }
    assert_eq!(store.list("", None, 100).await.unwrap().sessions.len(), 12);
}

pub(crate) async fn ids_are_ordered_and_read_back(store: &dyn Sessions) {
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(begin(store, "", "", &[]).await.id);
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
