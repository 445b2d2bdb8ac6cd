//! What was used, on disk: it outlives restarts and kills, and counts once, whatever fails in between.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use interlingua_store::{
    Accounts as _, Day, Keeper, Kind, Nothing, Options, Postgres, Retention, Secret, SessionError,
    Store as _, Sums,
};

use crate::accounts::{share, turn};
use crate::disk::{aside, holds};
use crate::killed::DATABASE;
use crate::shared::record;
use crate::sqlite::{fresh, open, until};

const FOLDER: &str = "INTERLINGUA_STORE_COUNTED_FOLDER";
const ONE: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";

/// Requests and output of an owner today.
async fn sums(store: &dyn Keeper, owner: &str) -> (u64, u64) {
    let day = Day::today();
    let used = store.usage(day..=day, Some(owner)).await.unwrap();
    let add = |sum: (u64, u64), sums: &Sums| (sum.0 + sums.requests, sum.1 + sums.output);
    used.iter().fold((0, 0), |sum, used| add(sum, &used.sums))
}

#[tokio::test]
async fn what_was_used_survives_a_restart() {
    let (store, folder) = fresh(Options::default());
    for _ in 0..3 {
        store.add(Day::today(), "ann", "p/m", &turn(6));
    }
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(store.spent(Day::today(), "ann"), 0, "nobody has asked");
    store.exchange(vec![share("ann")]).await.unwrap();
    assert_eq!(store.spent(Day::today(), "ann"), 30);
    store.add(Day::today(), "ann", "p/m", &turn(6));
    assert_eq!(store.spent(Day::today(), "ann"), 40);
    assert_eq!(sums(&store, "ann").await, (4, 24));
}

#[tokio::test]
async fn it_is_written_soon_although_nobody_asks() {
    let (store, folder) = fresh(Options::default());
    store.add(Day::today(), "ann", "p/m", &turn(6));
    let file = folder.path().join("data").join("store.db");
    until(|| {
        let there = rusqlite::Connection::open(&file).unwrap();
        let rows = there.query_row("SELECT count(*) FROM usage", [], |row| row.get::<_, i64>(0));
        rows == Ok(1)
    })
    .await;
    drop(store);
}

#[tokio::test]
async fn two_processes_on_one_file_add_to_the_same_sums() {
    let (one, folder) = fresh(Options::default());
    let two = open(folder.path(), Options::default());
    for nth in 0..30 {
        for store in [&one, &two] {
            store.add(Day::today(), "ann", "p/m", &turn(6));
        }
        if nth % 5 == 0 {
            one.exchange(vec![share("ann")]).await.unwrap();
        }
    }
    two.exchange(vec![share("ann")]).await.unwrap();
    one.exchange(vec![share("ann")]).await.unwrap();
    assert_eq!(one.spent(Day::today(), "ann"), 600);
    assert_eq!(sums(&two, "ann").await, (60, 360));
}

#[tokio::test]
async fn what_cannot_be_written_waits_and_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let store = open(folder.path(), Options::default());
    for nth in 1..=5 {
        store.add(Day::today(), "ann", "p/m", &turn(6));
        assert!(store.exchange(vec![share("ann")]).await.is_err());
        assert_eq!(store.spent(Day::today(), "ann"), 10 * nth);
    }
    assert!(store.usage(Day::today()..=Day::today(), None).await.is_err());
    fs::remove_file(folder.path().join("data")).unwrap();
    until(|| store.health().trouble.is_none()).await;
    assert_eq!(sums(&store, "ann").await, (5, 30));
    assert_eq!(store.spent(Day::today(), "ann"), 50);
}

/// The schema is damaged, and the rows are whole.
#[tokio::test]
async fn a_broken_file_is_left_with_keys_and_sums() {
    let (store, folder) = fresh(Options::default());
    for nth in 0..40 {
        store.add(Day::today(), "ann", &format!("p/{nth}"), &turn(6));
        store.keep(record(Kind::Key, "", &[&format!("name {nth}")], &format!("key {nth}")));
        store.keep(record(Kind::Sealed, "", &["a"], &format!("{nth}")));
    }
    drop(store);
    let file = folder.path().join("data").join("store.db");
    let mut bytes = fs::read(&file).unwrap();
    let trigger = b"bytes = bytes - old.size";
    let at = bytes.windows(trigger.len()).position(|part| part == trigger).unwrap();
    bytes[at] ^= 1;
    fs::write(&file, bytes).unwrap();
    let store = open(folder.path(), Options::default());
    assert_eq!(store.health().trouble, None);
    assert!(!aside(folder.path()).is_empty(), "it was taken for whole");
    assert_eq!(sums(&store, "ann").await, (40, 240));
    assert_eq!(store.all(Kind::Key).await.len(), 40);
    assert_eq!(store.remove(Kind::Key, Some(""), Some("name 7")).await, Ok(1));
    assert_eq!(store.all(Kind::Sealed).await.len(), 0);
}

