//! What every store does with what was used. Each function is one promise; [`accounts!`] makes tests of them
//! for a store.

use interlingua_store::{Accounts, Day, Keeper, Share, Sums};

macro_rules! accounts {
    (@one ($($attribute:meta)?) $make:expr; $promise:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $promise() {
            let (store, _held) = $make;
            crate::accounts::$promise(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($promise:ident)+) => {
        $( crate::accounts::accounts!(@one $attribute $make; $promise); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        mod accounts {
            #[allow(unused_imports, reason = "what makes a store may need it")]
            use super::*;
            crate::accounts::accounts!(@all ($($attribute)?) $make;
                what_was_used_is_added_up days_and_owners_can_be_asked_for
                what_was_used_today_is_known_at_once an_exchange_alone_hears_nothing
                many_turns_at_once_all_count);
        }
    };
}
pub(crate) use accounts;

/// A turn with a token in each bucket, and so many in one.
pub(crate) fn turn(output: u64) -> Sums {
    Sums { requests: 1, failures: 0, input: 1, cache_read: 1, cache_write: 1, output, reasoning: 1 }
}

pub(crate) fn share(owner: &str) -> Share {
    Share {
        owner: owner.to_owned(),
        running: 0,
        asked: 0,
        each: std::time::Duration::ZERO,
        is_budgeted: true,
        is_busy: false,
    }
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// Day, owner, model, requests, failures and output of each sum.
pub(crate) async fn used(
    store: &dyn Accounts,
    days: (&str, &str),
    owner: Option<&str>,
) -> Vec<String> {
    let used = store.usage(day(days.0)..=day(days.1), owner).await.unwrap();
    let shown = used.iter().map(|used| {
        let Sums { requests, failures, output, .. } = used.sums;
        format!("{} {} {} {requests} {failures} {output}", used.day, used.owner, used.model)
    });
    shown.collect()
}

pub(crate) async fn what_was_used_is_added_up(store: &dyn Keeper) {
    let day = Day::today();
    assert_eq!(store.usage(day..=day, None).await, Ok(Vec::new()));
    for nth in 1..=10 {
        store.add(day, "ann", "p/m", &turn(nth));
        if nth % 3 == 0 {
            store.exchange(Vec::new()).await.unwrap();
        }
    }
    store.add(day, "ann", "p/m", &Sums { requests: 1, failures: 1, ..Sums::default() });
    store.add(day, "ann", "p/n", &turn(7));
    store.add(day, "", "p/m", &turn(8));
    let used = store.usage(day..=day, None).await.unwrap();
    let keys: Vec<_> = used.iter().map(|used| (&*used.owner, &*used.model)).collect();
    assert_eq!(keys, [("", "p/m"), ("ann", "p/m"), ("ann", "p/n")]);
    let expected = Sums {
        requests: 11,
        failures: 1,
        input: 10,
        cache_read: 10,
        cache_write: 10,
        output: 55,
        reasoning: 10,
    };
    assert_eq!(used[1].sums, expected);
    assert_eq!(used[0].sums.tokens(), 12);
}

pub(crate) async fn days_and_owners_can_be_asked_for(store: &dyn Keeper) {
    let days = [0, 1, 2].map(|ago| Day::today().before(ago));
    for (nth, day) in (1..).zip(days) {
        store.add(day, "ann", "p/m", &turn(nth));
        store.add(day, "bob", "p/m", &turn(nth * 10));
    }
    let days = days.map(|day| day.to_string());
    let [last, middle, first] = days.each_ref().map(String::as_str);
    let line = |day: &str, rest: &str| format!("{day} {rest}");
    assert_eq!(
        used(store, (first, middle), None).await,
        [
            line(first, "ann p/m 1 0 3"),
            line(first, "bob p/m 1 0 30"),
            line(middle, "ann p/m 1 0 2"),
            line(middle, "bob p/m 1 0 20"),
        ]
    );
    let hers = [line(middle, "ann p/m 1 0 2"), line(last, "ann p/m 1 0 1")];
    assert_eq!(used(store, (middle, last), Some("ann")).await, hers);
    assert_eq!(used(store, (first, last), Some("eve")).await, [""; 0]);
    assert_eq!(used(store, (last, first), None).await, [""; 0]);
}

pub(crate) async fn what_was_used_today_is_known_at_once(store: &dyn Keeper) {
    let today = Day::today();
    assert_eq!(store.spent(today, "ann"), 0);
    for nth in 1..=20 {
        store.add(today, "ann", "p/m", &turn(6));
        store.add(today, "bob", "p/m", &turn(0));
        assert_eq!((store.spent(today, "ann"), store.spent(today, "bob")), (10 * nth, 4 * nth));
        if nth % 4 == 0 {
            store.exchange(vec![share("ann")]).await.unwrap();
            assert_eq!((store.spent(today, "ann"), store.spent(today, "bob")), (10 * nth, 4 * nth));
        }
    }
    assert_eq!(store.spent(today.next(), "ann"), 0);
    assert_eq!(store.spent(today, "eve"), 0);
}

pub(crate) async fn an_exchange_alone_hears_nothing(store: &dyn Keeper) {
    let busy = Share { running: 3, is_busy: true, ..share("ann") };
    assert_eq!(store.exchange(vec![busy]).await, Ok(Vec::new()));
}

pub(crate) async fn many_turns_at_once_all_count(store: &dyn Keeper) {
    let day = Day::today();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for nth in 0..500 {
                    store.add(day, ["ann", "bob"][thread % 2], &format!("p/{}", nth % 5), &turn(1));
                }
            });
        }
    });
    let used = store.usage(day..=day, None).await.unwrap();
    assert_eq!(used.len(), 10);
    assert!(used.iter().all(|used| used.sums.requests == 200 && used.sums.output == 200));
}
