//! The configuration of who has configured nothing.

use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use super::{
    Access, Capture, Config, Env, Guard, LISTEN, Limits, Models, PROVIDERS, Provider, Row, Store,
    Timeouts,
};

impl Config {
    /// No file: the providers whose keys are in the environment, and the defaults for the rest.
    pub fn from_nothing(env: Env<'_>) -> Self {
        Self {
            listen: LISTEN,
            providers: found(env),
            models: Models::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            access: Access::default(),
            guard: Guard::default(),
            store: store(env),
            capture: Capture::default(),
        }
    }
}

/// The known providers whose keys are in the environment.
pub(super) fn found(env: Env<'_>) -> Vec<Arc<Provider>> {
    let found = |row: &Row| {
        let key = key(row, env)?;
        Some(Arc::new(Provider::of(row, Some(key))))
    };
    PROVIDERS.iter().filter_map(found).collect()
}

/// The key of a known provider, from the first variable that has one.
pub(super) fn key(row: &Row, env: Env<'_>) -> Option<SecretString> {
    let filled = |name: &&str| env(name).filter(|key| !key.trim().is_empty());
    row.keys.iter().find_map(filled).map(|key| key.trim().into())
}

/// The database in the user's data directory; in memory for a user who has none.
pub(super) fn store(env: Env<'_>) -> Store {
    let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
    data.map_or(Store::Memory, |data| {
        Store::Sqlite(data.join("interlingua").join("interlingua.db"))
    })
}
