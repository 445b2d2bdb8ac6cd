//! Starts a gateway in this process.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::thread;

use interlingua_gateway::config::Config;
use interlingua_gateway::{Gateway, ServerHandle};

use crate::error::CommandError;
use crate::listen_error;

pub(crate) fn new_runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CommandError::failed(format!("cannot start: {error}"), ""))
}

/// Starts the gateway of a configuration. Must be called within a runtime.
pub(crate) fn start_gateway(config: Config) -> Result<ServerHandle, CommandError> {
    let listen = config.listen;
    let gateway = Gateway::new(config).map_err(|error| {
        CommandError::failed(format!("cannot start: {}", error.message.unescape()), "")
    })?;
    let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    gateway
        .start_on_threads(listen, threads)
        .map_err(|error| listen_error::listen_error(listen, &error))
}

/// The address at which this machine reaches a listener: the loopback for an unspecified address.
pub(crate) fn reachable_addr(listen: SocketAddr) -> SocketAddr {
    let address = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(address, listen.port())
}

/// Key for a gateway without keys: agents require one unless the user is signed in.
pub(crate) const PLACEHOLDER_KEY: &str = "interlingua";
