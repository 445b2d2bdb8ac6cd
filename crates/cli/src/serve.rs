//! `interlingua serve`: runs the gateway, with or without a configuration.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use interlingua_gateway::ServerHandle;
use interlingua_gateway::config::{Config, ConfigWatcher, HAS_BUILTIN_MODELS};

use crate::error::CommandError;
use crate::gateway_config;
use crate::local_gateway::{PLACEHOLDER_KEY, new_runtime, reachable_addr, start_gateway};
use crate::log::{self, LogFormat};
use crate::run::{AGENTS, LaunchTarget};
use crate::shutdown::shutdown_signal;

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The configuration file; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Listen address, which overrides the configuration; port 0 selects a free one
    #[arg(long, value_name = "ADDR", value_parser = crate::value_parsers::parse_socket_addr)]
    listen: Option<SocketAddr>,
}

pub(crate) fn run(args: &ServeArgs) -> Result<(), CommandError> {
    let _flush_guard = crate::log::start();
    let source = gateway_config::source(args.config.as_deref(), args.listen);
    let config = gateway_config::load_for_gateway(&source)?;
    let runtime = new_runtime()?;
    runtime.block_on(async {
        let listen = config.listen;
        let shutdown = shutdown_signal().map_err(|error| CommandError::failed(error.to_string(), ""))?;
        let server = start_gateway(config)?;
        // Before the address is printed: a program that reads it may change the file immediately.
        let config_watcher = ConfigWatcher::new(source.clone(), gateway_config::env_var).map_err(|error| {
            CommandError::failed(format!("cannot watch the configuration: {error}"), "")
        })?;
        announce(&server, listen)?;
        let gateway = Arc::clone(&server.gateway);
        let follow = tokio::spawn(gateway_config::reload_on_change(source, config_watcher, gateway));
        shutdown.await;
        follow.abort();
        let drain = server.gateway.config().timeouts.drain;
        tracing::info!("shutting down: no new connections are accepted, and running replies have {drain:?}");
        tokio::select! {
            () = server.stop() => tracing::info!("all replies have ended"),
            // A second signal ends the process immediately.
            () = second_shutdown_signal() => tracing::warn!("second signal: running replies are aborted"),
        }
        Ok(())
    })
}

/// Prints the address to stdout for programs, and instructions to stderr for people: as text, or as
/// events of a log in JSON.
fn announce(server: &ServerHandle, listen: SocketAddr) -> Result<(), CommandError> {
    let addr = server.addr;
    let config = server.gateway.config();
    let base_url = format!("http://{}", reachable_addr(addr));
    let model = if config.providers.is_empty() && HAS_BUILTIN_MODELS {
        "sim/agent"
    } else {
        "PROVIDER/MODEL"
    };
    let launch_target = LaunchTarget {
        base_url: &base_url,
        api_key: if server.gateway.requires_keys(addr) { "KEY" } else { PLACEHOLDER_KEY },
        model: Some(model),
        token_limits: None,
    };
    let is_remote = listen.port() != 0 && !listen.ip().is_loopback();
    match log::format() {
        LogFormat::Off => {}
        LogFormat::Text => {
            let mut guide = banner(&config, &launch_target);
            if is_remote {
                let _ = writeln!(guide, "{REMOTE_NOTICE}");
            }
            // The gateway runs even if stderr is closed.
            let _ = io::stderr().lock().write_all(guide.as_bytes());
        }
        LogFormat::Json => {
            let providers = config.providers.iter().map(|provider| provider.name.as_str());
            let providers: Vec<_> = providers.chain(HAS_BUILTIN_MODELS.then_some("sim")).collect();
            tracing::info!(
                url = base_url,
                providers = providers.join(","),
                "Interlingua is listening."
            );
            if is_remote {
                tracing::info!("{REMOTE_NOTICE}");
            }
        }
    }
    crate::output::print_address(addr)
}

fn banner(config: &Config, launch_target: &LaunchTarget<'_>) -> String {
    let base_url = launch_target.base_url;
    let mut guide = String::from("Interlingua is listening.\n\nProviders\n");
    for provider in &config.providers {
        let _ = writeln!(guide, "  {:<12} {}", provider.name, provider.dialect.id());
    }
    if HAS_BUILTIN_MODELS {
        let _ = writeln!(guide, "  {:<12} built in: sim/agent, sim/echo", "sim");
    }
    if config.providers.is_empty() {
        guide.push_str(
            "  No keys were found in the environment. ANTHROPIC_API_KEY, OPENAI_API_KEY, … add \
             providers.\n",
        );
    }
    guide.push_str("\nAgents: type one of these\n");
    for agent in AGENTS {
        let _ =
            writeln!(guide, "  {:<12} {}", agent.display_name, agent.command_line(launch_target));
    }
    let model = launch_target.model.unwrap_or_default();
    let _ = writeln!(guide, "\n  or            interlingua run AGENT --model {model}");
    let _ =
        writeln!(guide, "\nDebug UI: {base_url}/ui/   Metrics: {base_url}/metrics   Ctrl-C stops.");
    guide
}

async fn second_shutdown_signal() {
    match shutdown_signal() {
        Ok(signal) => signal.await,
        Err(_) => std::future::pending().await,
    }
}

const REMOTE_NOTICE: &str = "It can be reached from other machines; clients need a key.";

pub(crate) const ABOUT: &str = "\
Start the gateway: forward the requests of agents to providers.

Works without configuration: the environment's API keys select the providers, and two models are built \
in. The address is written to stdout as soon as the gateway is listening.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua serve
  interlingua serve --config gateway.toml
  interlingua serve --listen 127.0.0.1:0

docs/CONFIGURATION.md describes the file. `interlingua config check FILE` reports its errors.";
