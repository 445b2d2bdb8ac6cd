//! A process that is killed while it appends to conversations: every turn that was acknowledged is there,
//! none is torn, and nothing needs to be repaired.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use interlingua_store::{Append, Keeper, Options, Postgres, SessionId, Turn};

use crate::sessions::{begin, whole};
use crate::sqlite::open;

const FOLDER: &str = "INTERLINGUA_STORE_KILLED_FOLDER";
pub(crate) const DATABASE: &str = "INTERLINGUA_STORE_KILLED_DATABASE";
const SESSION: &str = "INTERLINGUA_STORE_KILLED_SESSION";

/// The process that is killed. It says what was acknowledged.
#[tokio::test]
#[ignore = "started by the tests below"]
async fn victim() {
    let Ok(session) = std::env::var(SESSION) else { return };
    let id: SessionId = session.parse().unwrap();
    if let Ok(url) = std::env::var(DATABASE) {
        append(&Postgres::open(&url, Options::default()).unwrap(), id).await;
    } else {
        let folder = std::env::var(FOLDER).unwrap();
        append(&open(Path::new(&folder), Options::default()), id).await;
    }
}

/// One turn after the other, sometimes two at once, from where it is.
#[expect(clippy::print_stdout, reason = "it is heard by who kills it")]
async fn append(store: &dyn Keeper, id: SessionId) {
    let mut seen = whole(store, "", id).await.session.turns;
    loop {
        let turns = (seen..=seen + seen % 2).map(|nth| Turn::whole(body(nth))).collect();
        seen = store.append("", id, Append { seen, turns, model: None }).await.unwrap();
        println!("acknowledged {seen}");
    }
}

/// Kills it at another moment of its work each time, until so many turns were acknowledged.
pub(crate) async fn kill(id: SessionId, env: (&str, &str), reopen: impl Fn() -> Box<dyn Keeper>) {
    let (mut acknowledged, mut round) = (0, 0_u64);
    while acknowledged < TURNS {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "killed::victim"])
            .env(env.0, env.1)
            .env(SESSION, id.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        acknowledged = hear(&mut victim, round).unwrap_or(acknowledged);
        victim.wait().unwrap();
        let store = reopen();
        let health = store.health();
        assert_eq!((health.trouble, health.damaged), (None, 0), "round {round}");
        let read = whole(&*store, "", id).await;
        assert_eq!(read.damaged, [0; 0], "round {round}");
        let there = read.session.turns;
        assert!((acknowledged..=acknowledged + 2).contains(&there), "{there} of {acknowledged}");
        assert_eq!(read.turns.len() as u64, there);
        // Two that came together are there together.
        assert!(there == acknowledged || there == acknowledged + 1 + acknowledged % 2);
        for (written, nth) in read.turns.iter().zip(0..) {
            assert_eq!(written.number, nth);
            assert!(written.turn.body == body(nth), "{nth} is torn");
        }
        acknowledged = there;
        round += 1;
    }
}

/// The last that was acknowledged before it was killed.
fn hear(victim: &mut Child, round: u64) -> Option<u64> {
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let heard = lines.map_while(Result::ok).filter_map(|line| {
        line.rsplit_once("acknowledged ").and_then(|(_, nth)| nth.parse::<u64>().ok())
    });
    let mut last = None;
    for (nth, turns) in (0..).zip(heard) {
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
async fn every_acknowledged_turn_survives_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let id = begin(&open(folder.path(), Options::default()), "", "t", &[]).await.id;
    kill(id, (FOLDER, path), || Box::new(open(folder.path(), Options::default()))).await;
    let mut files = std::fs::read_dir(folder.path().join("data")).unwrap();
    assert!(!files.any(|file| file.unwrap().file_name().to_string_lossy().contains("broken")));
}

/// Two of three appends have one turn, and so it takes 500 of them.
const TURNS: u64 = 750;
