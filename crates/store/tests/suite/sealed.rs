//! A store under a key.

use std::time::Duration;

use interlingua_store::{Kind, Options, Secret, Store as _};

use crate::contract::suite;
use crate::disk::holds;
use crate::shared::{bodies, find, keep};
use crate::sqlite::{fresh, open, until};

const ONE: &str = "kD2hA9mQe0TzXq7V5bN1yLwRc8uJf4Gs";
const OTHER: &str = "0bqWn6YpT3xKzE8sH5vRjU1cMdL9gAfQ";

suite!(fresh(with(ONE)));

fn with(key: &str) -> Options {
    Options { secret: Some(Secret::new(key).unwrap()), ..Options::default() }
}

#[test]
fn a_short_key_is_refused_and_none_is_shown() {
    assert!(Secret::new("hunter2").is_err());
    assert!(!format!("{:?}", with(ONE)).contains(ONE));
}

#[tokio::test]
async fn nothing_can_be_read_in_the_file() {
    let (store, folder) = fresh(with(ONE));
    keep(&store, "owner-canary", &["key-canary"], "body-canary");
    store.flush().await.unwrap();
    assert!(!holds(folder.path(), "canary"));
    drop(store);
    assert!(!holds(folder.path(), "canary"));
    let store = open(folder.path(), with(ONE));
    assert_eq!(find(&store, "owner-canary", &["key-canary"]).await, ["key-canary=body-canary"]);
}

#[tokio::test]
async fn with_another_key_nothing_is_found_and_nothing_is_lost() {
    let (store, folder) = fresh(with(ONE));
    keep(&store, "", &["a"], "x");
    drop(store);
    for options in [with(OTHER), Options::default()] {
        let store = open(folder.path(), options);
        let health = store.health();
        assert_eq!((health.foreign, health.trouble, health.damaged), (1, None, 0));
        assert_eq!(find(&store, "", &["a"]).await, [""; 0]);
        assert_eq!(bodies(&store, Kind::Sealed).await, [""; 0]);
    }
    let store = open(folder.path(), with(ONE));
    assert_eq!(find(&store, "", &["a"]).await, ["a=x"]);
    assert_eq!(store.health().foreign, 0);
}

/// Who configures a key later does not lose what there is, nor leave it open.
#[tokio::test]
async fn what_was_written_before_the_key_comes_under_it() {
    let (store, folder) = fresh(Options::default());
    for nth in 0..200 {
        keep(&store, "ann", &[&format!("k{nth}")], &format!("canary {nth}"));
    }
    drop(store);
    assert!(holds(folder.path(), "canary"));
    let store = open(folder.path(), with(ONE));
    assert_eq!(find(&store, "ann", &["k7"]).await, ["k7=canary 7"]);
    until(|| !holds(folder.path(), "canary")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(find(&store, "ann", &["k7", "k199"]).await, ["k7=canary 7", "k199=canary 199"]);
    assert_eq!(store.all(Kind::Sealed).await.len(), 200);
    assert_eq!(store.remove(Kind::Sealed, Some("ann"), None).await, Ok(200));
}
