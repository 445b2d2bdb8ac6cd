//! Tests the store in memory.

use std::time::Duration;

use interlingua_store::{MemoryStore, Retention, RetentionLimits};

use crate::records::record_tests;
use crate::sessions::session_tests;
use crate::support::{find, put};
use crate::usage::usage_tests;

record_tests!((MemoryStore::default(), ()));
session_tests!((MemoryStore::default(), ()));
usage_tests!((MemoryStore::default(), ()));

fn small() -> Retention {
    Retention {
        vault_entry: RetentionLimits { max_age: Duration::from_millis(80), max_bytes: 64 << 10 },
        ..Retention::default()
    }
}

#[tokio::test]
async fn memory_is_bounded() {
    let store = MemoryStore::new(&small(), 64 << 20);
    let body = "x".repeat(1000);
    for nth in 0..1000 {
        put(&store, "", &[&format!("k{nth}")], &body);
    }
    let mut count = 0;
    for nth in 0..1000 {
        count += find(&store, "", &[&format!("k{nth}")]).await.len();
    }
    assert!((10..64).contains(&count), "{count}");
    assert_eq!(find(&store, "", &["k999"]).await.len(), 1);
}

#[tokio::test]
async fn unused_records_expire() {
    let store = MemoryStore::new(&small(), 64 << 20);
    put(&store, "", &["a"], "x");
    put(&store, "", &["b"], "x");
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    }
    assert_eq!(find(&store, "", &["b"]).await, [""; 0]);
}
