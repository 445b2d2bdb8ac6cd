//! The contract of [`UsageStore`]: each function is one property, and [`usage_tests!`] makes tests
//! of them for a store.

use interlingua_store::{Day, LocalLoad, Store, UsageStore, UsageTotals};

macro_rules! usage_tests {
    (@one ($($attribute:meta)?) $make:expr; $property:ident) => {
        #[tokio::test]
        $(#[$attribute])?
        async fn $property() {
            let (store, _guard) = $make;
            crate::usage::$property(&store).await;
        }
    };
    (@all $attribute:tt $make:expr; $($property:ident)+) => {
        $( crate::usage::usage_tests!(@one $attribute $make; $property); )+
    };
    ($make:expr $(; $attribute:meta)?) => {
        mod usage_records {
            #[allow(unused_imports, reason = "the expression that makes a store may need it")]
            use super::*;
            crate::usage::usage_tests!(@all ($($attribute)?) $make;
                usage_is_summed days_and_owners_can_be_selected
                todays_tokens_are_known_immediately a_single_node_has_no_remote_load
                many_concurrent_requests_all_count);
        }
    };
}
pub(crate) use usage_tests;

/// One request with `output` tokens, and one token in each other bucket.
pub(crate) fn turn(output: u64) -> UsageTotals {
    UsageTotals {
        requests: 1,
        failures: 0,
        input: 1,
        cache_read: 1,
        cache_write: 1,
        output,
        reasoning: 1,
    }
}

pub(crate) fn local_load(owner: &str) -> LocalLoad {
    LocalLoad {
        owner: owner.to_owned(),
        running_requests: 0,
        new_requests: 0,
        request_interval: std::time::Duration::ZERO,
        has_token_budget: true,
        is_active: false,
    }
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// Day, owner, model, requests, failures and output of each sum.
pub(crate) async fn usage_lines(
    store: &dyn UsageStore,
    days: (&str, &str),
    owner: Option<&str>,
) -> Vec<String> {
    let usage = store.usage(day(days.0)..=day(days.1), owner).await.unwrap();
    let lines = usage.iter().map(|usage| {
        let UsageTotals { requests, failures, output, .. } = usage.totals;
        format!("{} {} {} {requests} {failures} {output}", usage.day, usage.owner, usage.model)
    });
    lines.collect()
}

pub(crate) async fn usage_is_summed(store: &dyn Store) {
    let day = Day::today();
    assert_eq!(store.usage(day..=day, None).await, Ok(Vec::new()));
    for nth in 1..=10 {
        store.add_usage(day, "ann", "p/m", &turn(nth));
        if nth % 3 == 0 {
            store.sync_load(Vec::new()).await.unwrap();
        }
    }
    store.add_usage(
        day,
        "ann",
        "p/m",
        &UsageTotals { requests: 1, failures: 1, ..UsageTotals::default() },
    );
    store.add_usage(day, "ann", "p/n", &turn(7));
    store.add_usage(day, "", "p/m", &turn(8));
    let usage = store.usage(day..=day, None).await.unwrap();
    let keys: Vec<_> = usage.iter().map(|usage| (&*usage.owner, &*usage.model)).collect();
    assert_eq!(keys, [("", "p/m"), ("ann", "p/m"), ("ann", "p/n")]);
    let expected = UsageTotals {
        requests: 11,
        failures: 1,
        input: 10,
        cache_read: 10,
        cache_write: 10,
        output: 55,
        reasoning: 10,
    };
    assert_eq!(usage[1].totals, expected);
    assert_eq!(usage[0].totals.total_tokens(), 12);
}

pub(crate) async fn days_and_owners_can_be_selected(store: &dyn Store) {
    let days = [0, 1, 2].map(|ago| Day::today().minus_days(ago));
    for (nth, day) in (1..).zip(days) {
        store.add_usage(day, "ann", "p/m", &turn(nth));
        store.add_usage(day, "bob", "p/m", &turn(nth * 10));
    }
    let days = days.map(|day| day.to_string());
    let [last, middle, first] = days.each_ref().map(String::as_str);
    let line = |day: &str, rest: &str| format!("{day} {rest}");
    assert_eq!(
        usage_lines(store, (first, middle), None).await,
        [
            line(first, "ann p/m 1 0 3"),
            line(first, "bob p/m 1 0 30"),
            line(middle, "ann p/m 1 0 2"),
            line(middle, "bob p/m 1 0 20"),
        ]
    );
    let anns_usage = [line(middle, "ann p/m 1 0 2"), line(last, "ann p/m 1 0 1")];
    assert_eq!(usage_lines(store, (middle, last), Some("ann")).await, anns_usage);
    assert_eq!(usage_lines(store, (first, last), Some("eve")).await, [""; 0]);
    assert_eq!(usage_lines(store, (last, first), None).await, [""; 0]);
}

pub(crate) async fn todays_tokens_are_known_immediately(store: &dyn Store) {
    let today = Day::today();
    assert_eq!(store.tokens_used(today, "ann"), 0);
    for nth in 1..=20 {
        store.add_usage(today, "ann", "p/m", &turn(6));
        store.add_usage(today, "bob", "p/m", &turn(0));
        assert_eq!(
            (store.tokens_used(today, "ann"), store.tokens_used(today, "bob")),
            (10 * nth, 4 * nth)
        );
        if nth % 4 == 0 {
            store.sync_load(vec![local_load("ann")]).await.unwrap();
            assert_eq!(
                (store.tokens_used(today, "ann"), store.tokens_used(today, "bob")),
                (10 * nth, 4 * nth)
            );
        }
    }
    assert_eq!(store.tokens_used(today.next(), "ann"), 0);
    assert_eq!(store.tokens_used(today, "eve"), 0);
}

pub(crate) async fn a_single_node_has_no_remote_load(store: &dyn Store) {
    let busy = LocalLoad { running_requests: 3, is_active: true, ..local_load("ann") };
    assert_eq!(store.sync_load(vec![busy]).await, Ok(Vec::new()));
}

pub(crate) async fn many_concurrent_requests_all_count(store: &dyn Store) {
    let day = Day::today();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for nth in 0..500 {
                    store.add_usage(
                        day,
                        ["ann", "bob"][thread % 2],
                        &format!("p/{}", nth % 5),
                        &turn(1),
                    );
                }
            });
        }
    });
    let usage = store.usage(day..=day, None).await.unwrap();
    assert_eq!(usage.len(), 10);
    assert!(usage.iter().all(|used| used.totals.requests == 200 && used.totals.output == 200));
}
