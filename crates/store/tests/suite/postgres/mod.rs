//! The store in a PostgreSQL. `cargo xtask postgres` starts one for these tests.

mod away;
mod counted;
mod relay;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use interlingua_store::{
    Keep, Kind, Options, Postgres, Retention, Secret, SessionError, Sessions as _, Store as _,
};
use tokio_postgres::{Client, NoTls};

use crate::accounts::accounts;
use crate::contract::suite;
use crate::killed::{DATABASE, kill};
use crate::sessions::{after, begin, bodies, draft, sessions, whole};
use crate::shared::{bodies as kept_bodies, find, keep, together};
use crate::sqlite::until;

suite!(fresh(Options::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
sessions!(fresh(Options::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
accounts!(fresh(Options::default()).await; ignore = "needs a PostgreSQL: cargo xtask postgres");

mod under_a_key {
    use super::*;
    suite!(fresh(with(ONE)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
    sessions!(fresh(with(ONE)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
    accounts!(fresh(with(ONE)).await; ignore = "needs a PostgreSQL: cargo xtask postgres");
}

const ONE: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

fn with(key: &str) -> Options {
    Options { secret: Some(Secret::new(key).unwrap()), ..Options::default() }
}

/// A schema of its own in the server of the tests.
struct Place {
    url: String,
    admin: Client,
}

impl Place {
    async fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let Ok(server) = std::env::var("INTERLINGUA_TEST_POSTGRES") else {
            panic!("INTERLINGUA_TEST_POSTGRES names no server; cargo xtask postgres starts one");
        };
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let schema = format!("t_{}_{nth}", std::process::id());
        let named = format!("application_name={schema}&options=-csearch_path%3D{schema}");
        let url = format!("{server}?{named}");
        let (admin, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        admin.batch_execute(&format!("CREATE SCHEMA {schema}")).await.unwrap();
        Self { url, admin }
    }

    fn open(&self, options: Options) -> Postgres {
        Postgres::open(&self.url, options).unwrap()
    }

    /// Something done to the database by somebody else.
    async fn tamper(&self, with: &str) {
        self.admin.batch_execute(with).await.unwrap();
    }
}

async fn fresh(options: Options) -> (Postgres, Place) {
    let place = Place::new().await;
    let store = place.open(options);
    assert_eq!(store.health().trouble, None);
    (store, place)
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_one_node_writes_another_finds_at_once() {
    let (one, place) = fresh(Options::default()).await;
    let two = place.open(Options::default());
    for nth in 0..20 {
        let key = format!("k{nth}");
        assert_eq!(find(&two, "ann", &[&key, "all"]).await.len(), nth);
        keep(&one, "ann", &[&key, "all"], &format!("{nth}"));
        one.flush().await.unwrap();
        assert_eq!(find(&two, "ann", &[&key]).await, [format!("{key}={nth}")]);
        assert_eq!(find(&two, "ann", &["all"]).await.len(), nth + 1);
    }
    one.keep(crate::shared::record(Kind::Lesson, "", &["l"], "learned"));
    one.flush().await.unwrap();
    assert_eq!(kept_bodies(&two, Kind::Lesson).await, ["learned"]);
    assert_eq!(one.remove(Kind::Sealed, Some("ann"), Some("k3")).await, Ok(1));
    assert_eq!(find(&two, "ann", &["k3", "k4"]).await, ["k4=4"]);
    // What another has removed can be kept again.
    keep(&two, "ann", &["k3", "all"], "3");
    two.flush().await.unwrap();
    assert_eq!(find(&one, "ann", &["k3"]).await, ["k3=3"]);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn the_same_from_two_nodes_is_kept_once() {
    let (one, place) = fresh(Options::default()).await;
    let two = place.open(Options::default());
    for nth in 0..200 {
        for store in [&one, &two] {
            keep(store, "", &[&format!("k{nth}")], "x");
        }
    }
    let flushed = together([one.flush(), two.flush()].into_iter()).await;
    assert_eq!(flushed, [Ok(()), Ok(())]);
    assert_eq!(one.all(Kind::Sealed).await.len(), 200);
    assert_eq!((one.health().trouble, two.health().trouble), (None, None));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn nodes_may_start_at_once() {
    let place = Place::new().await;
    let stores: Vec<Postgres> = std::thread::scope(|scope| {
        let open = || place.open(Options::default());
        let starting: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
        starting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for store in &stores {
        assert_eq!(store.health().trouble, None);
        begin(store, "", "t", &[]).await;
    }
    assert_eq!(stores[0].list("", None, 9).await.unwrap().sessions.len(), 6);
    let versions = place.admin.query("SELECT version FROM interlingua_schema", &[]).await.unwrap();
    assert_eq!(versions.len(), 1);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_newer_database_is_left_alone() {
    let (store, place) = fresh(Options::default()).await;
    drop(store);
    place.tamper("UPDATE interlingua_schema SET version = 99").await;
    let store = place.open(Options::default());
    let trouble = store.health().trouble.unwrap().to_string();
    assert!(trouble.contains("newer version"), "{trouble}");
    let password = place.url.split([':', '@']).nth(2).unwrap();
    assert!(password.len() > 8 && !trouble.contains(password), "{trouble}");
    keep(&store, "", &["a"], "x");
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    assert!(store.create("", draft("t", &[])).await.is_err());
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_was_written_survives_a_restart() {
    let (store, place) = fresh(Options::default()).await;
    for nth in 0..700 {
        keep(&store, "", &[&format!("k{nth}")], "x");
    }
    let id = begin(&store, "ann", "t", &["0"]).await.id;
    let before = whole(&store, "ann", id).await;
    drop(store);
    let store = place.open(Options::default());
    assert_eq!(whole(&store, "ann", id).await, before);
    assert_eq!(store.all(Kind::Sealed).await.len(), 700);
    assert_eq!((store.health().records, store.health().sessions), (700, 1));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_conversation_may_hop_between_nodes() {
    let (one, place) = fresh(Options::default()).await;
    let two = place.open(Options::default());
    let id = begin(&one, "", "t", &[]).await.id;
    for seen in (0..20).step_by(2) {
        assert_eq!(one.append("", id, after(seen, &["one"])).await, Ok(seen + 1));
        assert_eq!(two.append("", id, after(seen + 1, &["two"])).await, Ok(seen + 2));
        let both = [&one, &two].map(|store| store.append("", id, after(seen + 1, &["late"])));
        for answer in together(both.into_iter()).await {
            assert_eq!(answer, Err(SessionError::Conflict { turns: seen + 2 }));
        }
    }
    assert_eq!(bodies(&whole(&one, "", id).await).len(), 20);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_damaged_turn_is_told_and_all_others_are_read() {
    let (store, place) = fresh(Options::default()).await;
    let id = begin(&store, "", "t", &["zero", "one", "two", "three"]).await.id;
    place.tamper("UPDATE interlingua_turns SET payload = payload || 'x' WHERE number = 2").await;
    let read = whole(&store, "", id).await;
    assert_eq!((bodies(&read).len(), read.damaged, store.health().damaged), (3, vec![2], 1));
    assert_eq!(store.append("", id, after(4, &["four"])).await, Ok(5));
    keep(&store, "", &["a"], "x");
    store.flush().await.unwrap();
    place.tamper("UPDATE interlingua_records SET payload = payload || 'x'").await;
    assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
    assert_eq!(store.health().damaged, 2);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn under_a_key_nothing_can_be_read() {
    let (store, place) = fresh(with(ONE)).await;
    keep(&store, "canary", &["canary"], "canary");
    store.flush().await.unwrap();
    let id = begin(&store, "canary", "canary", &["canary"]).await.id;
    drop(store);
    assert!(!holds(&place, "canary").await);
    for options in [with(OTHER), Options::default()] {
        let store = place.open(options);
        assert_eq!(store.health().foreign, 2);
        assert_eq!(find(&store, "canary", &["canary"]).await, [""; 0]);
        assert_eq!(store.read("canary", id, 0..9).await, Err(SessionError::Missing));
    }
    let store = place.open(with(ONE));
    assert_eq!(find(&store, "canary", &["canary"]).await, ["canary=canary"]);
    assert_eq!(bodies(&whole(&store, "canary", id).await), ["canary"]);
}

/// Whether this text is in any row.
async fn holds(place: &Place, text: &str) -> bool {
    let rows = "SELECT count(*) FROM (SELECT payload FROM interlingua_records UNION ALL \
                SELECT payload FROM interlingua_turns UNION ALL \
                SELECT about || model FROM interlingua_sessions) AS r \
                WHERE position($1::bytea IN payload) > 0";
    let row = place.admin.query_one(rows, &[&text.as_bytes()]).await.unwrap();
    row.get::<_, i64>(0) > 0
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_was_written_before_the_key_comes_under_it() {
    let (store, place) = fresh(Options::default()).await;
    for nth in 0..600 {
        keep(&store, "ann", &[&format!("k{nth}")], &format!("canary {nth}"));
    }
    let ids = together((0..20).map(|_| begin(&store, "ann", "canary", &["canary"]))).await;
    drop(store);
    assert!(holds(&place, "canary").await);
    let store = place.open(with(ONE));
    assert_eq!(find(&store, "ann", &["k7"]).await, ["k7=canary 7"]);
    assert_eq!(store.append("ann", ids[3].id, after(1, &["more"])).await, Ok(2));
    let start = Instant::now();
    while holds(&place, "canary").await {
        assert!(start.elapsed() < Duration::from_secs(20), "it stays open");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(find(&store, "ann", &["k7", "k599"]).await, ["k7=canary 7", "k599=canary 599"]);
    assert_eq!(bodies(&whole(&store, "ann", ids[3].id).await), ["canary", "more"]);
    assert_eq!(store.remove(Kind::Sealed, Some("ann"), None).await, Ok(600));
    assert_eq!(store.delete_all("ann").await, Ok(20));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_is_too_old_or_too_much_goes() {
    let much = Keep { age: Duration::from_hours(1), bytes: 100_000 };
    let old = Keep { age: Duration::from_secs(2), bytes: 1 << 30 };
    let retention = Retention { sealed: much, session: much, answer: old, ..Retention::default() };
    let options = Options { retention, tidy: Duration::from_millis(10), ..Options::default() };
    let (store, place) = fresh(options).await;
    let text = "x".repeat(1000);
    store.keep(crate::shared::record(Kind::Answer, "", &["needed"], "1"));
    store.keep(crate::shared::record(Kind::Answer, "", &["old"], "2"));
    for nth in 0..300 {
        keep(&store, "", &[&format!("k{nth}")], &format!("{nth}{text}"));
        if nth % 50 == 0 {
            store.flush().await.unwrap();
        }
    }
    let mut last = begin(&store, "", "", &[]).await;
    for _ in 0..150 {
        last = begin(&store, "", "", &[&text]).await;
    }
    for _ in 0..16 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        assert_eq!(store.find(Kind::Answer, "", &["needed"]).await.len(), 1);
    }
    until(|| (1..=101_000).contains(&store.health().bytes)).await;
    until(|| (1..100).contains(&store.health().sessions)).await;
    assert!(store.health().records > 60 && store.health().sessions > 60, "{:?}", store.health());
    assert_eq!(find(&store, "", &["k0"]).await, [""; 0]);
    assert_eq!(find(&store, "", &["k299"]).await.len(), 1);
    assert_eq!(kept_bodies(&store, Kind::Answer).await, ["1"]);
    assert_eq!(whole(&store, "", last.id).await.turns.len(), 1);
    drop(place);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn a_page_of_a_hundred_thousand_comes_at_once() {
    let (store, place) = fresh(Options::default()).await;
    for _ in 0..20 {
        together((0..100).map(|_| begin(&store, "ann", "t", &["0"]))).await;
    }
    place
        .tamper(
            "INSERT INTO interlingua_sessions SELECT decode(md5(n::text), 'hex'), owner, created - n, \
             updated - 100000000 - n, turns, bytes, lock, about, model FROM \
             (SELECT * FROM interlingua_sessions LIMIT 1) AS s, generate_series(1, 98000) AS n; \
             ANALYZE interlingua_sessions",
        )
        .await;
    let (mut cursor, mut times) = (None, Vec::new());
    for _ in 0..20 {
        let start = Instant::now();
        let page = store.list("ann", cursor, 100).await.unwrap();
        times.push(start.elapsed());
        assert_eq!(page.sessions.len(), 100);
        cursor = page.next;
    }
    times.sort();
    assert!(times[10] < Duration::from_millis(50), "{times:?}");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn every_acknowledged_turn_survives_a_kill() {
    let (store, place) = fresh(Options::default()).await;
    let id = begin(&store, "", "t", &[]).await.id;
    drop(store);
    kill(id, (DATABASE, &place.url), || Box::new(place.open(Options::default()))).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
async fn what_was_used_survives_a_kill() {
    let place = Place::new().await;
    crate::counted::kill((DATABASE, &place.url), || Box::new(place.open(Options::default()))).await;
}
