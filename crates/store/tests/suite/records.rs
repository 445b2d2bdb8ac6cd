//! The contract of [`RecordStore`]: each function is one property, and [`record_tests!`] makes
//! tests of them for a store.

use interlingua_store::{MAX_RECORDS_PER_KEY, RecordKind, RecordStore, StoreHealth};

use crate::support::{bodies, find, put, record};

/// Makes a test of each property. The expression returns an empty store and a guard, which lives
/// until the test is over. The optional last argument is an attribute of every test.
macro_rules! record_tests {
    (@one ($($attribute:meta)?) $make:expr; $property:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $property() {
            let (store, _guard) = $make;
            crate::records::$property(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($property:ident)+) => {
        $( record_tests!(@one $attribute $make; $property); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        record_tests!(@all ($($attribute)?) $make;
            a_record_is_found_immediately a_record_is_found_after_it_is_written
            owners_do_not_find_each_others_records kinds_are_separate
            owners_and_keys_are_not_confused the_newest_is_first lookups_are_limited_per_key
            equal_records_are_stored_once a_missing_record_is_found_once_it_is_stored
            all_of_a_kind_are_listed removal_matches_owner_and_key
            removal_removes_a_record_under_all_its_keys removal_spares_later_records
            bytes_are_read_back_unchanged many_tasks_work_concurrently
            is_empty_only_if_there_are_no_records);
    };
}
pub(crate) use record_tests;

pub(crate) async fn a_record_is_found_immediately(store: &dyn RecordStore) {
    put(store, "", &["a", "b"], "x");
    assert_eq!(find(store, "", &["a", "b", "c"]).await, ["a=x", "b=x"]);
    assert_eq!(find(store, "", &["b"]).await, ["b=x"]);
}

pub(crate) async fn a_record_is_found_after_it_is_written(store: &dyn RecordStore) {
    assert_eq!(find(store, "", &["a", "b"]).await, [""; 0]);
    put(store, "", &["a"], "x");
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x"]);
    put(store, "", &["b"], "y");
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x", "b=y"]);
    assert_eq!(store.health().error, StoreHealth::default().error);
}

pub(crate) async fn owners_do_not_find_each_others_records(store: &dyn RecordStore) {
    put(store, "ann", &["a"], "hers");
    put(store, "bob", &["a"], "his");
    put(store, "", &["a"], "unowned");
    for _ in 0..2 {
        assert_eq!(find(store, "ann", &["a"]).await, ["a=hers"]);
        assert_eq!(find(store, "bob", &["a"]).await, ["a=his"]);
        assert_eq!(find(store, "", &["a"]).await, ["a=unowned"]);
        assert_eq!(find(store, "eve", &["a"]).await, [""; 0]);
        store.flush().await.unwrap();
    }
}

pub(crate) async fn kinds_are_separate(store: &dyn RecordStore) {
    store.put(record(RecordKind::GuardAnswer, "", &["a"], "answer"));
    store.put(record(RecordKind::Lesson, "", &["a"], "lesson"));
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a"]).await, [""; 0]);
    assert_eq!(bodies(store, RecordKind::GuardAnswer).await, ["answer"]);
    assert_eq!(bodies(store, RecordKind::Lesson).await, ["lesson"]);
}

pub(crate) async fn owners_and_keys_are_not_confused(store: &dyn RecordStore) {
    put(store, "ab", &["c"], "x");
    put(store, "a", &["1:b"], "y");
    store.flush().await.unwrap();
    assert_eq!(find(store, "a", &["bc", "c"]).await, [""; 0]);
    assert_eq!(find(store, "a1:", &["b"]).await, [""; 0]);
    assert_eq!(find(store, "", &["abc", "2:abc"]).await, [""; 0]);
}

pub(crate) async fn the_newest_is_first(store: &dyn RecordStore) {
    put(store, "", &["a"], "1");
    store.flush().await.unwrap();
    put(store, "", &["a", "b"], "2");
    put(store, "", &["b"], "3");
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=2", "a=1", "b=3", "b=2"]);
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=2", "a=1", "b=3", "b=2"]);
}

pub(crate) async fn lookups_are_limited_per_key(store: &dyn RecordStore) {
    for nth in 0..MAX_RECORDS_PER_KEY + 10 {
        put(store, "", &["a"], &nth.to_string());
    }
    store.flush().await.unwrap();
    let found = find(store, "", &["a"]).await;
    assert_eq!(found.len(), MAX_RECORDS_PER_KEY);
    assert_eq!(found[0], format!("a={}", MAX_RECORDS_PER_KEY + 9));
}

pub(crate) async fn equal_records_are_stored_once(store: &dyn RecordStore) {
    for _ in 0..3 {
        put(store, "", &["a", "b"], "x");
        store.flush().await.unwrap();
    }
    assert_eq!(find(store, "", &["a"]).await, ["a=x"]);
    assert_eq!(bodies(store, RecordKind::VaultEntry).await, ["x"]);
}

pub(crate) async fn a_missing_record_is_found_once_it_is_stored(store: &dyn RecordStore) {
    for nth in 0..20 {
        let key = format!("k{nth}");
        assert_eq!(find(store, "", &[&key]).await, [""; 0]);
        put(store, "", &[&key], "x");
        assert_eq!(find(store, "", &[&key]).await, [format!("{key}=x")]);
    }
}

pub(crate) async fn all_of_a_kind_are_listed(store: &dyn RecordStore) {
    store.put(record(RecordKind::Lesson, "ann", &["a", "b"], "1"));
    store.flush().await.unwrap();
    store.put(record(RecordKind::Lesson, "", &["c"], "2"));
    let expected = [
        record(RecordKind::Lesson, "", &["c"], "2"),
        record(RecordKind::Lesson, "ann", &["a", "b"], "1"),
    ];
    assert_eq!(store.list_records(RecordKind::Lesson).await, expected);
    store.flush().await.unwrap();
    assert_eq!(store.list_records(RecordKind::Lesson).await, expected);
}

pub(crate) async fn removal_matches_owner_and_key(store: &dyn RecordStore) {
    let fill = || {
        for owner in ["ann", "bob"] {
            for key in ["a", "b"] {
                put(store, owner, &[key], &format!("{owner} {key}"));
            }
        }
    };
    let cases: [(_, _, &[&str]); 4] = [
        (Some("ann"), Some("a"), &["bob b", "bob a", "ann b"]),
        (Some("ann"), None, &["bob b", "bob a"]),
        (None, Some("a"), &["bob b", "ann b"]),
        (None, None, &[]),
    ];
    for is_written in [false, true] {
        for (owner, key, remaining) in cases {
            fill();
            if is_written {
                store.flush().await.unwrap();
                find(store, "ann", &["a", "b"]).await;
            }
            let removal = store.remove(RecordKind::VaultEntry, owner, key);
            assert_eq!(find(store, "ann", &["a"]).await, [""; 0], "{owner:?} {key:?}, immediately");
            assert_eq!(removal.await, Ok(4 - remaining.len() as u64), "{owner:?} {key:?}");
            assert_eq!(bodies(store, RecordKind::VaultEntry).await, remaining, "{owner:?} {key:?}");
            assert_eq!(find(store, "ann", &["a"]).await, [""; 0]);
            store.remove(RecordKind::VaultEntry, None, None).await.unwrap();
        }
    }
}

pub(crate) async fn removal_removes_a_record_under_all_its_keys(store: &dyn RecordStore) {
    put(store, "", &["a", "b"], "x");
    put(store, "", &["b"], "y");
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x", "b=y", "b=x"]);
    assert_eq!(store.remove(RecordKind::VaultEntry, Some(""), Some("a")).await, Ok(1));
    assert_eq!(find(store, "", &["a", "b"]).await, ["b=y"]);
}

pub(crate) async fn removal_spares_later_records(store: &dyn RecordStore) {
    put(store, "", &["a"], "old");
    let removal = store.remove(RecordKind::VaultEntry, Some(""), None);
    put(store, "", &["a"], "new");
    assert_eq!(find(store, "", &["a"]).await, ["a=new"]);
    assert_eq!(removal.await, Ok(1));
    assert_eq!(find(store, "", &["a"]).await, ["a=new"]);
    store.flush().await.unwrap();
    assert_eq!(bodies(store, RecordKind::VaultEntry).await, ["new"]);
}

pub(crate) async fn bytes_are_read_back_unchanged(store: &dyn RecordStore) {
    let all: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    for (nth, length) in [0, 1, 4096, 300_000].into_iter().enumerate() {
        let mut stored = record(RecordKind::VaultEntry, "ö\u{0}", &[&format!("\u{0} {nth}")], "");
        stored.body = bytes::Bytes::copy_from_slice(&all[..length]);
        store.put(stored);
    }
    store.flush().await.unwrap();
    for (nth, length) in [0, 1, 4096, 300_000].into_iter().enumerate() {
        let hits = store.find(RecordKind::VaultEntry, "ö\u{0}", &[&format!("\u{0} {nth}")]).await;
        assert_eq!(hits.len(), 1);
        assert!(hits[0].body == all[..length]);
    }
}

/// Each task finds everything that it stored exactly once, while other tasks store and find.
pub(crate) async fn many_tasks_work_concurrently(store: &dyn RecordStore) {
    let tasks = (0..8).map(|task| async move {
        for turn in 0..40 {
            let keys: Vec<_> = (0..=turn).map(|nth| format!("{task} {nth}")).collect();
            put(store, "", &[&keys[turn], "common"], &format!("{task}/{turn}"));
            let keys: Vec<_> = keys.iter().map(String::as_str).collect();
            let found = find(store, "", &keys).await;
            let expected: Vec<_> =
                (0..=turn).map(|nth| format!("{task} {nth}={task}/{nth}")).collect();
            assert_eq!(found, expected);
            if turn % 7 == 0 {
                store.flush().await.unwrap();
            }
        }
    });
    let mut tasks: Vec<_> = tasks.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        tasks.retain_mut(|task| task.as_mut().poll(context).is_pending());
        if tasks.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    assert_eq!(find(store, "", &["common"]).await.len(), MAX_RECORDS_PER_KEY);
}

pub(crate) async fn is_empty_only_if_there_are_no_records(store: &dyn RecordStore) {
    assert_eq!(find(store, "", &["a"]).await, [""; 0]);
    let was_empty = store.is_known_empty(RecordKind::VaultEntry);
    store.put(record(RecordKind::GuardAnswer, "", &["a"], "answer"));
    store.flush().await.unwrap();
    assert_eq!(store.is_known_empty(RecordKind::VaultEntry), was_empty);
    assert!(!store.is_known_empty(RecordKind::GuardAnswer));
    put(store, "ann", &["a"], "x");
    assert!(!store.is_known_empty(RecordKind::VaultEntry));
    store.flush().await.unwrap();
    // A miss for one key does not mean that the kind is empty.
    assert_eq!(find(store, "", &["a", "b"]).await, [""; 0]);
    assert!(!store.is_known_empty(RecordKind::VaultEntry));
    assert_eq!(find(store, "ann", &["a"]).await, ["a=x"]);
}
