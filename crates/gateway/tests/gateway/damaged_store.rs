//! Tests that a gateway starts and answers with any damage to the files of its store, and that two
//! gateways on one file lose nothing.

use std::fs;
use std::path::Path;
use std::thread;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Config, StoreLocation};
use serde_json::{Value, json};

use crate::client::{get, post};
use crate::harness::Harness;

/// What happens to the database and its journal.
type Damage = fn(&Path);

const DAMAGES: &[(&str, Damage)] = &[
    ("emptied", |file| fs::write(file, "").unwrap()),
    ("one byte", |file| fs::write(file, "S").unwrap()),
    ("text", |file| fs::write(file, "This is no database.\n".repeat(999)).unwrap()),
    ("zeros", |file| fs::write(file, vec![0; 65536]).unwrap()),
    ("the header only", |file| truncate(file, 100)),
    ("half a page", |file| truncate(file, 2048)),
    ("a page and a half", |file| truncate(file, 6144)),
    ("half of it", |file| truncate(file, fs::metadata(file).unwrap().len() / 2)),
    ("a byte missing", |file| truncate(file, fs::metadata(file).unwrap().len() - 1)),
    ("a broken magic", |file| overwrite(file, 0, b"sQLite format 3\0")),
    ("a page size of 1", |file| overwrite(file, 16, &[0, 0])),
    ("another page size", |file| overwrite(file, 16, &[2, 0])),
    ("a newer format", |file| overwrite(file, 18, &[9, 9])),
    ("a wrong page count", |file| overwrite(file, 28, &[0xff; 4])),
    ("a wrong freelist", |file| overwrite(file, 32, &[0xff; 8])),
    ("a newer schema", |file| overwrite(file, 60, &[0x7f, 0, 0, 0])),
    ("another encoding", |file| overwrite(file, 56, &[0, 0, 0, 9])),
    ("a broken first page", |file| overwrite(file, 100, &[0xff; 400])),
    ("a broken second page", |file| overwrite(file, 4096, &[0xff; 4096])),
    ("a broken end", |file| overwrite(file, 8192, &[0x55; 20000])),
    ("a broken journal", |file| fs::write(beside(file, "-wal"), vec![0xff; 9000]).unwrap()),
    ("a foreign shm", |file| fs::write(beside(file, "-shm"), vec![0xff; 32768]).unwrap()),
    ("a folder as the file", |file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    }),
    ("a folder as the journal", |file| {
        let _ = fs::remove_file(beside(file, "-wal"));
        fs::create_dir(beside(file, "-wal")).unwrap();
    }),
    ("a link to nothing", |file| {
        fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(file.with_extension("away"), file).unwrap();
    }),
    ("a link to itself", |file| {
        fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(file, file).unwrap();
    }),
    ("gone", |file| fs::remove_file(file).unwrap()),
];

fn beside(file: &Path, ending: &str) -> std::path::PathBuf {
    format!("{}{ending}", file.display()).into()
}

fn truncate(file: &Path, length: u64) {
    fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length).unwrap();
}

fn overwrite(file: &Path, offset: usize, bytes: &[u8]) {
    let mut content = fs::read(file).unwrap();
    let length = content.len().max(offset + bytes.len());
    content.resize(length, 0);
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
    fs::write(file, content).unwrap();
}

/// Creates a session and continues it; returns the statuses.
fn use_store(harness: &Harness) -> (u16, u16, Value) {
    let hello =
        br#"{"model":"sim/echo","max_tokens":9,"messages":[{"role":"user","content":"Hi."}]}"#;
    let turn = post(harness.addr(), "/v1/messages", "", hello).status;
    let session = post(harness.addr(), "/api/sessions", "", b"{}");
    let created: Value = serde_json::from_slice(&session.body).unwrap_or_default();
    (turn, session.status, created["id"].clone())
}

#[test]
fn a_gateway_starts_and_answers_with_any_damage_to_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    let mut harness = Harness::with_config(|config| with_file(config, &whole));
    for _ in 0..20 {
        assert_eq!(use_store(&harness).1, 200);
    }
    harness.runtime.block_on(harness.gateway.take().unwrap().stop());
    // A store that cannot be read delays its start: several at a time.
    thread::scope(|scope| {
        for damages in DAMAGES.chunks(DAMAGES.len().div_ceil(9)) {
            let (folder, whole) = (folder.path(), &whole);
            scope.spawn(move || {
                for (name, damage) in damages {
                    let place = folder.join(name.replace(' ', "-"));
                    fs::create_dir(&place).unwrap();
                    let file = place.join("store.db");
                    fs::copy(whole, &file).unwrap();
                    damage(&file);
                    start_on_damaged(name, &file);
                }
            });
        }
    });
}

fn with_file(config: &mut Config, file: &Path) {
    config.store.location = StoreLocation::Sqlite(file.to_owned());
    // A damaged store may have had keys; who may ask is not what is tested here.
    config.access.open = true;
}

fn start_on_damaged(name: &str, file: &Path) {
    let harness = Harness::with_config(|config| with_file(config, file));
    let (turn, ..) = use_store(&harness);
    assert_eq!(turn, 200, "{name}");
    let ready = get(harness.addr(), "/readyz", "");
    assert_eq!(ready.status, 200, "{name}: {}", ready.text());
    // Where the store can be used, it is used; where not, that is reported.
    let (_, session, id) = use_store(&harness);
    let is_reported = session >= 500 && ready.text().contains("nothing is stored");
    assert!(session == 200 && id.is_string() || is_reported, "{name}: {session} {}", ready.text());
}

#[test]
fn two_gateways_on_one_file_lose_nothing() {
    const SESSIONS: usize = 6;
    const TURNS: usize = 5;
    let folder = tempfile::tempdir().unwrap();
    let with_file = |config: &mut Config| {
        config.store.location = StoreLocation::Sqlite(folder.path().join("store.db"));
    };
    let harness = Harness::with_config(with_file);
    let mut config = Config::from_env(&|_| None);
    with_file(&mut config);
    let second = Gateway::new(config).unwrap();
    let second =
        harness.runtime.block_on(async { second.start(([127, 0, 0, 1], 0).into()).unwrap() });
    let nodes = [harness.addr(), second.addr];
    let ids: Vec<String> = (0..SESSIONS)
        .map(|nth| {
            let created = post(nodes[nth % 2], "/api/sessions", "", b"{}");
            let created: Value = serde_json::from_slice(&created.body).unwrap();
            created["id"].as_str().unwrap().to_owned()
        })
        .collect();
    // All write to the same file at once.
    thread::scope(|scope| {
        for (nth, id) in ids.iter().enumerate() {
            scope.spawn(move || {
                for turn in 0..TURNS {
                    let body = json!({"model": "sim/echo", "say": format!("turn {turn}")});
                    let path = format!("/api/sessions/{id}/continue");
                    // The answer is on disk before its client has the end.
                    let at = nodes[(nth + turn) % 2];
                    let response = post(at, &path, "", body.to_string().as_bytes());
                    assert_eq!(response.status, 200, "{id} {turn}: {}", response.text());
                }
            });
        }
    });
    for id in &ids {
        for at in nodes {
            let session = get(at, &format!("/api/sessions/{id}"), "");
            let session: Value = serde_json::from_slice(&session.body).unwrap();
            assert_eq!(session["turns"], 2 * TURNS, "{session}");
            for turn in 0..TURNS {
                assert!(session.to_string().contains(&format!("turn {turn}")), "{session}");
            }
        }
    }
    harness.runtime.block_on(second.stop());
}
