//! Where what is remembered lies, for how long, and how much of it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use interlingua_store::{Keep, Retention};
use secrecy::{ExposeSecret as _, SecretString};

/// What is remembered beyond a request, and where.
#[derive(Clone)]
pub struct Store {
    pub place: Place,
    /// How long after it was last needed.
    pub keep: Duration,
    /// Bytes of each kind of things.
    pub size: u64,
    /// The same for conversations: how long after they were last changed, and bytes of all of them.
    pub sessions: Keep,
    /// How long it is known what was used.
    pub usage: Duration,
    /// What it is sealed with on disk.
    pub key: Option<SecretString>,
}

#[derive(Clone)]
pub enum Place {
    /// Nothing is remembered.
    Off,
    Memory,
    Sqlite(PathBuf),
    /// The address carries a password.
    Postgres(SecretString),
}

impl Store {
    pub(super) fn at(place: Place) -> Self {
        Self {
            place,
            keep: Duration::from_hours(30 * 24),
            size: 1 << 30,
            sessions: Retention::default().session,
            usage: Retention::default().usage,
            key: None,
        }
    }
}

impl PartialEq for Store {
    fn eq(&self, other: &Self) -> bool {
        let shown =
            |key: &Option<SecretString>| key.as_ref().map(|key| key.expose_secret().to_owned());
        self.place == other.place
            && (self.keep, self.size) == (other.keep, other.size)
            && (self.sessions, self.usage) == (other.sessions, other.usage)
            && shown(&self.key) == shown(&other.key)
    }
}

impl PartialEq for Place {
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

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("place", &self.place)
            .field("keep", &self.keep)
            .field("size", &self.size)
            .field("sessions", &self.sessions)
            .field("usage", &self.usage)
            .field("sealed", &self.key.is_some())
            .finish()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("Off"),
            Self::Memory => f.write_str("Memory"),
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres([REDACTED])"),
        }
    }
}
