//! The providers and the store's location that a configuration without a file has.

use interlingua_providers::PRESETS;
use interlingua_upstream::ProviderFromEnv;
use std::path::PathBuf;
use std::sync::Arc;

use interlingua_upstream::{PresetError, Provider};

use super::{Env, StoreLocation};

/// The presets with keys or credentials in the environment, and the errors of those that lack
/// another variable.
pub(super) fn detect_providers(env: Env<'_>) -> (Vec<Arc<Provider>>, Vec<PresetError>) {
    let mut detected = (Vec::new(), Vec::new());
    for preset in
        PRESETS.iter().filter(|preset| !preset.has_shared_key && preset.has_credentials(env))
    {
        match preset.provider(env) {
            Ok(provider) => detected.0.push(Arc::new(provider)),
            Err(preset_error) => detected.1.push(preset_error),
        }
    }
    detected
}

/// The database in the user's data directory, if there is one.
pub(super) fn default_store(env: Env<'_>) -> Option<StoreLocation> {
    data_dir(env).map(|folder| StoreLocation::Sqlite(folder.join("interlingua.db")))
}

/// The user's data directory for this program.
pub(super) fn data_dir(env: Env<'_>) -> Option<PathBuf> {
    let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
    data.map(|data| data.join("interlingua"))
}
