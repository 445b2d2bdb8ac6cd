//! Who may use the gateway.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

/// Who may use the gateway, and from where.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// None: whoever reaches it. That is only possible on loopback.
    pub keys: Vec<Key>,
    /// Names for `Host`, beside those of the loopback and of the address that is listened at.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, beside the gateway's own.
    pub origins: Vec<String>,
}

/// A key of a client. Only its digest is kept.
#[derive(Clone)]
pub struct Key {
    pub name: String,
    pub sha256: [u8; 32],
    pub requests_per_minute: Option<u32>,
    pub concurrent: Option<u32>,
    /// Of all kinds together, on a day in UTC.
    pub tokens_per_day: Option<u64>,
}

impl Key {
    pub(crate) fn is_limited(&self) -> bool {
        let limits = (self.requests_per_minute, self.concurrent, self.tokens_per_day);
        limits != (None, None, None)
    }
}

impl Access {
    /// Admits one more for as long as this configuration is in force, and gives the key. Who needs none gets none.
    pub fn admit_guest(&mut self) -> Option<String> {
        if self.keys.is_empty() {
            return None;
        }
        let key = format!("guest-{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        self.keys.push(Key {
            name: "guest".to_owned(),
            sha256: digest(key.as_bytes()),
            requests_per_minute: None,
            concurrent: None,
            tokens_per_day: None,
        });
        Some(key)
    }

    /// Whose key this is. Takes as long for a wrong key as for any right one.
    pub fn admits(&self, key: &[u8]) -> Option<&Key> {
        opened(&digest(key), self.keys.iter())
    }
}

/// The key of this digest. Takes as long if there is none.
pub(crate) fn opened<'k>(
    digest: &[u8; 32],
    keys: impl Iterator<Item = &'k Key>,
) -> Option<&'k Key> {
    let mut found = None;
    for own in keys {
        if bool::from(own.sha256.ct_eq(digest)) {
            found = Some(own);
        }
    }
    found
}

/// What is kept of a key.
pub(crate) fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}
