//! Configuration of the store: location, retention, encryption.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use interlingua_store::RetentionLimits;
use secrecy::{ExposeSecret as _, SecretString};

/// `[store]`.
#[derive(Clone)]
pub struct StoreConfig {
    pub location: StoreLocation,
    /// The location is memory because the user has no data directory.
    pub lacks_data_dir: bool,
    /// Since the last use.
    pub max_age: Duration,
    /// Bytes of each kind of record.
    pub max_bytes: u64,
    /// Retention of sessions: age since the last change, and bytes in total.
    pub sessions: RetentionLimits,
    pub usage_max_age: Duration,
    /// Encrypts record bodies on disk.
    pub encryption_key: Option<SecretString>,
}

#[derive(Clone)]
pub enum StoreLocation {
    /// Nothing is stored.
    Off,
    Memory,
    Sqlite(PathBuf),
    /// The URL carries a password.
    Postgres(SecretString),
}

impl PartialEq for StoreConfig {
    fn eq(&self, other: &Self) -> bool {
        let exposed =
            |key: &Option<SecretString>| key.as_ref().map(|key| key.expose_secret().to_owned());
        self.location == other.location
            && (self.max_age, self.max_bytes) == (other.max_age, other.max_bytes)
            && (self.sessions, self.usage_max_age) == (other.sessions, other.usage_max_age)
            && exposed(&self.encryption_key) == exposed(&other.encryption_key)
    }
}

impl PartialEq for StoreLocation {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Off, Self::Off) | (Self::Memory, Self::Memory) => true,
            (Self::Sqlite(path), Self::Sqlite(other)) => path == other,
            (Self::Postgres(url), Self::Postgres(other)) => {
                url.expose_secret() == other.expose_secret()
            }
            _ => false,
        }
    }
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("place", &self.location)
            .field("lacks_data_dir", &self.lacks_data_dir)
            .field("keep", &self.max_age)
            .field("size", &self.max_bytes)
            .field("sessions", &self.sessions)
            .field("usage", &self.usage_max_age)
            .field("sealed", &self.encryption_key.is_some())
            .finish()
    }
}

impl fmt::Debug for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("Off"),
            Self::Memory => f.write_str("Memory"),
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres([REDACTED])"),
        }
    }
}
