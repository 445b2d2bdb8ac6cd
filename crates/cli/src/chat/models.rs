//! The models of a chat: those of the configuration, and the built-in ones.

use std::sync::Arc;

use interlingua_agent::RemoteModel;
use interlingua_gateway::config::{Backend, Config};
use interlingua_upstream::{Timeouts, UpstreamClient};

use super::builtin_provider::BuiltinProvider;

use crate::error::CommandError;

pub(super) struct Models {
    config: Config,
    upstream: Arc<UpstreamClient>,
    builtin: BuiltinProvider,
}

impl Models {
    /// Must be called within a runtime.
    pub(super) fn new(config: Config) -> Result<Self, CommandError> {
        let upstream = UpstreamClient::new(Timeouts::default()).map_err(|error| {
            CommandError::failed(format!("cannot start: {}", error.message.unescape()), "")
        })?;
        Ok(Self { config, upstream: Arc::new(upstream), builtin: BuiltinProvider::start()? })
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
                (Arc::new(self.builtin.provider()?), format!("sim/{}", route.model))
            }
        };
        Ok(Arc::new(RemoteModel::new(Arc::clone(&self.upstream), provider, &model).with_name(name)))
    }
}

const DEFAULT_MODEL: &str = "sim/agent";
