//! The configuration of who has configured nothing.

use std::path::PathBuf;
use std::sync::Arc;

use interlingua_upstream::{PROVIDERS, Provider, Proxies, Unset};

use super::{
    Access, Capture, Config, Env, Guard, LISTEN, Limits, Models, Place, Store, Telemetry, Timeouts,
};

/// The known providers whose keys or credentials are in the environment; and those of which it does not say enough.
pub(super) fn found(env: Env<'_>) -> (Vec<Arc<Provider>>, Vec<Unset>) {
    let mut found = (Vec::new(), Vec::new());
    for row in PROVIDERS.iter().filter(|row| row.is_known_to(env)) {
        match row.provider(env) {
            Ok(provider) => found.0.push(Arc::new(provider)),
            Err(unset) => found.1.push(unset),
        }
    }
    found
}

impl Config {
    /// No file: the providers whose keys are in the environment, and the defaults for the rest.
    pub fn from_nothing(env: Env<'_>) -> Self {
        Self {
            listen: LISTEN,
            providers: found(env).0,
            models: Models::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            access: Access::default(),
            guard: Guard::default(),
            store: store(env),
            capture: Capture::default(),
            telemetry: Telemetry::read(env).0,
            proxies: Arc::new(Proxies::read(env)),
        }
    }
}

/// The database in the user's data directory; in memory for a user who has none.
pub(super) fn store(env: Env<'_>) -> Store {
    let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
    let file = data.map(|data| data.join("interlingua").join("interlingua.db"));
    Store::at(file.map_or(Place::Memory, Place::Sqlite))
}
