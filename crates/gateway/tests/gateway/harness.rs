//! Test harness: a simulator and a gateway in front of it on loopback.

use interlingua_providers::endpoints::AuthScheme;
use std::net::SocketAddr;
use std::sync::Arc;

use http::HeaderMap;
use interlingua::find_dialect;
use interlingua_gateway::config::Config;
use interlingua_gateway::{Gateway, ServerHandle};
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{self as simulator, Options, Simulator};
use interlingua_upstream::Provider;
use serde_json::Value;
use tokio::runtime::Runtime;

pub(crate) struct Harness {
    pub(crate) runtime: Runtime,
    pub(crate) simulator: Option<simulator::ServerHandle>,
    pub(crate) gateway: Option<ServerHandle>,
}

impl Harness {
    pub(crate) fn new() -> Self {
        Self::with_config(|_| {})
    }

    /// Changes the configuration before the start.
    pub(crate) fn with_config(change: impl FnOnce(&mut Config)) -> Self {
        Self::with_simulator(Options::default(), change)
    }

    pub(crate) fn with_simulator(options: Options, change: impl FnOnce(&mut Config)) -> Self {
        let runtime = Runtime::new().unwrap();
        let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
        let start = async { Simulator::new(options).listen(any_addr).unwrap() };
        let simulator = runtime.block_on(start);
        let mut harness = Self { runtime, simulator: Some(simulator), gateway: None };
        harness.restart_gateway(change);
        harness
    }

    /// Stops a running gateway and starts it with this configuration.
    pub(crate) fn restart_gateway(&mut self, change: impl FnOnce(&mut Config)) {
        if let Some(gateway) = self.gateway.take() {
            self.runtime.block_on(gateway.stop());
        }
        let mut config = Config::from_env(&|_| None);
        config.providers = providers(&self.simulator.as_ref().unwrap().addr.to_string());
        change(&mut config);
        let gateway = Gateway::new(config).unwrap();
        let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
        self.gateway = Some(self.runtime.block_on(async { gateway.start(any_addr).unwrap() }));
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.gateway.as_ref().unwrap().addr
    }

    /// The requests that the simulated providers received.
    pub(crate) fn provider_requests(&self) -> Vec<Value> {
        let log = self.simulator.as_ref().unwrap().simulator.log().to_json();
        log["requests"].as_array().cloned().unwrap_or_else(|| panic!("no log: {log}"))
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        if let Some(gateway) = self.gateway.take() {
            self.runtime.block_on(gateway.stop());
        }
        if let Some(simulator) = self.simulator.take() {
            self.runtime.block_on(simulator.stop());
        }
    }
}

/// All providers of the simulator.
pub(crate) fn providers(authority: &str) -> Vec<Arc<Provider>> {
    let provider = |simulated: &simulator::route::SimulatedProvider| {
        let dialect = find_dialect(simulated.api.dialect()).unwrap();
        let base = format!("http://{authority}/{}{}", simulated.name, simulated.base_path);
        let mut provider = Provider::new(simulated.name, dialect, base.parse().unwrap());
        provider.flavor =
            dialect.flavors().iter().copied().find(|flavor| *flavor == simulated.flavor);
        provider.api_key = Some("key".into());
        if provider.auth == AuthScheme::SigV4 {
            provider.auth = AuthScheme::Bearer;
        }
        provider.headers = HeaderMap::new();
        Arc::new(provider)
    };
    PROVIDERS.iter().map(provider).collect()
}
