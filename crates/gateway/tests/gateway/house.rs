//! A simulator and a gateway in front of it, both listening for as long as the house stands.

use std::net::SocketAddr;
use std::sync::Arc;

use http::HeaderMap;
use interlingua::find;
use interlingua_gateway::config::Config;
use interlingua_gateway::{Gateway, Running};
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{self as simulator, Options, Simulator};
use interlingua_upstream::{Auth, Provider};
use serde_json::Value;
use tokio::runtime::Runtime;

pub(crate) struct House {
    pub(crate) runtime: Runtime,
    pub(crate) simulator: Option<simulator::Running>,
    pub(crate) gateway: Option<Running>,
}

impl House {
    pub(crate) fn build() -> Self {
        Self::with(|_| {})
    }

    /// With a configuration that is changed before it is used.
    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        Self::playing(Options::default(), change)
    }

    /// With a simulator of this kind.
    pub(crate) fn playing(options: Options, change: impl FnOnce(&mut Config)) -> Self {
        let runtime = Runtime::new().unwrap();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let start = async { Simulator::new(options).start(any).unwrap() };
        let simulator = runtime.block_on(start);
        let mut house = Self { runtime, simulator: Some(simulator), gateway: None };
        house.open(change);
        house
    }

    /// Opens the gateway, after it was closed if it was open.
    pub(crate) fn open(&mut self, change: impl FnOnce(&mut Config)) {
        if let Some(gateway) = self.gateway.take() {
            self.runtime.block_on(gateway.stop());
        }
        let mut config = Config::from_nothing(&|_| None);
        config.providers = providers(self.simulator.as_ref().unwrap().addr);
        change(&mut config);
        let gateway = Gateway::new(config).unwrap();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        self.gateway = Some(self.runtime.block_on(async { gateway.start(any).unwrap() }));
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.gateway.as_ref().unwrap().addr
    }

    /// What the providers were asked.
    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.simulator.as_ref().unwrap().simulator.log().read();
        log["requests"].as_array().cloned().unwrap_or_else(|| panic!("no log: {log}"))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(gateway) = self.gateway.take() {
            self.runtime.block_on(gateway.stop());
        }
        if let Some(simulator) = self.simulator.take() {
            self.runtime.block_on(simulator.stop());
        }
    }
}

/// Every provider that the simulator plays.
pub(crate) fn providers(simulator: SocketAddr) -> Vec<Arc<Provider>> {
    let provider = |played: &simulator::route::Provider| {
        let dialect = find(played.api.dialect()).unwrap();
        let base = format!("http://{simulator}/{}{}", played.name, played.base);
        let mut provider = Provider::new(played.name, dialect, base.parse().unwrap());
        provider.flavor = dialect.flavors().iter().copied().find(|known| *known == played.flavor);
        provider.key = Some("key".into());
        if provider.auth == Auth::SigV4 {
            provider.auth = Auth::Bearer;
        }
        provider.headers = HeaderMap::new();
        Arc::new(provider)
    };
    PROVIDERS.iter().map(provider).collect()
}
