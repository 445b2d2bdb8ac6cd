//! Builds the configuration without a file, from environment variables.

use std::path::PathBuf;
use std::sync::Arc;

use interlingua_upstream::{PRESETS, PresetError, Provider, Proxies};

use super::{
    Access, Capture, Config, DEFAULT_LISTEN, Env, GuardModes, Limits, ModelRoutes, StoreConfig,
    StoreLocation, Telemetry, Timeouts,
};

/// The presets with keys or credentials in the environment, and the errors of those that lack
/// another variable.
pub(super) fn detect_providers(env: Env<'_>) -> (Vec<Arc<Provider>>, Vec<PresetError>) {
    let mut detected = (Vec::new(), Vec::new());
    for preset in PRESETS.iter().filter(|preset| preset.has_credentials(env)) {
        match preset.provider(env) {
            Ok(provider) => detected.0.push(Arc::new(provider)),
            Err(preset_error) => detected.1.push(preset_error),
        }
    }
    detected
}

impl Config {
    /// The configuration without a file: providers with keys in the environment, and defaults for
    /// everything else.
    pub fn from_env(env: Env<'_>) -> Self {
        Self {
            listen: DEFAULT_LISTEN,
            providers: detect_providers(env).0,
            models: ModelRoutes::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            access: Access::default(),
            guard: GuardModes::default(),
            store: default_store(env),
            capture: Capture::default(),
            telemetry: Telemetry::from_env(env).0,
            proxies: Arc::new(Proxies::from_env(env)),
        }
    }
}

/// The database in the user's data directory; in memory for a user without one.
pub(super) fn default_store(env: Env<'_>) -> StoreConfig {
    let file = data_dir(env).map(|folder| folder.join("interlingua.db"));
    let lacks_data_dir = file.is_none();
    let location = file.map_or(StoreLocation::Memory, StoreLocation::Sqlite);
    StoreConfig { lacks_data_dir, ..StoreConfig::at(location) }
}

/// The user's data directory for this program.
pub(super) fn data_dir(env: Env<'_>) -> Option<PathBuf> {
    let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
    data.map(|data| data.join("interlingua"))
}
