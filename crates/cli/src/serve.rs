//! `interlingua serve`: the gateway, with or without configuration.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use clap::Args;
use interlingua_gateway::config::{Config, Watch};
use interlingua_gateway::{Gateway, Running};

use crate::ending::asked_to_end;
use crate::problem::Problem;
use crate::run::{AGENTS, Way};
use crate::{listening, settings};

#[derive(Args)]
pub(crate) struct Serve {
    /// The configuration; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Where to listen, whatever the configuration says; port 0 takes a free one
    #[arg(long, value_name = "ADDR", value_parser = crate::args::address)]
    listen: Option<SocketAddr>,
}

pub(crate) fn run(order: &Serve) -> Result<(), Problem> {
    let _rest = crate::log::start();
    let source = settings::source(order.config.as_deref(), order.listen);
    let config = settings::load(&source)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let listen = config.listen;
        let end = asked_to_end().map_err(|error| Problem::bad(error.to_string(), ""))?;
        let running = start(config)?;
        // Before anybody knows the address: whoever does may change the file at once.
        let watch = Watch::new(source, settings::env).map_err(|error| {
            Problem::bad(format!("cannot watch the configuration: {error}"), "")
        })?;
        announce(&running, listen)?;
        let follow = tokio::spawn(settings::follow(watch, Arc::clone(&running.gateway)));
        end.await;
        follow.abort();
        let drain = running.gateway.config().timeouts.drain;
        tracing::info!("asked to end: nobody is let in, and running answers have {drain:?}");
        tokio::select! {
            () = running.stop() => tracing::info!("all answers have ended"),
            // Asked twice, it does not wait.
            () = asked_again() => tracing::warn!("asked again: running answers are cut off"),
        }
        Ok(())
    })
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Problem::bad(format!("cannot start: {error}"), ""))
}

/// Starts the gateway that a configuration describes. Within a runtime.
pub(crate) fn start(config: Config) -> Result<Running, Problem> {
    let listen = config.listen;
    let gateway = Gateway::new(config).map_err(|failure| {
        Problem::bad(format!("cannot start: {}", failure.message.contents()), "")
    })?;
    let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    gateway.start_on(listen, threads).map_err(|error| listening::cannot(listen, &error))
}

/// The address to stdout, for programs; how to use it to stderr, for people.
fn announce(running: &Running, asked: SocketAddr) -> Result<(), Problem> {
    let addr = running.addr;
    let config = running.gateway.config();
    let mut guide = String::from("Interlingua listens.\n\nProviders\n");
    for provider in &config.providers {
        // Writing to a string does not fail.
        let _ = writeln!(guide, "  {:<12} {}", provider.name, provider.dialect.id());
    }
    let _ = writeln!(guide, "  {:<12} built in: sim/agent, sim/echo", "sim");
    if config.providers.is_empty() {
        guide.push_str(
            "  No keys were found in the environment. ANTHROPIC_API_KEY, OPENAI_API_KEY, … add \
             providers.\n",
        );
    }
    guide.push_str("\nAgents: type one of these\n");
    let model = if config.providers.is_empty() { "sim/agent" } else { "PROVIDER/MODEL" };
    let here = reached(addr);
    let key = if config.access.keys.is_empty() { NO_KEY } else { "KEY" };
    let way = Way { base: &format!("http://{here}"), key, model: Some(model), tokens: None };
    for agent in AGENTS {
        let _ = writeln!(guide, "  {:<12} {}", agent.title, agent.line(&way));
    }
    let _ = writeln!(guide, "\n  or            interlingua run AGENT --model {model}");
    let _ = writeln!(
        guide,
        "\nDebug UI: http://{here}/ui/   State: http://{here}/metrics   Ctrl-C stops."
    );
    if asked.port() != 0 && !asked.ip().is_loopback() {
        let _ = writeln!(guide, "It can be reached from other machines; clients need a key.");
    }
    // Nobody needs to read it.
    let _ = io::stderr().lock().write_all(guide.as_bytes());
    let said = writeln!(io::stdout().lock(), "http://{addr}");
    said.and_then(|()| io::stdout().flush()).map_err(|_| Problem::Left)
}

/// Where this machine reaches what listens there: every address is no address to ask.
pub(crate) fn reached(listens: SocketAddr) -> SocketAddr {
    let here = match listens.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(here, listens.port())
}

async fn asked_again() {
    match asked_to_end() {
        Ok(end) => end.await,
        Err(_) => std::future::pending().await,
    }
}

/// What is shown to a gateway that asks for no key: agents send none at all only if they are signed in.
pub(crate) const NO_KEY: &str = "interlingua";

pub(crate) const ABOUT: &str = "\
Listen for agents, and pass what they ask to the providers.

Works with nothing configured: providers are those whose keys are in the environment, and two models \
are built in. The address goes to stdout as soon as it listens.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua serve
  interlingua serve --config gateway.toml
  interlingua serve --listen 127.0.0.1:0

docs/CONFIGURATION.md describes the file. `interlingua config check FILE` says what is wrong in one.";
