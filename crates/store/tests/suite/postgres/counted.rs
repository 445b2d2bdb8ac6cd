//! What nodes on one database have used, and what they tell each other.

use std::time::{Duration, Instant};

use interlingua_store::{
    Accounts as _, Day, Elsewhere, Options, Postgres, Retention, Share, Store as _,
};

use super::relay::Relay;
use super::{ONE, Place, fresh, with};
use crate::accounts::{share, turn};
use crate::shared::together;

async fn sums(store: &Postgres, owner: &str) -> (u64, u64) {
    let day = Day::today();
    let used = store.usage(day..=day, Some(owner)).await.unwrap();
    let sum =
        |of: fn(&interlingua_store::Sums) -> u64| used.iter().map(|used| of(&used.sums)).sum();
    (sum(|sums| sums.requests), sum(|sums| sums.output))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_nodes_add_at_once_all_counts() {
    let (one, place) = fresh(Options::default()).await;
    let two = place.open(Options::default());
    let add = |store: Postgres| async move {
        for nth in 0..300 {
            store.add(Day::today(), "ann", &format!("p/{}", nth % 7), &turn(2));
            if nth % 10 == 0 {
                store.exchange(vec![share("ann")]).await.unwrap();
            }
        }
        store.exchange(vec![share("ann")]).await.unwrap();
        store
    };
    let both = [tokio::spawn(add(one)), tokio::spawn(add(two))];
    let stores = together(both.into_iter()).await;
    for store in stores {
        let store = store.unwrap();
        assert_eq!(sums(&store, "ann").await, (600, 1200));
        store.exchange(vec![share("ann")]).await.unwrap();
        assert_eq!(store.spent(Day::today(), "ann"), 3600);
        assert_eq!(store.health().trouble, None);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn nodes_hear_what_runs_and_what_was_asked_elsewhere() {
    for options in [Options::default, || with(ONE)] {
        let (one, place) = fresh(options()).await;
        hear(&one, &place.open(options()), &place).await;
    }
}

async fn hear(one: &Postgres, two: &Postgres, place: &Place) {
    let each = Duration::from_secs(10);
    let busy = |running, asked| {
        vec![Share { running, asked, each, is_busy: true, ..share("ann") }, share("bob")]
    };
    let heard = one.exchange(busy(2, 3)).await.unwrap();
    about(&heard, 0, 30);
    let heard = two.exchange(vec![share("ann")]).await.unwrap();
    about(&heard, 2, 30);
    let heard = two.exchange(busy(1, 1)).await.unwrap();
    about(&heard, 2, 40);
    about(&one.exchange(busy(0, 0)).await.unwrap(), 1, 40);
    about(&two.exchange(vec![share("ann")]).await.unwrap(), 0, 40);
    assert_eq!(two.exchange(vec![share("eve")]).await, Ok(Vec::new()), "nobody asked for it");
    // Who was silent for long is not counted, and time that has passed is not owed.
    place
        .tamper(
            "UPDATE interlingua_running SET at = at - 6000000, running = 5; \
             UPDATE interlingua_paces SET empty = empty - 60000000",
        )
        .await;
    assert_eq!(two.exchange(vec![share("ann")]).await, Ok(Vec::new()));
    about(&two.exchange(busy(0, 1)).await.unwrap(), 0, 10);
}

fn about(heard: &[Elsewhere], running: u32, seconds: u64) {
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!((&*heard[0].owner, heard[0].running), ("ann", running), "{heard:?}");
    let ahead = heard[0].ahead.as_millis().div_ceil(1000);
    assert!((u128::from(seconds) - 5..=seconds.into()).contains(&ahead), "{heard:?}");
}

/// The cable is cut at any moment, also between a commit and the word of it: every turn counts once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_lost_connection_neither_loses_nor_doubles() {
    let place = Place::new().await;
    let (relay, url) = Relay::to(&place.url).await;
    let store = Postgres::open(&url, Options::default()).unwrap();
    let mut added = 0;
    for round in 0..40_u64 {
        for _ in 0..3 {
            store.add(Day::today(), "ann", "p/m", &turn(2));
            added += 1;
        }
        let asked = store.exchange(vec![share("ann")]);
        let cut = async {
            tokio::time::sleep(Duration::from_micros(round * 313 % 6000)).await;
            relay.cut(false);
            tokio::time::sleep(Duration::from_millis(2)).await;
            relay.mend();
        };
        let _ = tokio::join!(asked, cut);
        assert_eq!(store.spent(Day::today(), "ann"), added * 6, "round {round}");
    }
    let began = Instant::now();
    while store.exchange(vec![share("ann")]).await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", store.health());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(store.spent(Day::today(), "ann"), added * 6);
    assert_eq!(sums(&place.open(Options::default()), "ann").await, (added, added * 2));
}

/// The server has written, and nobody here knows: the next try changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_was_written_unheard_counts_once() {
    let place = Place::new().await;
    let (relay, url) = Relay::to(&place.url).await;
    let store = Postgres::open(&url, Options::default()).unwrap();
    for nth in 1..=3 {
        store.add(Day::today(), "ann", "p/m", &turn(2));
        relay.mute_next_commit();
        assert!(store.exchange(vec![share("ann")]).await.is_err());
        let there = "SELECT requests FROM interlingua_usage";
        let row = place.admin.query_one(there, &[]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), nth, "it is there");
        assert_eq!(store.spent(Day::today(), "ann"), 6 * nth.unsigned_abs());
        store.exchange(vec![share("ann")]).await.unwrap();
        assert_eq!(sums(&store, "ann").await, (nth.unsigned_abs(), 2 * nth.unsigned_abs()));
        assert_eq!(store.spent(Day::today(), "ann"), 6 * nth.unsigned_abs());
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn days_that_are_too_old_go_and_so_do_silent_nodes() {
    let retention = Retention { usage: Duration::from_hours(48), ..Retention::default() };
    let options = Options { retention, tidy: Duration::from_millis(10), ..Options::default() };
    let (store, place) = fresh(options).await;
    for ago in 0..6 {
        store.add(Day::today().before(ago), "ann", "p/m", &turn(6));
    }
    let each = Duration::from_millis(1);
    let busy = Share { running: 1, asked: 1, each, is_busy: true, ..share("ann") };
    store.exchange(vec![busy]).await.unwrap();
    place.tamper("UPDATE interlingua_running SET at = 0").await;
    let rows = "SELECT (SELECT count(*) FROM interlingua_usage), \
                (SELECT count(*) FROM interlingua_running), (SELECT count(*) FROM interlingua_paces)";
    let began = Instant::now();
    loop {
        let row = place.admin.query_one(rows, &[]).await.unwrap();
        let counts: [i64; 3] = [row.get(0), row.get(1), row.get(2)];
        if counts == [3, 0, 0] {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{counts:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_was_used_before_the_key_comes_under_it() {
    let (store, place) = fresh(Options::default()).await;
    store.add(Day::today(), "canary", "p/canary", &turn(6));
    drop(store);
    let tidy = Duration::from_millis(10);
    let store = place.open(Options { tidy, ..with(ONE) });
    store.add(Day::today(), "canary", "p/canary", &turn(6));
    store.exchange(vec![share("canary")]).await.unwrap();
    assert_eq!(store.spent(Day::today(), "canary"), 20);
    let open = "SELECT count(*) FROM interlingua_usage \
                WHERE position('canary'::bytea IN label) > 0 OR lock = ''";
    let began = Instant::now();
    while place.admin.query_one(open, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        assert!(began.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(sums(&store, "canary").await, (2, 12));
}