#[tokio::test]
async fn days_that_are_too_old_go() {
    let day = Duration::from_hours(24);
    let retention = Retention { usage: 2 * day, ..Retention::default() };
    let options = Options { retention, tidy: Duration::from_millis(10), ..Options::default() };
    let (store, _folder) = fresh(options);
    for ago in 0..6 {
        store.add(Day::today().before(ago), "ann", "p/m", &turn(6));
    }
    let days = Day::today().before(9)..=Day::today();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let used = store.usage(days.clone(), None).await.unwrap();
        if used.len() == 3 {
            assert_eq!(used[0].day, Day::today().before(2));
            return;
        }
    }
    panic!("they stay");
}

#[tokio::test]
async fn under_a_key_nobody_reads_whose_it_is() {
    let (store, folder) = fresh(Options::default());
    store.add(Day::today(), "canary", "p/canary", &turn(6));
    drop(store);
    assert!(holds(folder.path(), "canary"));
    let secret = || Some(Secret::new(ONE).unwrap());
    let options =
        || Options { secret: secret(), tidy: Duration::from_millis(10), ..Options::default() };
    let store = open(folder.path(), options());
    store.add(Day::today(), "canary", "p/canary", &turn(6));
    store.exchange(vec![share("canary")]).await.unwrap();
    assert_eq!(store.spent(Day::today(), "canary"), 20, "what is older than the key counts");
    assert_eq!(sums(&store, "canary").await, (2, 12));
    until(|| !holds(folder.path(), "canary")).await;
    assert_eq!(sums(&store, "canary").await, (2, 12));
    drop(store);
    let store = open(folder.path(), Options::default());
    assert_eq!(sums(&store, "canary").await, (0, 0));
}

#[tokio::test]
async fn a_store_that_is_off_knows_today_and_nothing_else() {
    let store = Nothing::default();
    store.add(Day::today(), "ann", "p/m", &turn(6));
    store.add(Day::today(), "ann", "p/m", &turn(6));
    assert_eq!(store.spent(Day::today(), "ann"), 20);
    let used = store.usage(Day::today()..=Day::today(), None).await;
    assert_eq!(used, Err(SessionError::Off));
}

/// The process that is killed. It says how many turns are in the database.
#[tokio::test]
#[ignore = "started by the tests below"]
async fn victim() {
    if let Ok(url) = std::env::var(DATABASE) {
        count(&Postgres::open(&url, Options::default()).unwrap()).await;
    } else if let Ok(folder) = std::env::var(FOLDER) {
        count(&open(Path::new(&folder), Options::default())).await;
    }
}

#[expect(clippy::print_stdout, reason = "it is heard by who kills it")]
async fn count(store: &dyn Keeper) {
    let mut counted = sums(store, "ann").await.0;
    loop {
        for nth in 0..AT_ONCE {
            store.add(Day::today(), "ann", &format!("p/{nth}"), &turn(2));
        }
        store.exchange(vec![share("ann")]).await.unwrap();
        counted += AT_ONCE;
        println!("counted {counted}");
    }
}

/// Kills it at another moment of its work each time: what it has said is there, what it was about to say is
/// there as a whole or not at all.
pub(crate) async fn kill(env: (&str, &str), reopen: impl Fn() -> Box<dyn Keeper>) {
    for round in 0..ROUNDS {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "counted::victim"])
            .env(env.0, env.1)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let heard = lines.map_while(Result::ok).filter_map(|line| {
            line.rsplit_once("counted ").and_then(|(_, nth)| nth.parse::<u64>().ok())
        });
        let mut last = None;
        for (nth, counted) in (0..).zip(heard) {
            last = Some(counted);
            if nth == 2 + round % 5 {
                std::thread::sleep(Duration::from_micros(round * 787 % 5000));
                victim.kill().unwrap();
            }
        }
        victim.wait().unwrap();
        let (requests, output) = sums(&*reopen(), "ann").await;
        let last = last.unwrap();
        assert!(requests == last || requests == last + AT_ONCE, "{requests} of {last}");
        assert_eq!(output, 2 * requests);
    }
}

#[tokio::test]
async fn a_kill_loses_nothing_and_counts_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    kill((FOLDER, path), || Box::new(open(folder.path(), Options::default()))).await;
}

/// Turns of one exchange.
const AT_ONCE: u64 = 3;
const ROUNDS: u64 = 20;
