//! Keys that were made while the gateway runs: they lie in the store, and open all of its nodes.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use interlingua_store::{Keeper, Kind, Record, Trouble};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::config::{Key, digest};

/// The keys of the store, as they were last read.
#[derive(Debug)]
pub(crate) struct Keyring {
    keys: ArcSwap<Vec<Made>>,
    store: Arc<dyn Keeper>,
    /// One change at a time, and none while it is looked.
    changes: Mutex<()>,
}

/// A key, and when it was made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) key: Key,
    /// Seconds since 1970.
    pub(crate) created: u64,
}

/// What a key may do.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct May {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requests_per_minute: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) concurrent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens_per_day: Option<u64>,
}

/// As it lies in the store: a digest, and never the key.
#[derive(Deserialize, Serialize)]
struct Written {
    name: String,
    sha256: [u8; 32],
    created: u64,
    #[serde(flatten)]
    may: May,
}

/// Why there is no such key, or none was made.
pub(crate) enum Unmade {
    /// The name is taken.
    Taken,
    Missing,
    Trouble(Trouble),
}

impl Keyring {
    pub(crate) fn kept_in(store: Arc<dyn Keeper>) -> Self {
        Self { keys: ArcSwap::default(), store, changes: Mutex::default() }
    }

    pub(crate) fn keys(&self) -> Arc<Vec<Made>> {
        self.keys.load_full()
    }

    /// Reads what the store holds: other nodes make and remove keys, too. While it is in trouble, no key is
    /// taken for removed.
    pub(crate) async fn look(&self) {
        let _alone = self.changes.lock().await;
        // The store says what is wrong with it.
        let _ = self.read().await;
    }

    /// Whether the store could be read.
    async fn read(&self) -> Result<(), Trouble> {
        let records = self.store.all(Kind::Key).await;
        let trouble = self.store.health().trouble;
        let mut keys: Vec<Made> = records.iter().filter_map(made).collect();
        if trouble.is_some() {
            let known = self.keys();
            let read = |one: &&Made| keys.iter().any(|other| other.key.sha256 == one.key.sha256);
            let others: Vec<Made> = known.iter().filter(|one| !read(one)).cloned().collect();
            keys.extend(others);
        }
        keys.sort_by(|one, other| one.key.name.cmp(&other.key.name));
        self.keys.store(Arc::new(keys));
        trouble.map_or(Ok(()), Err)
    }

    /// Makes a key of this name that opens with this secret.
    pub(crate) async fn make(&self, name: &str, secret: &str, may: May) -> Result<Made, Unmade> {
        let _alone = self.changes.lock().await;
        self.read().await.map_err(Unmade::Trouble)?;
        if self.keys().iter().any(|made| made.key.name == name) {
            return Err(Unmade::Taken);
        }
        let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let sha256 = digest(secret.as_bytes());
        let written = Written { name: name.to_owned(), sha256, created, may };
        let body = serde_json::to_vec(&written).map_err(|error| {
            Unmade::Trouble(Trouble(format!("the key cannot be written: {error}")))
        })?;
        // Under its name, and under what no other has.
        let own = format!("{OWN}{}", URL_SAFE_NO_PAD.encode(sha256));
        let keys = vec![format!("{NAME}{name}"), own.clone()];
        let record =
            Record { kind: Kind::Key, owner: String::new(), keys, body: Bytes::from(body) };
        self.store.keep(record);
        let stored = self.store.flush().await;
        let stored = match stored {
            Ok(()) => self.read().await,
            Err(trouble) => Err(trouble),
        };
        let namesakes = self.keys().iter().filter(|made| made.key.name == name).count();
        // Of two that are made at once at two nodes, neither is sure to be the only one.
        let unmade = match (stored, namesakes) {
            (Ok(()), 1) => return Ok(Made { key: written.key(), created }),
            (Ok(()), 0) => Unmade::Trouble(Trouble("it is turned off".into())),
            (Ok(()), _) => Unmade::Taken,
            (Err(trouble), _) => Unmade::Trouble(trouble),
        };
        // What waits to be written is taken back, too, and nobody waits for that.
        drop(self.store.remove(Kind::Key, Some(""), Some(&own)));
        let left = self.keys().iter().filter(|made| made.key.sha256 != sha256).cloned().collect();
        self.keys.store(Arc::new(left));
        Err(unmade)
    }

    /// Removes a key: who shows it from now on is refused, here at once and elsewhere soon.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), Unmade> {
        let _alone = self.changes.lock().await;
        let removed = self.store.remove(Kind::Key, Some(""), Some(&format!("{NAME}{name}"))).await;
        let removed = removed.map_err(Unmade::Trouble)?;
        let left = self.keys().iter().filter(|made| made.key.name != name).cloned().collect();
        self.keys.store(Arc::new(left));
        if removed == 0 { Err(Unmade::Missing) } else { Ok(()) }
    }
}

fn made(record: &Record) -> Option<Made> {
    let written: Written = serde_json::from_slice(&record.body).ok()?;
    Some(Made { created: written.created, key: written.key() })
}

impl Written {
    fn key(self) -> Key {
        let May { requests_per_minute, concurrent, tokens_per_day } = self.may;
        let Self { name, sha256, .. } = self;
        Key { name, sha256, requests_per_minute, concurrent, tokens_per_day }
    }
}

impl Made {
    pub(crate) fn may(&self) -> May {
        let Key { requests_per_minute, concurrent, tokens_per_day, .. } = self.key;
        May { requests_per_minute, concurrent, tokens_per_day }
    }
}

const NAME: &str = "name ";
const OWN: &str = "sha256 ";
