//! The gateway's configuration, found and read for a command.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::{Change, Config, Refused, Source, Warning, Watch};

use crate::problem::Problem;

/// What the environment says.
pub(crate) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where the configuration is; `listen` wins over what it says.
pub(crate) fn source(file: Option<&Path>, listen: Option<SocketAddr>) -> Source {
    Source { listen, ..Source::find(file.map(Path::to_owned), &env) }
}

/// The configuration of a file, or of nothing. What is doubtful about it is logged.
pub(crate) fn load(source: &Source) -> Result<Config, Problem> {
    let loaded = source.load(&env).map_err(|why| refused(&why))?;
    log(&loaded.warnings);
    Ok(loaded.config)
}

/// Keeps a gateway to its file for as long as it is polled.
pub(crate) async fn follow(mut watch: Watch, gateway: Arc<Gateway>) {
    let started = gateway.config();
    loop {
        match watch.change().await {
            Change::New(loaded) => {
                log(&loaded.warnings);
                let later = started.fixed(&loaded.config);
                if !later.is_empty() {
                    tracing::warn!("{} is new and needs a restart", later.join(", "));
                }
                gateway.reconfigure(loaded.config);
                tracing::info!("the new configuration is in force");
            }
            Change::Refused(why) => {
                tracing::error!("{why}\nThe old configuration stays in force.");
            }
        }
    }
}

pub(crate) fn refused(why: &Refused) -> Problem {
    match why {
        Refused::Unread { .. } => {
            Problem::usage(why.to_string(), "Give a file that is there and may be read.")
        }
        Refused::Wrong { .. } => {
            Problem::bad(why.to_string(), "docs/CONFIGURATION.md describes every key.")
        }
    }
}

fn log(warnings: &[Warning]) {
    for warning in warnings {
        tracing::warn!("{warning}");
    }
}
