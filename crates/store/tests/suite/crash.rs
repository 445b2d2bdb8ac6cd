//! Tests that a process killed while it writes loses no flushed record and tears none.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use interlingua_store::{RecordKind, RecordStore as _, StoreOptions};

use crate::sqlite::open;
use crate::support::put;

const FOLDER: &str = "INTERLINGUA_STORE_CRASH_FOLDER";

/// The process that is killed. It prints what it has flushed.
#[tokio::test]
#[ignore = "started by the test below"]
async fn victim() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = open(Path::new(&folder), StoreOptions::default());
    let start = store.list_records(RecordKind::VaultEntry).await.len();
    for nth in start.. {
        put(&store, "", &[&format!("k{nth}"), "all"], &body(nth));
        if nth % 3 == 0 {
            store.flush().await.unwrap();
            println!("flushed {nth}");
        }
    }
}

#[tokio::test]
async fn flushed_records_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "crash::victim"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let flushed = lines.map_while(Result::ok).filter_map(|line| {
            line.rsplit_once("flushed ").and_then(|(_, nth)| nth.parse::<usize>().ok())
        });
        // At a different time in each round.
        let mut count = 0;
        for nth in flushed {
            acknowledged = nth + 1;
            count += 1;
            if count == 3 + round % 5 {
                std::thread::sleep(Duration::from_micros(u64::from(round as u32) * 331 % 5000));
                victim.kill().unwrap();
            }
        }
        victim.wait().unwrap();
        assert!(count > 0, "it was killed before it began");
        check(folder.path(), acknowledged).await;
    }
}

async fn check(folder: &Path, acknowledged: usize) {
    let store = open(folder, StoreOptions::default());
    let health = store.health();
    assert_eq!((health.error, health.damaged_rows), (None, 0));
    let all = store.list_records(RecordKind::VaultEntry).await;
    assert!(all.len() >= acknowledged, "{} of {acknowledged} are there", all.len());
    for (nth, record) in all.iter().rev().enumerate() {
        assert_eq!(record.keys, [format!("k{nth}"), "all".to_owned()]);
        assert!(record.body == body(nth), "{nth} is torn");
    }
    let last = format!("k{}", acknowledged - 1);
    assert_eq!(store.find(RecordKind::VaultEntry, "", &[&last]).await.len(), 1);
    assert_eq!(store.health().damaged_rows, 0);
    assert!(
        !std::fs::read_dir(folder.join("data"))
            .unwrap()
            .any(|file| { file.unwrap().file_name().to_string_lossy().contains("broken") })
    );
}

fn body(nth: usize) -> String {
    format!("{nth} ").repeat(nth % 1700)
}

/// As many as the test's duration allows.
const ROUNDS: usize = 50;
