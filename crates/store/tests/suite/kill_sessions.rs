//! Tests that a process killed while it appends to a session loses no acknowledged turn, tears
//! none, and needs no repair.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use interlingua_store::{AppendTurns, PostgresStore, SessionId, Store, StoreOptions, StoredTurn};

use crate::sessions::{create_session, read_all};
use crate::sqlite::open;

const FOLDER: &str = "INTERLINGUA_STORE_KILLED_FOLDER";
pub(crate) const DATABASE: &str = "INTERLINGUA_STORE_KILLED_DATABASE";
const SESSION: &str = "INTERLINGUA_STORE_KILLED_SESSION";

/// The process that is killed. It prints what was acknowledged.
#[tokio::test]
#[ignore = "started by the tests below"]
async fn victim() {
    let Ok(session) = std::env::var(SESSION) else { return };
    let id: SessionId = session.parse().unwrap();
    if let Ok(url) = std::env::var(DATABASE) {
        append(&PostgresStore::open(&url, StoreOptions::default()).unwrap(), id).await;
    } else {
        let folder = std::env::var(FOLDER).unwrap();
        append(&open(Path::new(&folder), StoreOptions::default()), id).await;
    }
}

/// Appends one turn after the other, sometimes two together, from the current end.
#[expect(clippy::print_stdout, reason = "the test that kills it reads the output")]
async fn append(store: &dyn Store, id: SessionId) {
    let mut seen = read_all(store, "", id).await.info.turn_count;
    loop {
        let turns = (seen..=seen + seen % 2).map(|nth| StoredTurn::complete(body(nth))).collect();
        seen = store
            .append("", id, AppendTurns { expected_turns: seen, turns, model: None })
            .await
            .unwrap();
        println!("acknowledged {seen}");
    }
}

/// Kills the process at a different time in each round, until enough turns were acknowledged.
pub(crate) async fn kill(id: SessionId, env: (&str, &str), reopen: impl Fn() -> Box<dyn Store>) {
    let (mut acknowledged, mut round) = (0, 0_u64);
    while acknowledged < TURNS {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "kill_sessions::victim"])
            .env(env.0, env.1)
            .env(SESSION, id.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        acknowledged = last_acknowledged(&mut victim, round).unwrap_or(acknowledged);
        victim.wait().unwrap();
        let store = reopen();
        let health = store.health();
        assert_eq!((health.error, health.damaged_rows), (None, 0), "round {round}");
        let contents = read_all(&*store, "", id).await;
        assert_eq!(contents.damaged_turns, [0; 0], "round {round}");
        let count = contents.info.turn_count;
        assert!((acknowledged..=acknowledged + 2).contains(&count), "{count} of {acknowledged}");
        assert_eq!(contents.turns.len() as u64, count);
        // Turns appended together are stored together.
        assert!(count == acknowledged || count == acknowledged + 1 + acknowledged % 2);
        for (numbered_turn, nth) in contents.turns.iter().zip(0..) {
            assert_eq!(numbered_turn.number, nth);
            assert!(numbered_turn.turn.body == body(nth), "{nth} is torn");
        }
        acknowledged = count;
        round += 1;
    }
}

/// The last acknowledged turn before the kill.
fn last_acknowledged(victim: &mut Child, round: u64) -> Option<u64> {
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let acknowledged = lines.map_while(Result::ok).filter_map(|line| {
        line.rsplit_once("acknowledged ").and_then(|(_, nth)| nth.parse::<u64>().ok())
    });
    let mut last = None;
    for (nth, turns) in (0..).zip(acknowledged) {
        last = Some(turns);
        if nth == 4 + round % 9 {
            std::thread::sleep(Duration::from_micros(round * 787 % 9000));
            victim.kill().unwrap();
        }
    }
    last
}

fn body(nth: u64) -> String {
    format!("{nth} ").repeat(usize::try_from(nth * 37 % 2900).unwrap())
}

#[tokio::test]
async fn every_acknowledged_turn_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let id = create_session(&open(folder.path(), StoreOptions::default()), "", "t", &[]).await.id;
    kill(id, (FOLDER, path), || Box::new(open(folder.path(), StoreOptions::default()))).await;
    let mut files = std::fs::read_dir(folder.path().join("data")).unwrap();
    assert!(!files.any(|file| file.unwrap().file_name().to_string_lossy().contains("broken")));
}

/// Two of three appends have one turn, and so it takes 500 of them.
const TURNS: u64 = 750;
