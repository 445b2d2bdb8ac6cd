//! The configuration of who has configured nothing.

use std::path::PathBuf;
use std::sync::Arc;

use super::{
    Access, Capture, Config, Env, Guard, LISTEN, Limits, Models, PROVIDERS, Provider, Store,
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
    PROVIDERS
        .iter()
        .filter(|row| row.key(env).is_some())
        .filter_map(|row| row.provider(env).ok())
        .map(Arc::new)
        .collect()
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
