//! Finds, loads and reloads the gateway's configuration.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{
    Config, ConfigChange, ConfigWarning, ConfigWatcher, LoadError, Source,
};

use crate::error::CommandError;

/// Value of an environment variable.
pub(crate) fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where the configuration is; `listen` overrides its address.
pub(crate) fn source(file: Option<&Path>, listen: Option<SocketAddr>) -> Source {
    Source { listen, ..Source::find(file.map(Path::to_owned), &env_var) }
}

/// Loads the configuration, and logs its warnings.
pub(crate) fn load(source: &Source) -> Result<Config, CommandError> {
    let loaded_config = source.load(&env_var).map_err(|error| config_error(&error))?;
    log_warnings(&loaded_config.warnings);
    Ok(loaded_config.config)
}

/// As [`load`], for a gateway that is to run: it remembers whether its file ever had keys.
pub(crate) fn load_for_gateway(source: &Source) -> Result<Config, CommandError> {
    let mut config = load(source)?;
    remember_keys(source, &mut config);
    Ok(config)
}

fn remember_keys(source: &Source, config: &mut Config) {
    // Elsewhere than on loopback, keys are required anyway.
    if let Err(error) = source.remember_keys(config, &env_var)
        && config.listen.ip().is_loopback()
    {
        tracing::warn!("cannot remember that the configuration has keys: {error}");
    }
}

/// Applies changes of the file to a gateway, for as long as it is polled.
pub(crate) async fn reload_on_change(
    source: Source,
    mut config_watcher: ConfigWatcher,
    gateway: Arc<Gateway>,
) {
    let started = gateway.config();
    loop {
        match config_watcher.next_change().await {
            ConfigChange::New(loaded_config) => {
                log_warnings(&loaded_config.warnings);
                let mut config = loaded_config.config;
                let pending = started.changes_needing_restart(&config);
                remember_keys(&source, &mut config);
                if let Err(error) = gateway.reload(config) {
                    tracing::error!("{error}\nThe old configuration stays in force.");
                    continue;
                }
                if !pending.is_empty() {
                    tracing::warn!("{} has changed and needs a restart", pending.join(", "));
                }
                tracing::info!("the new configuration is in force");
            }
            ConfigChange::Rejected(error) => {
                tracing::error!("{error}\nThe old configuration stays in force.");
            }
        }
    }
}

pub(crate) fn config_error(error: &LoadError) -> CommandError {
    match error {
        LoadError::Unreadable { .. } => {
            CommandError::usage(error.to_string(), "Give an existing, readable file.")
        }
        LoadError::Invalid { .. } => {
            CommandError::failed(error.to_string(), "docs/CONFIGURATION.md describes every key.")
        }
    }
}

fn log_warnings(warnings: &[ConfigWarning]) {
    for warning in warnings {
        tracing::warn!("{warning}");
    }
}
