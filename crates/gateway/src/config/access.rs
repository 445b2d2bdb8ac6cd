//! Configuration of API keys, hosts and origins.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

/// `[access]`: the keys, hosts and origins that may use the gateway.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Empty: no key is required. That is only possible on loopback, and for a gateway that had
    /// keys before only with `open`.
    pub keys: Vec<ApiKey>,
    /// No key is required, even if there were keys before.
    pub open: bool,
    /// The file had keys when it was loaded before; set by [`super::Source::remember_keys`].
    pub had_keys: bool,
    /// Allowed `Host` names in addition to loopback and the listen address.
    pub hosts: Vec<String>,
    /// Allowed origins of web pages in addition to the gateway's own.
    pub origins: Vec<String>,
}

/// A client's key. Only its digest is stored.
#[derive(Clone)]
pub struct ApiKey {
    pub name: String,
    pub sha256: [u8; 32],
    pub requests_per_minute: Option<u32>,
    pub concurrent: Option<u32>,
    /// Input, output and reasoning tokens together, per day in UTC.
    pub tokens_per_day: Option<u64>,
}

impl ApiKey {
    pub(crate) fn is_limited(&self) -> bool {
        let limits = (self.requests_per_minute, self.concurrent, self.tokens_per_day);
        limits != (None, None, None)
    }
}

impl Access {
    /// Adds a key that is valid as long as this configuration is in force, and returns it; `None`
    /// if no keys are required.
    pub fn add_temporary_key(&mut self) -> Option<String> {
        if self.keys.is_empty() {
            return None;
        }
        let key = format!("guest-{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        self.keys.push(ApiKey {
            name: "guest".to_owned(),
            sha256: digest(key.as_bytes()),
            requests_per_minute: None,
            concurrent: None,
            tokens_per_day: None,
        });
        Some(key)
    }

    /// Finds a configured key. Takes the same time for wrong and for right keys.
    pub fn find_key(&self, key: &[u8]) -> Option<&ApiKey> {
        find_by_digest(&digest(key), self.keys.iter())
    }
}

/// Finds the key with this digest, in constant time: all keys are compared.
pub(crate) fn find_by_digest<'k>(
    digest: &[u8; 32],
    keys: impl Iterator<Item = &'k ApiKey>,
) -> Option<&'k ApiKey> {
    let mut found = None;
    for key in keys {
        if bool::from(key.sha256.ct_eq(digest)) {
            found = Some(key);
        }
    }
    found
}

pub(crate) fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}
