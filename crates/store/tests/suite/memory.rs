//! The store in memory.

use std::time::Duration;

use interlingua_store::{Keep, Memory, Retention};

use crate::accounts::accounts;
use crate::contract::suite;
use crate::sessions::sessions;
use crate::shared::{find, keep};

suite!((Memory::default(), ()));
sessions!((Memory::default(), ()));
accounts!((Memory::default(), ()));

fn small() -> Retention {
    Retention {
        sealed: Keep { age: Duration::from_millis(80), bytes: 64 << 10 },
        ..Retention::default()
    }
}

#[tokio::test]
async fn it_is_bounded() {
    let store = Memory::new(&small(), 64 << 20);
    let body = "x".repeat(1000);
    for nth in 0..1000 {
        keep(&store, "", &[&format!("k{nth}")], &body);
    }
    let mut held = 0;
    for nth in 0..1000 {
        held += find(&store, "", &[&format!("k{nth}")]).await.len();
    }
    assert!((10..64).contains(&held), "{held}");
    assert_eq!(find(&store, "", &["k999"]).await.len(), 1);
}

#[tokio::test]
async fn what_nobody_needs_is_forgotten_in_time() {
    let store = Memory::new(&small(), 64 << 20);
    keep(&store, "", &["a"], "x");
    keep(&store, "", &["b"], "x");
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(30)).await;
        assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    }
    assert_eq!(find(&store, "", &["b"]).await, [""; 0]);
}
