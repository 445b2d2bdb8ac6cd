//! Issues and removes API keys at run time. They are in the store and valid on all nodes that share
//! it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use interlingua_store::{Record, RecordKind, Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::client_name::KeyName;
use crate::config::{ApiKey, digest};
use crate::services::key_policy::StoredKeys;

/// A cached list of the store's keys.
#[derive(Debug)]
pub(crate) struct Keyring {
    keys: ArcSwap<Vec<IssuedKey>>,
    pub(crate) stored_keys: StoredKeys,
    store: Arc<dyn Store>,
    /// Serializes changes and refreshes.
    write_lock: Mutex<()>,
}

/// A key that was issued at run time.
#[derive(Clone, Debug)]
pub(crate) struct IssuedKey {
    pub(crate) key: ApiKey,
    /// Unix seconds.
    pub(crate) created: u64,
    pub(crate) rights: Vec<KeyRight>,
}

/// What an issued key may read or change beyond its own data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyRight {
    /// `GET /metrics`.
    Metrics,
    /// Lists and deletes the lessons of all keys.
    Lessons,
}

/// Optional limits of a key.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct KeyLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requests_per_minute: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) concurrent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens_per_day: Option<u64>,
}

/// The stored form: a digest, never the key itself.
#[derive(Deserialize, Serialize)]
struct StoredKey {
    name: String,
    sha256: [u8; 32],
    created: u64,
    #[serde(flatten)]
    limits: KeyLimits,
    /// Names of [`KeyRight`]s; a newer version may have stored more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rights: Vec<String>,
}

pub(crate) enum KeyringError {
    /// Another key has this name.
    NameTaken,
    TooManyKeys,
    NotFound,
    Store(StoreError),
}

impl Keyring {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        let (keys, stored_keys) = (ArcSwap::default(), StoredKeys::default());
        Self { keys, stored_keys, store, write_lock: Mutex::default() }
    }

    pub(crate) fn keys(&self) -> Arc<Vec<IssuedKey>> {
        self.keys.load_full()
    }

    /// Reloads the keys, because other nodes change them too. While the store cannot be read, the
    /// loaded keys stay.
    pub(crate) async fn refresh(&self) {
        let _guard = self.write_lock.lock().await;
        // The store logs its own errors.
        let _ = self.load().await;
        if self.stored_keys.must_be_remembered() {
            self.store.put(marker_record());
        }
    }

    async fn load(&self) -> Result<(), StoreError> {
        let list = self.store.load_records(RecordKind::ApiKey).await?;
        let mut keys: Vec<IssuedKey> = list.records.iter().filter_map(parse_record).collect();
        keys.sort_by(|a, b| a.key.name.cmp(&b.key.name));
        self.keys.store(Arc::new(keys));
        let is_remembered = list.records.iter().any(|record| record.keys == [MARKER_KEY]);
        self.stored_keys.record_load(&list, is_remembered);
        Ok(())
    }

    /// Issues a key with this name and secret, unless there are `max_keys` already.
    pub(crate) async fn issue(
        &self,
        name: &KeyName,
        secret: &str,
        (key_limits, rights): (KeyLimits, &[KeyRight]),
        max_keys: usize,
    ) -> Result<IssuedKey, KeyringError> {
        let _guard = self.write_lock.lock().await;
        self.load().await.map_err(KeyringError::Store)?;
        if self.keys().iter().any(|issued_key| *issued_key.key.name == **name) {
            return Err(KeyringError::NameTaken);
        }
        if self.keys().len() >= max_keys {
            return Err(KeyringError::TooManyKeys);
        }
        let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let sha256 = digest(secret.as_bytes());
        let stored_key = StoredKey {
            name: name.to_string(),
            sha256,
            created,
            limits: key_limits,
            rights: rights.iter().map(|right| right.name().to_owned()).collect(),
        };
        let body = serde_json::to_vec(&stored_key).map_err(|error| {
            KeyringError::Store(StoreError(format!("the key cannot be written: {error}")))
        })?;
        // Findable by name, and by the digest, which is unique.
        let digest_key = format!("{DIGEST_PREFIX}{}", URL_SAFE_NO_PAD.encode(sha256));
        let keys = vec![format!("{NAME_PREFIX}{name}"), digest_key.clone()];
        let record = Record {
            kind: RecordKind::ApiKey,
            owner: String::new(),
            keys,
            body: Bytes::from(body),
        };
        self.store.put(record);
        let result = self.store.flush().await;
        let result = match result {
            Ok(()) => self.load().await,
            Err(error) => Err(error),
        };
        let same_name =
            self.keys().iter().filter(|issued_key| *issued_key.key.name == **name).count();
        // Two nodes may issue the same name concurrently: then both are withdrawn, because neither
        // can know that it was first.
        let keyring_error = match (result, same_name) {
            (Ok(()), 1) => return Ok(stored_key.into_issued_key()),
            (Ok(()), 0) => KeyringError::Store(StoreError("it is turned off".into())),
            (Ok(()), _) => KeyringError::NameTaken,
            (Err(error), _) => KeyringError::Store(error),
        };
        // Withdraws the record even if its write is still pending. The result is not awaited.
        drop(self.store.remove(RecordKind::ApiKey, Some(""), Some(&digest_key)));
        let remaining = self
            .keys()
            .iter()
            .filter(|issued_key| issued_key.key.sha256 != sha256)
            .cloned()
            .collect();
        self.keys.store(Arc::new(remaining));
        Err(keyring_error)
    }

    /// Removes a key: this node rejects it immediately, others after their next refresh.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), KeyringError> {
        let _guard = self.write_lock.lock().await;
        let removed = self
            .store
            .remove(RecordKind::ApiKey, Some(""), Some(&format!("{NAME_PREFIX}{name}")))
            .await;
        let removed = removed.map_err(KeyringError::Store)?;
        let remaining =
            self.keys().iter().filter(|issued_key| issued_key.key.name != name).cloned().collect();
        self.keys.store(Arc::new(remaining));
        if removed == 0 { Err(KeyringError::NotFound) } else { Ok(()) }
    }
}

/// The record by which later processes know that there were keys. It is no key: reading it as one
/// fails.
fn marker_record() -> Record {
    Record {
        kind: RecordKind::ApiKey,
        owner: String::new(),
        keys: vec![MARKER_KEY.to_owned()],
        body: Bytes::from_static(br#"{"had_keys":true}"#),
    }
}

fn parse_record(record: &Record) -> Option<IssuedKey> {
    let stored_key: StoredKey = serde_json::from_slice(&record.body).ok()?;
    Some(stored_key.into_issued_key())
}

impl StoredKey {
    fn into_issued_key(self) -> IssuedKey {
        let KeyLimits { requests_per_minute, concurrent, tokens_per_day } = self.limits;
        let Self { name, sha256, created, rights, .. } = self;
        let key = ApiKey { name, sha256, requests_per_minute, concurrent, tokens_per_day };
        let rights = rights.iter().filter_map(|name| KeyRight::from_name(name)).collect();
        IssuedKey { key, created, rights }
    }
}

impl KeyRight {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Lessons => "lessons",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Metrics, Self::Lessons].into_iter().find(|right| right.name() == name)
    }
}

impl IssuedKey {
    pub(crate) fn limits(&self) -> KeyLimits {
        let ApiKey { requests_per_minute, concurrent, tokens_per_day, .. } = self.key;
        KeyLimits { requests_per_minute, concurrent, tokens_per_day }
    }
}

const NAME_PREFIX: &str = "name ";
const DIGEST_PREFIX: &str = "sha256 ";
const MARKER_KEY: &str = "had keys";
