//! Parses a configuration file and reports all errors in it, not only the first one.

mod access;
mod http_values;
mod models;
mod provider;
mod providers;
mod secret;
mod sections;
mod store;
mod table;
mod telemetry;
mod units;

use std::net::SocketAddr;
use std::sync::Arc;

use toml::de::DeTable;

use self::providers::ProviderEntry;
use self::table::{Item, Section};
use super::diagnostics::Diagnostics;
use super::{
    Capture, Config, ConfigError, ConfigWarning, DEFAULT_LISTEN, Env, Limits, Proxies,
    RepairConfig, Timeouts,
};

impl Config {
    /// Parses a file: the configuration with warnings, or all errors.
    ///
    /// Secrets are read from the variables and files that it names.
    pub fn parse(text: &str, env: Env<'_>) -> Result<(Self, Vec<ConfigWarning>), Vec<ConfigError>> {
        parse(text, env, None)
    }

    /// The configuration without a file: providers with keys in the environment, and defaults for
    /// everything else.
    pub fn from_env(env: Env<'_>) -> Self {
        parse_config(&Section::root(None, &Diagnostics::new("")), env, None)
    }
}

/// As [`Config::parse`], with the listen address of the command line, which overrides the file's.
pub(super) fn parse(
    text: &str,
    env: Env<'_>,
    listen: Option<SocketAddr>,
) -> Result<(Config, Vec<ConfigWarning>), Vec<ConfigError>> {
    let diagnostics = Diagnostics::new(text);
    let (tree, syntax_errors) = DeTable::parse_recoverable(text);
    for error in &syntax_errors {
        let at = error.span().map_or(text.len(), |span| span.start);
        diagnostics.error(at, error.message().trim_end());
    }
    // After a syntax error the rest of the tree is unreliable, so only the syntax errors are
    // reported.
    let config = if syntax_errors.is_empty() {
        parse_config(&Section::root(Some(tree.get_ref()), &diagnostics), env, listen)
    } else {
        Config::from_env(env)
    };
    diagnostics.finish(config)
}

fn parse_config(file: &Section<'_>, env: Env<'_>, listen_override: Option<SocketAddr>) -> Config {
    let listen_item = file.get("listen");
    let listen =
        listen_override.or(listen_item.as_ref().and_then(parse_listen)).unwrap_or(DEFAULT_LISTEN);
    let loopback = listen.ip().is_loopback();
    let (access, repair_of_keys, has_keys) = access::parse(&file.section("access"), env);
    if !loopback {
        // An address from the command line has no position in the file.
        let listen_item = listen_item.filter(|_| listen_override.is_none());
        match (&listen_item, has_keys) {
            (Some(item), false) => item.error(KEYS_REQUIRED),
            (None, false) => {
                file.table.diagnostics.error_outside_file(format!("--listen {KEYS_REQUIRED}"));
            }
            (Some(item), true) => item.warn(PLAINTEXT_WARNING),
            (None, true) => {
                file.table.diagnostics.warn_outside_file(format!("--listen {PLAINTEXT_WARNING}"));
            }
        }
    }
    let mut providers = providers::parse(&file.table("providers"), env);
    let models = models::parse(&file.table("models"), &mut providers, env);
    let roles = models::parse_roles(&file.section("roles"), &mut providers, env);
    let with_repair = |entry: &ProviderEntry| Some((entry.name.clone(), entry.repair.clone()?));
    let repair = RepairConfig {
        general: sections::read_repair(&file.section("repair")),
        providers: providers.iter().filter_map(with_repair).collect(),
        keys: repair_of_keys,
    };
    Config {
        listen,
        providers: providers
            .into_iter()
            .filter_map(|provider_entry| provider_entry.provider)
            .collect(),
        models,
        roles,
        limits: Limits::read(&file.section("limits")),
        timeouts: Timeouts::read(&file.section("timeouts")),
        access,
        repair,
        lessons: sections::read_lessons(&file.section("lessons")),
        guard: sections::read_guard(&file.section("guard")),
        store: store::parse(&file.section("store"), env),
        capture: Capture::read(&file.section("capture"), loopback),
        telemetry: telemetry::parse(&file.section("telemetry"), env),
        proxies: Arc::new(Proxies::from_env(env)),
    }
}

/// `localhost` means the loopback address; other names are rejected.
fn parse_listen(item: &Item<'_>) -> Option<SocketAddr> {
    let text = item.string()?;
    let text = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("{}:{port}", DEFAULT_LISTEN.ip()));
    let address = text.parse().ok();
    if address.is_none() {
        item.error(r#"must be an address and a port, such as "127.0.0.1:8787" or "[::1]:8787""#);
    }
    address
}

const KEYS_REQUIRED: &str =
    "is not loopback: other machines can reach it, so [access] keys are required";

const PLAINTEXT_WARNING: &str =
    "is not loopback, and the traffic is not encrypted: put a TLS proxy in front of it";
