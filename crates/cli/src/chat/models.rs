//! The models that can be talked to: those of the configuration, and those that are built in.

use std::net::SocketAddr;
use std::sync::Arc;

use interlingua::find;
use interlingua_agent::Remote;
use interlingua_gateway::config::{Config, To};
use interlingua_simulator::{Running, Simulator};
use interlingua_upstream::{Provider, Timeouts, Upstream};

use crate::problem::Problem;

pub(super) struct Models {
    config: Config,
    upstream: Arc<Upstream>,
    simulator: Running,
}

impl Models {
    /// Within a runtime.
    pub(super) fn new(config: Config) -> Result<Self, Problem> {
        let upstream = Upstream::new(Timeouts::default()).map_err(|failure| {
            Problem::bad(format!("cannot start: {}", failure.message.contents()), "")
        })?;
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let simulator = Simulator::default().start(any);
        let simulator = simulator.map_err(|error| Problem::bad(error.to_string(), ""))?;
        Ok(Self { config, upstream: Arc::new(upstream), simulator })
    }

    pub(super) fn upstream(&self) -> &Arc<Upstream> {
        &self.upstream
    }

    /// The model of this name. Without one, and without providers, the one that is built in.
    pub(super) fn find(&self, name: Option<&str>) -> Result<Arc<Remote>, Problem> {
        let advice = "--model PROVIDER/MODEL says which.";
        let name = match name {
            Some(name) => name,
            None if self.config.providers.is_empty() => BUILT_IN,
            None => return Err(Problem::usage("no model is named", advice)),
        };
        let routes = self.config.resolve(name, 0);
        let routes = routes.map_err(|unrouted| Problem::usage(unrouted.0, advice))?;
        let Some(route) = routes.into_iter().next() else {
            return Err(Problem::usage(format!("`{name}` goes nowhere"), advice));
        };
        let (provider, model) = match route.to {
            To::Provider(provider) => (provider, route.model),
            To::Simulated => (Arc::new(self.built_in()?), format!("sim/{}", route.model)),
        };
        Ok(Arc::new(Remote::new(Arc::clone(&self.upstream), provider, &model).named(name)))
    }

    /// The simulator as a provider, in the dialect that can say most.
    fn built_in(&self) -> Result<Provider, Problem> {
        let base = format!("http://{}/anthropic", self.simulator.addr).parse();
        let base = base.map_err(|_| Problem::bad("the simulator has no address", ""))?;
        let dialect = find("anthropic").unwrap_or(interlingua::ALL[0]);
        Ok(Provider::new("sim", dialect, base))
    }
}

const BUILT_IN: &str = "sim/agent";
