//! The gateway's configuration: types, defaults, TOML parser, file watcher.
//!
//! The working directory is never read, and secrets are never printed.

mod access;
mod diagnostics;
mod from_env;
mod key_memory;
mod key_spec;
mod model_routes;
mod parse;
mod repair;
mod route;
mod schema;
mod sections;
mod source;
mod store;
pub mod suggest;
mod telemetry;
mod watch;

pub use crate::client_name::{ClientName, InvalidName, ModelName};
pub use access::{Access, ApiKey};
pub(crate) use access::{digest, find_by_digest};
pub use diagnostics::{ConfigError, ConfigWarning};
/// What the guard does with tool calls that do not match their schema.
pub use interlingua_guard::{GuardMode, GuardModes};
pub use interlingua_upstream::{Env, Provider, Proxies};
pub use key_spec::{KeySpec, ValueType};
pub use model_routes::{ModelRoutes, RouteRule, WeightedTarget};
pub use repair::{LessonMode, RepairConfig, RepairMode, RepairSettings};
pub use route::{
    BUILTIN_MODELS_MISSING, BUILTIN_PROVIDER, Backend, HAS_BUILTIN_MODELS, NoRoute, Route,
};
pub use schema::list_keys;
pub use sections::{Capture, Limits, Roles, Timeouts};
pub use source::{LoadError, LoadedConfig, Source};
pub use store::{StoreConfig, StoreLocation};
pub use telemetry::Telemetry;
pub use watch::{ConfigChange, ConfigWatcher};

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// A validated, immutable configuration. The server swaps it as a whole on reload.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub providers: Vec<Arc<Provider>>,
    pub models: ModelRoutes,
    pub roles: Roles,
    pub limits: Limits,
    pub timeouts: Timeouts,
    pub access: Access,
    pub repair: RepairConfig,
    pub lessons: LessonMode,
    pub guard: GuardModes,
    pub store: StoreConfig,
    pub capture: Capture,
    pub telemetry: Telemetry,
    /// HTTP proxies towards the providers; only environment variables set them.
    pub proxies: Arc<Proxies>,
}

impl Config {
    /// The provider of this name.
    pub fn provider(&self, name: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| provider.name == name)
    }
}

/// The default listen address.
pub const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);
