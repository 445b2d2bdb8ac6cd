//! The models of a chat: those of the configuration, and the built-in ones.

use std::net::SocketAddr;
use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_agent::RemoteModel;
use interlingua_gateway::config::{Backend, Config};
use interlingua_simulator::model::ToolUse;
use interlingua_simulator::{Options, ServerHandle, Simulator};
use interlingua_upstream::{Provider, Timeouts, UpstreamClient};

use crate::error::CommandError;

pub(super) struct Models {
    config: Config,
    upstream: Arc<UpstreamClient>,
    simulator: ServerHandle,
}

impl Models {
    /// Must be called within a runtime.
    pub(super) fn new(config: Config) -> Result<Self, CommandError> {
        let upstream = UpstreamClient::new(Timeouts::default()).map_err(|error| {
            CommandError::failed(format!("cannot start: {}", error.message.unescape()), "")
        })?;
        let addr = SocketAddr::from(([127, 0, 0, 1], 0));
        let options = Options { tool_use: ToolUse::ReadOnly, ..Options::default() };
        let simulator = Simulator::new(options).listen(addr);
        let simulator = simulator.map_err(|error| CommandError::failed(error.to_string(), ""))?;
        Ok(Self { config, upstream: Arc::new(upstream), simulator })
    }

    pub(super) fn upstream(&self) -> &Arc<UpstreamClient> {
        &self.upstream
    }

    /// Finds a model by name. Without a name and without providers, the built-in model.
    pub(super) fn find(&self, name: Option<&str>) -> Result<Arc<RemoteModel>, CommandError> {
        let hint = "Choose one with --model PROVIDER/MODEL.";
        let name = match name {
            Some(name) => name,
            None if self.config.providers.is_empty() => DEFAULT_MODEL,
            None => return Err(CommandError::usage("no model is given", hint)),
        };
        let routes = self.config.resolve(name, 0);
        let routes = routes.map_err(|no_route| CommandError::usage(no_route.0, hint))?;
        let Some(route) = routes.into_iter().next() else {
            return Err(CommandError::usage(format!("`{name}` has no route"), hint));
        };
        let (provider, model) = match route.backend {
            Backend::Provider(provider) => (provider, route.model.into_string()),
            Backend::Builtin => {
                (Arc::new(self.simulator_provider()?), format!("sim/{}", route.model))
            }
        };
        Ok(Arc::new(RemoteModel::new(Arc::clone(&self.upstream), provider, &model).with_name(name)))
    }

    /// The simulator as a provider, in the dialect that represents most.
    fn simulator_provider(&self) -> Result<Provider, CommandError> {
        let base = format!("http://{}/anthropic", self.simulator.addr).parse();
        let base = base.map_err(|_| CommandError::failed("the simulator has no address", ""))?;
        let dialect = find_dialect("anthropic").unwrap_or(interlingua::DIALECTS[0]);
        Ok(Provider::new("sim", dialect, base))
    }
}

const DEFAULT_MODEL: &str = "sim/agent";
