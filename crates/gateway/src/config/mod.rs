//! What the operator says the gateway is: one file, or nothing at all.
//!
//! Everything that can be configured is here, checked, with its defaults. Nothing in here is ever read
//! from the working directory, and no secret is ever printed.

mod access;
pub mod near;
mod nothing;
mod read;
mod report;
mod route;
mod sections;
mod source;
mod store;
mod telemetry;
mod watch;

pub use access::{Access, Key};
pub(crate) use access::{digest, opened};
/// What happens to tool calls that do not fit their schema.
pub use interlingua::guard::{Mode, Modes as Guard};
pub use interlingua_upstream::{Env, Provider, Proxies};
pub use report::{Mistake, Warning};
pub use route::{Models, Pattern, Route, SIMULATED, To, Unrouted, Way};
pub use sections::{Capture, Limits, Timeouts};
pub use source::{Loaded, Refused, Source};
pub use store::{Place, Store};
pub use telemetry::Telemetry;
pub use watch::{Change, Watch};

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// One configuration, checked and immutable. The server holds the one in force and swaps it whole.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    pub providers: Vec<Arc<Provider>>,
    pub models: Models,
    pub limits: Limits,
    pub timeouts: Timeouts,
    pub access: Access,
    pub guard: Guard,
    pub store: Store,
    pub capture: Capture,
    pub telemetry: Telemetry,
    /// What stands between the gateway and the providers; only the environment says it.
    pub proxies: Arc<Proxies>,
}

impl Config {
    /// The provider of this name.
    pub fn provider(&self, name: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| provider.name == name)
    }

    /// What another configuration says differently that is fixed when the gateway starts.
    pub fn fixed(&self, other: &Self) -> Vec<&'static str> {
        let same = [
            ("listen", self.listen == other.listen),
            ("[store]", self.store == other.store),
            ("limits.streams", self.limits.streams == other.limits.streams),
            ("limits.connections", self.limits.connections == other.limits.connections),
            ("[telemetry]", self.telemetry == other.telemetry),
            ("timeouts.connect", self.timeouts.connect == other.timeouts.connect),
            ("timeouts.answer", self.timeouts.answer == other.timeouts.answer),
            ("timeouts.silence", self.timeouts.silence == other.timeouts.silence),
        ];
        same.iter().filter(|(_, same)| !same).map(|(name, _)| *name).collect()
    }
}

/// Where the gateway listens unless told otherwise.
pub const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);
