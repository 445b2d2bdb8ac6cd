//! The gateway's configuration, found and read for a command.

use std::net::SocketAddr;
use std::path::Path;

use interlingua_gateway::config::Config;

use crate::problem::Problem;

/// The configuration of a file, or of nothing; `listen` wins over what it says.
pub(crate) fn read(file: Option<&Path>, listen: Option<SocketAddr>) -> Result<Config, Problem> {
    if let Some(file) = file {
        let what = format!("{}: configuration files are not read by this version", file.display());
        return Err(Problem::usage(what, "Leave out --config."));
    }
    let mut config = Config::from_nothing(&|name| std::env::var(name).ok());
    if let Some(listen) = listen {
        config.listen = listen;
    }
    Ok(config)
}
