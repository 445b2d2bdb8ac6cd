//! What every store does. Each function is one promise; [`suite!`] makes tests of them for a store.

use interlingua_store::{Health, Kind, MOST, Store};

use crate::shared::{bodies, find, keep, record};

/// Tests of all promises for a way to make an empty store. What it makes with the store is held until
/// the test is over. What follows it is an attribute of every test.
macro_rules! suite {
    (@one ($($attribute:meta)?) $make:expr; $promise:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $promise() {
            let (store, _held) = $make;
            crate::contract::$promise(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($promise:ident)+) => {
        $( suite!(@one $attribute $make; $promise); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        suite!(@all ($($attribute)?) $make;
            what_is_kept_is_found_at_once what_is_kept_is_found_when_it_is_written
            owners_do_not_find_each_others kinds_are_apart owners_and_keys_do_not_run_together
            the_newest_is_first only_so_many_are_found the_same_is_kept_once
            what_is_not_there_is_not_found_until_it_is all_of_a_kind_are_listed
            removal_takes_what_it_names removal_takes_a_record_whole removal_spares_what_comes_later
            bytes_come_back_as_they_were many_tasks_at_once nobody_need_look_only_where_nothing_is);
    };
}
pub(crate) use suite;

pub(crate) async fn what_is_kept_is_found_at_once(store: &dyn Store) {
    keep(store, "", &["a", "b"], "x");
    assert_eq!(find(store, "", &["a", "b", "c"]).await, ["a=x", "b=x"]);
    assert_eq!(find(store, "", &["b"]).await, ["b=x"]);
}

pub(crate) async fn what_is_kept_is_found_when_it_is_written(store: &dyn Store) {
    assert_eq!(find(store, "", &["a", "b"]).await, [""; 0]);
    keep(store, "", &["a"], "x");
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x"]);
    keep(store, "", &["b"], "y");
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x", "b=y"]);
    assert_eq!(store.health().trouble, Health::default().trouble);
}

pub(crate) async fn owners_do_not_find_each_others(store: &dyn Store) {
    keep(store, "ann", &["a"], "hers");
    keep(store, "bob", &["a"], "his");
    keep(store, "", &["a"], "nobody's");
    for _ in 0..2 {
        assert_eq!(find(store, "ann", &["a"]).await, ["a=hers"]);
        assert_eq!(find(store, "bob", &["a"]).await, ["a=his"]);
        assert_eq!(find(store, "", &["a"]).await, ["a=nobody's"]);
        assert_eq!(find(store, "eve", &["a"]).await, [""; 0]);
        store.flush().await.unwrap();
    }
}

pub(crate) async fn kinds_are_apart(store: &dyn Store) {
    store.keep(record(Kind::Answer, "", &["a"], "answer"));
    store.keep(record(Kind::Lesson, "", &["a"], "lesson"));
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a"]).await, [""; 0]);
    assert_eq!(bodies(store, Kind::Answer).await, ["answer"]);
    assert_eq!(bodies(store, Kind::Lesson).await, ["lesson"]);
}

pub(crate) async fn owners_and_keys_do_not_run_together(store: &dyn Store) {
    keep(store, "ab", &["c"], "x");
    keep(store, "a", &["1:b"], "y");
    store.flush().await.unwrap();
    assert_eq!(find(store, "a", &["bc", "c"]).await, [""; 0]);
    assert_eq!(find(store, "a1:", &["b"]).await, [""; 0]);
    assert_eq!(find(store, "", &["abc", "2:abc"]).await, [""; 0]);
}

pub(crate) async fn the_newest_is_first(store: &dyn Store) {
    keep(store, "", &["a"], "1");
    store.flush().await.unwrap();
    keep(store, "", &["a", "b"], "2");
    keep(store, "", &["b"], "3");
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=2", "a=1", "b=3", "b=2"]);
    store.flush().await.unwrap();
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=2", "a=1", "b=3", "b=2"]);
}

pub(crate) async fn only_so_many_are_found(store: &dyn Store) {
    for nth in 0..MOST + 10 {
        keep(store, "", &["a"], &nth.to_string());
    }
    store.flush().await.unwrap();
    let found = find(store, "", &["a"]).await;
    assert_eq!(found.len(), MOST);
    assert_eq!(found[0], format!("a={}", MOST + 9));
}

pub(crate) async fn the_same_is_kept_once(store: &dyn Store) {
    for _ in 0..3 {
        keep(store, "", &["a", "b"], "x");
        store.flush().await.unwrap();
    }
    assert_eq!(find(store, "", &["a"]).await, ["a=x"]);
    assert_eq!(bodies(store, Kind::Sealed).await, ["x"]);
}

pub(crate) async fn what_is_not_there_is_not_found_until_it_is(store: &dyn Store) {
    for nth in 0..20 {
        let key = format!("k{nth}");
        assert_eq!(find(store, "", &[&key]).await, [""; 0]);
        keep(store, "", &[&key], "x");
        assert_eq!(find(store, "", &[&key]).await, [format!("{key}=x")]);
    }
}

pub(crate) async fn all_of_a_kind_are_listed(store: &dyn Store) {
    store.keep(record(Kind::Lesson, "ann", &["a", "b"], "1"));
    store.flush().await.unwrap();
    store.keep(record(Kind::Lesson, "", &["c"], "2"));
    let expected =
        [record(Kind::Lesson, "", &["c"], "2"), record(Kind::Lesson, "ann", &["a", "b"], "1")];
    assert_eq!(store.all(Kind::Lesson).await, expected);
    store.flush().await.unwrap();
    assert_eq!(store.all(Kind::Lesson).await, expected);
}

pub(crate) async fn removal_takes_what_it_names(store: &dyn Store) {
    let fill = || {
        for owner in ["ann", "bob"] {
            for key in ["a", "b"] {
                keep(store, owner, &[key], &format!("{owner} {key}"));
            }
        }
    };
    let cases: [(_, _, &[&str]); 4] = [
        (Some("ann"), Some("a"), &["bob b", "bob a", "ann b"]),
        (Some("ann"), None, &["bob b", "bob a"]),
        (None, Some("a"), &["bob b", "ann b"]),
        (None, None, &[]),
    ];
    for written in [false, true] {
        for (owner, key, left) in cases {
            fill();
            if written {
                store.flush().await.unwrap();
                find(store, "ann", &["a", "b"]).await;
            }
            let removal = store.remove(Kind::Sealed, owner, key);
            assert_eq!(find(store, "ann", &["a"]).await, [""; 0], "{owner:?} {key:?}, at once");
            assert_eq!(removal.await, Ok(4 - left.len() as u64), "{owner:?} {key:?}");
            assert_eq!(bodies(store, Kind::Sealed).await, left, "{owner:?} {key:?}");
            assert_eq!(find(store, "ann", &["a"]).await, [""; 0]);
            store.remove(Kind::Sealed, None, None).await.unwrap();
        }
    }
}

pub(crate) async fn removal_takes_a_record_whole(store: &dyn Store) {
    keep(store, "", &["a", "b"], "x");
    keep(store, "", &["b"], "y");
    assert_eq!(find(store, "", &["a", "b"]).await, ["a=x", "b=y", "b=x"]);
    assert_eq!(store.remove(Kind::Sealed, Some(""), Some("a")).await, Ok(1));
    assert_eq!(find(store, "", &["a", "b"]).await, ["b=y"]);
}

pub(crate) async fn removal_spares_what_comes_later(store: &dyn Store) {
    keep(store, "", &["a"], "old");
    let removal = store.remove(Kind::Sealed, Some(""), None);
    keep(store, "", &["a"], "new");
    assert_eq!(find(store, "", &["a"]).await, ["a=new"]);
    assert_eq!(removal.await, Ok(1));
    assert_eq!(find(store, "", &["a"]).await, ["a=new"]);
    store.flush().await.unwrap();
    assert_eq!(bodies(store, Kind::Sealed).await, ["new"]);
}

pub(crate) async fn bytes_come_back_as_they_were(store: &dyn Store) {
    let all: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    for (nth, length) in [0, 1, 4096, 300_000].into_iter().enumerate() {
        let mut kept = record(Kind::Sealed, "ö\u{0}", &[&format!("\u{0} {nth}")], "");
        kept.body = bytes::Bytes::copy_from_slice(&all[..length]);
        store.keep(kept);
    }
    store.flush().await.unwrap();
    for (nth, length) in [0, 1, 4096, 300_000].into_iter().enumerate() {
        let found = store.find(Kind::Sealed, "ö\u{0}", &[&format!("\u{0} {nth}")]).await;
        assert_eq!(found.len(), 1);
        assert!(found[0].body == all[..length]);
    }
}

/// Each finds everything that it kept, and nothing twice, while others keep and find.
pub(crate) async fn many_tasks_at_once(store: &dyn Store) {
    let tasks = (0..8).map(|task| async move {
        for turn in 0..40 {
            let keys: Vec<_> = (0..=turn).map(|nth| format!("{task} {nth}")).collect();
            keep(store, "", &[&keys[turn], "common"], &format!("{task}/{turn}"));
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
    assert_eq!(find(store, "", &["common"]).await.len(), MOST);
}

pub(crate) async fn nobody_need_look_only_where_nothing_is(store: &dyn Store) {
    assert_eq!(find(store, "", &["a"]).await, [""; 0]);
    let was_known = store.is_empty(Kind::Sealed);
    store.keep(record(Kind::Answer, "", &["a"], "answer"));
    store.flush().await.unwrap();
    assert_eq!(store.is_empty(Kind::Sealed), was_known);
    assert!(!store.is_empty(Kind::Answer));
    keep(store, "ann", &["a"], "x");
    assert!(!store.is_empty(Kind::Sealed));
    store.flush().await.unwrap();
    // Looking in vain for something else says nothing of what is there.
    assert_eq!(find(store, "", &["a", "b"]).await, [""; 0]);
    assert!(!store.is_empty(Kind::Sealed));
    assert_eq!(find(store, "ann", &["a"]).await, ["a=x"]);
}
