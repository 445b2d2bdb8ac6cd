//! `interlingua run`: an agent that talks to the gateway, and does not know it.

mod agents;
mod ask;
mod attend;
mod home;

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitStatus;
use std::time::Duration;

use clap::Args;
use tokio::process::Command;
use tokio::time::timeout;

pub(crate) use agents::{AGENTS, Agent, Way};

use crate::problem::Problem;
use crate::{near, serve, settings};

#[derive(Args)]
pub(crate) struct Run {
    /// claude, codex, opencode or gemini
    #[arg(value_name = "AGENT")]
    agent: String,

    /// The model to ask for, as PROVIDER/MODEL or a name of your configuration
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// The configuration of a gateway that is started for the agent alone
    #[arg(long, value_name = "FILE")]
    config: Option<std::path::PathBuf>,

    /// What the agent itself is told
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

pub(crate) fn run(order: &Run) -> Result<(), Problem> {
    let Some(agent) = AGENTS.iter().find(|agent| agent.name == order.agent) else {
        let what = near::unknown("agent", &order.agent, AGENTS.iter().map(|agent| agent.name));
        return Err(Problem::usage(what, ""));
    };
    let mut config = settings::load(&settings::source(order.config.as_deref(), None))?;
    let default = if config.providers.is_empty() { Some("sim/agent") } else { None };
    let model = order.model.as_deref().or(default);
    let runtime = serve::runtime()?;
    let mut addr = serve::reached(config.listen);
    let private = order.config.is_some() || !runtime.block_on(ask::is_running(addr));
    // It listens for as long as it is held.
    let mut own = None;
    let key = if private {
        config.listen = (Ipv4Addr::LOCALHOST, 0).into();
        let key = config.access.admit_guest();
        let running = runtime.block_on(async { serve::start(config) })?;
        addr = running.addr;
        own = Some(running);
        key
    } else {
        let key = settings::env(KEY).filter(|key| !key.is_empty());
        if key.is_none() && !config.access.keys.is_empty() {
            let what = format!("the gateway at {addr} asks for a key of its own");
            return Err(Problem::usage(what, format!("Put one of its keys into {KEY}.")));
        }
        key
    };
    let key = key.as_deref().unwrap_or(serve::NO_KEY);
    let tokens = model.and_then(|model| runtime.block_on(ask::tokens(addr, key, model)));
    let way = Way { base: &format!("http://{addr}"), key, model, tokens };
    let status = runtime.block_on(start(agent, &way, &order.arguments))?;
    if let Some(own) = own {
        // It has nobody left to answer, and perhaps somebody to tell.
        runtime.block_on(async { timeout(GOODBYE, own.stop()).await.ok() });
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    match attend::code(status) {
        0 => Ok(()),
        code => Err(Problem::Ended(code)),
    }
}

async fn start(agent: &Agent, way: &Way<'_>, arguments: &[String]) -> Result<ExitStatus, Problem> {
    let home = agent.home.as_ref().map(|home| home.prepared(agent.name, way.model, &settings::env));
    let home = home.transpose().map_err(|error| {
        Problem::bad(format!("cannot make a home for {}: {error}", agent.title), "")
    })?;
    let is_set = |name: &str| settings::env(name).is_some();
    let mut command = Command::new(agent.program);
    command
        .envs(agent.environment(way, is_set))
        .envs(home.flatten())
        .args(agent.arguments(way))
        .args(arguments);
    attend::attend(command).await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let what = format!("{} is not installed: there is no `{}`", agent.title, agent.program);
            Problem::usage(what, format!("Install it with: {}", agent.install))
        }
        _ => Problem::bad(format!("cannot start {}: {error}", agent.program), ""),
    })
}

/// Holds what is shown to a gateway that runs already and asks for a key.
const KEY: &str = "INTERLINGUA_KEY";
/// How long a gateway of one's own is waited for.
const GOODBYE: Duration = Duration::from_secs(2);

pub(crate) const ABOUT: &str = "\
Start an agent that talks to the gateway.

The agent is pointed at it through its environment and flags only; none of your files are changed. Gemini \
CLI gets a home of its own unless yours says that it takes a key; there the model you name does its small tasks, too, such as searching \
and shortening a history. A gateway that runs already is used, else one is started for the agent alone. \
One that asks for keys is shown that in INTERLINGUA_KEY. Where the model's provider says how much it reads, the agent is told, so \
that it shortens a long history in time.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua run claude
  interlingua run codex --model openrouter/z-ai/glm-5
  interlingua run gemini --model anthropic/claude-sonnet-5 -- -p \"What is in this folder?\"";
