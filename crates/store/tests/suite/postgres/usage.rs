//! Tests usage and load sharing between nodes on one database.

use std::time::{Duration, Instant};

use interlingua_store::{
    Day, LocalLoad, PostgresStore, RecordStore as _, RemoteLoad, Retention, StoreOptions,
    UsageStore as _,
};

use super::relay::Relay;
use super::{KEY, TestSchema, fresh, options_with_key};
use crate::support::join_all;
use crate::usage::{local_load, turn};

async fn usage_today(store: &PostgresStore, owner: &str) -> (u64, u64) {
    let day = Day::today();
    let usage = store.usage(day..=day, Some(owner)).await.unwrap();
    let sum = |count: fn(&interlingua_store::UsageTotals) -> u64| {
        usage.iter().map(|usage| count(&usage.totals)).sum()
    };
    (sum(|totals| totals.requests), sum(|totals| totals.output))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn usage_from_concurrent_nodes_is_summed() {
    let (one, test_schema) = fresh(StoreOptions::default()).await;
    let two = test_schema.open(StoreOptions::default());
    let add = |store: PostgresStore| async move {
        for nth in 0..300 {
            store.add_usage(Day::today(), "ann", &format!("p/{}", nth % 7), &turn(2));
            if nth % 10 == 0 {
                store.sync_load(vec![local_load("ann")]).await.unwrap();
            }
        }
        store.sync_load(vec![local_load("ann")]).await.unwrap();
        store
    };
    let both = [tokio::spawn(add(one)), tokio::spawn(add(two))];
    let stores = join_all(both.into_iter()).await;
    for store in stores {
        let store = store.unwrap();
        assert_eq!(usage_today(&store, "ann").await, (600, 1200));
        store.sync_load(vec![local_load("ann")]).await.unwrap();
        assert_eq!(store.tokens_used(Day::today(), "ann"), 3600);
        assert_eq!(store.health().error, None);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn nodes_see_each_others_load() {
    for options in [StoreOptions::default, || options_with_key(KEY)] {
        let (one, test_schema) = fresh(options()).await;
        check_remote_load(&one, &test_schema.open(options()), &test_schema).await;
    }
}

async fn check_remote_load(one: &PostgresStore, two: &PostgresStore, test_schema: &TestSchema) {
    let request_interval = Duration::from_secs(10);
    let busy = |running, new_requests| {
        vec![
            LocalLoad {
                running_requests: running,
                new_requests,
                request_interval,
                is_active: true,
                ..local_load("ann")
            },
            local_load("bob"),
        ]
    };
    let remote_load = one.sync_load(busy(2, 3)).await.unwrap();
    assert_remote_load(&remote_load, 0, 30);
    let remote_load = two.sync_load(vec![local_load("ann")]).await.unwrap();
    assert_remote_load(&remote_load, 2, 30);
    let remote_load = two.sync_load(busy(1, 1)).await.unwrap();
    assert_remote_load(&remote_load, 2, 40);
    assert_remote_load(&one.sync_load(busy(0, 0)).await.unwrap(), 1, 40);
    assert_remote_load(&two.sync_load(vec![local_load("ann")]).await.unwrap(), 0, 40);
    assert_eq!(
        two.sync_load(vec![local_load("eve")]).await,
        Ok(Vec::new()),
        "no load was published for it"
    );
    // Silent nodes are not counted, and the rate limit recovers with time.
    test_schema
        .tamper(
            "UPDATE interlingua_running SET at = at - 6000000, running = 5; \
             UPDATE interlingua_paces SET empty = empty - 60000000",
        )
        .await;
    assert_eq!(two.sync_load(vec![local_load("ann")]).await, Ok(Vec::new()));
    assert_remote_load(&two.sync_load(busy(0, 1)).await.unwrap(), 0, 10);
}

fn assert_remote_load(remote_load: &[RemoteLoad], running: u32, seconds: u64) {
    assert_eq!(remote_load.len(), 1, "{remote_load:?}");
    assert_eq!(
        (&*remote_load[0].owner, remote_load[0].running_requests),
        ("ann", running),
        "{remote_load:?}"
    );
    let rate_debt = remote_load[0].rate_debt.as_millis().div_ceil(1000);
    assert!((u128::from(seconds) - 5..=seconds.into()).contains(&rate_debt), "{remote_load:?}");
}

/// The connection is cut at any time, also between a commit and its reply: every request counts
/// once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_lost_connection_loses_and_doubles_nothing() {
    let test_schema = TestSchema::new().await;
    let (relay, url) = Relay::to(&test_schema.url).await;
    let store = PostgresStore::open(&url, StoreOptions::default()).unwrap();
    let mut added = 0;
    for round in 0..40_u64 {
        for _ in 0..3 {
            store.add_usage(Day::today(), "ann", "p/m", &turn(2));
            added += 1;
        }
        let sync = store.sync_load(vec![local_load("ann")]);
        let cut = async {
            tokio::time::sleep(Duration::from_micros(round * 313 % 6000)).await;
            relay.cut(false);
            tokio::time::sleep(Duration::from_millis(2)).await;
            relay.restore();
        };
        let _ = tokio::join!(sync, cut);
        assert_eq!(store.tokens_used(Day::today(), "ann"), added * 6, "round {round}");
    }
    let start = Instant::now();
    while store.sync_load(vec![local_load("ann")]).await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", store.health());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(store.tokens_used(Day::today(), "ann"), added * 6);
    assert_eq!(
        usage_today(&test_schema.open(StoreOptions::default()), "ann").await,
        (added, added * 2)
    );
}

/// The reply to a commit is lost: it is tried again at once, which changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_commit_without_a_reply_counts_once() {
    let test_schema = TestSchema::new().await;
    let (relay, url) = Relay::to(&test_schema.url).await;
    let store = PostgresStore::open(&url, StoreOptions::default()).unwrap();
    for nth in 1..=3 {
        store.add_usage(Day::today(), "ann", "p/m", &turn(2));
        relay.drop_next_commit_reply();
        store.sync_load(vec![local_load("ann")]).await.unwrap();
        let select = "SELECT requests FROM interlingua_usage";
        let row = test_schema.admin.query_one(select, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), nth, "it is stored");
        assert_eq!(store.tokens_used(Day::today(), "ann"), 6 * nth.unsigned_abs());
        store.sync_load(vec![local_load("ann")]).await.unwrap();
        assert_eq!(usage_today(&store, "ann").await, (nth.unsigned_abs(), 2 * nth.unsigned_abs()));
        assert_eq!(store.tokens_used(Day::today(), "ann"), 6 * nth.unsigned_abs());
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn old_days_and_silent_nodes_are_deleted() {
    let retention = Retention { usage_age: Duration::from_hours(48), ..Retention::default() };
    let options = StoreOptions {
        retention,
        prune_interval: Duration::from_millis(10),
        ..StoreOptions::default()
    };
    let (store, test_schema) = fresh(options).await;
    for ago in 0..6 {
        store.add_usage(Day::today().minus_days(ago), "ann", "p/m", &turn(6));
    }
    let request_interval = Duration::from_millis(1);
    let busy = LocalLoad {
        running_requests: 1,
        new_requests: 1,
        request_interval,
        is_active: true,
        ..local_load("ann")
    };
    store.sync_load(vec![busy]).await.unwrap();
    test_schema.tamper("UPDATE interlingua_running SET at = 0").await;
    let rows = "SELECT (SELECT count(*) FROM interlingua_usage), \
                (SELECT count(*) FROM interlingua_running), (SELECT count(*) FROM interlingua_paces)";
    let start = Instant::now();
    loop {
        let row = test_schema.admin.query_one(rows, &[]).await.unwrap();
        let counts: [i64; 3] = [row.get(0), row.get(1), row.get(2)];
        if counts == [3, 0, 0] {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{counts:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn usage_from_before_the_key_is_encrypted() {
    let (store, test_schema) = fresh(StoreOptions::default()).await;
    store.add_usage(Day::today(), "canary", "p/canary", &turn(6));
    drop(store);
    let prune_interval = Duration::from_millis(10);
    let store = test_schema.open(StoreOptions { prune_interval, ..options_with_key(KEY) });
    store.add_usage(Day::today(), "canary", "p/canary", &turn(6));
    store.sync_load(vec![local_load("canary")]).await.unwrap();
    assert_eq!(store.tokens_used(Day::today(), "canary"), 20);
    let count_plaintext = "SELECT count(*) FROM interlingua_usage \
                WHERE position('canary'::bytea IN label) > 0 OR lock = ''";
    let start = Instant::now();
    while test_schema.admin.query_one(count_plaintext, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(usage_today(&store, "canary").await, (2, 12));
}
