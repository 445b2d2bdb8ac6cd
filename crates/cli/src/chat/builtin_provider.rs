//! The built-in models as a provider: a simulator on a local port.

use std::net::SocketAddr;

use interlingua::find_dialect;
use interlingua_simulator::model::ToolUse;
use interlingua_simulator::{Options, ServerHandle, Simulator};
use interlingua_upstream::Provider;

use crate::error::CommandError;

pub(super) struct BuiltinProvider(ServerHandle);

impl BuiltinProvider {
    /// Must be called within a runtime.
    pub(super) fn start() -> Result<Self, CommandError> {
        let addr = SocketAddr::from(([127, 0, 0, 1], 0));
        let options = Options { tool_use: ToolUse::ReadOnly, ..Options::default() };
        let server = Simulator::new(options).listen(addr);
        server.map(Self).map_err(|error| CommandError::failed(error.to_string(), ""))
    }

    /// In the dialect that represents most.
    pub(super) fn provider(&self) -> Result<Provider, CommandError> {
        let base = format!("http://{}/anthropic", self.0.addr).parse();
        let base = base.map_err(|_| CommandError::failed("the simulator has no address", ""))?;
        let dialect = find_dialect("anthropic").unwrap_or(interlingua::DIALECTS[0]);
        Ok(Provider::new("sim", dialect, base))
    }
}
