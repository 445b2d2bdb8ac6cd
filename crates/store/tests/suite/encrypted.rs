//! Tests the SQLite store with an encryption key.

use std::time::Duration;

use interlingua_store::{EncryptionKey, RecordKind, RecordStore as _, StoreOptions};

use crate::disk::contains_text;
use crate::records::record_tests;
use crate::sqlite::{fresh, open, wait_until};
use crate::support::{bodies, find, put};

const KEY: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER_KEY: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

record_tests!(fresh(options_with_key(KEY)));

fn options_with_key(key: &str) -> StoreOptions {
    StoreOptions {
        encryption_key: Some(EncryptionKey::new(key).unwrap()),
        ..StoreOptions::default()
    }
}

#[test]
fn a_short_key_is_rejected_and_no_key_is_shown() {
    assert!(EncryptionKey::new("hunter2").is_err());
    assert!(!format!("{:?}", options_with_key(KEY)).contains(KEY));
}

#[tokio::test]
async fn nothing_in_the_file_is_readable() {
    let (store, folder) = fresh(options_with_key(KEY));
    put(&store, "owner-canary", &["key-canary"], "body-canary");
    store.flush().await.unwrap();
    assert!(!contains_text(folder.path(), "canary"));
    drop(store);
    assert!(!contains_text(folder.path(), "canary"));
    let store = open(folder.path(), options_with_key(KEY));
    assert_eq!(find(&store, "owner-canary", &["key-canary"]).await, ["key-canary=body-canary"]);
}

#[tokio::test]
async fn with_another_key_nothing_is_found_and_nothing_is_lost() {
    let (store, folder) = fresh(options_with_key(KEY));
    put(&store, "", &["a"], "x");
    drop(store);
    for options in [options_with_key(OTHER_KEY), StoreOptions::default()] {
        let store = open(folder.path(), options);
        let health = store.health();
        assert_eq!((health.foreign_key_rows, health.error, health.damaged_rows), (1, None, 0));
        assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
        assert_eq!(bodies(&store, RecordKind::VaultEntry).await, [""; 0]);
    }
    let store = open(folder.path(), options_with_key(KEY));
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    assert_eq!(store.health().foreign_key_rows, 0);
}

/// A key that is configured later loses nothing, and leaves nothing unencrypted.
#[tokio::test]
async fn rows_from_before_the_key_are_encrypted() {
    let (store, folder) = fresh(StoreOptions::default());
    for nth in 0..200 {
        put(&store, "ann", &[&format!("k{nth}")], &format!("canary {nth}"));
    }
    drop(store);
    assert!(contains_text(folder.path(), "canary"));
    let store = open(folder.path(), options_with_key(KEY));
    assert_eq!(find(&store, "ann", &["k7"]).await, ["k7=canary 7"]);
    wait_until(|| !contains_text(folder.path(), "canary")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(find(&store, "ann", &["k7", "k199"]).await, ["k7=canary 7", "k199=canary 199"]);
    assert_eq!(store.list_records(RecordKind::VaultEntry).await.len(), 200);
    assert_eq!(store.remove(RecordKind::VaultEntry, Some("ann"), None).await, Ok(200));
}
