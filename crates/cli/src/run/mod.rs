//! `interlingua run`: starts an agent that uses the gateway.

mod agents;
mod child;
mod config_home;
mod gateway_info;

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitStatus;
use std::time::Duration;

use clap::Args;
use interlingua_gateway::config::HAS_BUILTIN_MODELS;
use tokio::process::Command;
use tokio::time::timeout;

pub(crate) use agents::{AGENTS, AgentPreset, LaunchTarget};

use crate::error::CommandError;
use crate::{gateway_config, local_gateway, suggest};

#[derive(Args)]
pub(crate) struct RunArgs {
    /// claude, codex, opencode or gemini
    #[arg(value_name = "AGENT")]
    agent: String,

    /// The model to use, as PROVIDER/MODEL or a name from the configuration
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// The configuration of a gateway that is started only for this agent
    #[arg(long, value_name = "FILE")]
    config: Option<std::path::PathBuf>,

    /// Arguments for the agent
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

pub(crate) fn run(args: &RunArgs) -> Result<(), CommandError> {
    let Some(agent) = AGENTS.iter().find(|agent| agent.name == args.agent) else {
        let message =
            suggest::unknown_name("agent", &args.agent, AGENTS.iter().map(|agent| agent.name));
        return Err(CommandError::usage(message, ""));
    };
    let _flush_guard = crate::log::start_errors_only();
    let source = gateway_config::source(args.config.as_deref(), None);
    let mut config = gateway_config::load_for_gateway(&source)?;
    if config.providers.is_empty() && !HAS_BUILTIN_MODELS {
        let hint = "Set ANTHROPIC_API_KEY, OPENAI_API_KEY, … or configure a provider.";
        return Err(CommandError::failed("no provider has a key", hint));
    }
    let default_model = if config.providers.is_empty() { Some("sim/agent") } else { None };
    let model = args.model.as_deref().or(default_model);
    let runtime = local_gateway::new_runtime()?;
    let mut addr = local_gateway::reachable_addr(config.listen);
    let starts_gateway = args.config.is_some() || !runtime.block_on(gateway_info::is_running(addr));
    // The gateway runs until this value is dropped.
    let mut own_gateway = None;
    let key = if starts_gateway {
        config.listen = (Ipv4Addr::LOCALHOST, 0).into();
        let key = config.access.add_temporary_key();
        let running = runtime.block_on(async { local_gateway::start_gateway(config) })?;
        addr = running.addr;
        if key.is_none() && running.gateway.requires_keys(addr) {
            let hint = "Configure access.keys, or access.open = true.";
            return Err(CommandError::failed(
                "this gateway had keys before and has none now",
                hint,
            ));
        }
        own_gateway = Some(running);
        key
    } else {
        let key = gateway_config::env_var(KEY_VAR).filter(|key| !key.is_empty());
        if key.is_none() && !config.access.keys.is_empty() {
            let message = format!("the gateway at {addr} requires a key");
            return Err(CommandError::usage(message, format!("Set {KEY_VAR} to one of its keys.")));
        }
        key
    };
    let key = key.as_deref().unwrap_or(local_gateway::PLACEHOLDER_KEY);
    let token_limits =
        model.and_then(|model| runtime.block_on(gateway_info::token_limits(addr, key, model)));
    let launch_target =
        LaunchTarget { base_url: &format!("http://{addr}"), api_key: key, model, token_limits };
    let status = runtime.block_on(start_agent(agent, &launch_target, &args.arguments))?;
    if let Some(own_gateway) = own_gateway {
        // Lets the gateway finish background work, such as exporting telemetry.
        runtime.block_on(async { timeout(GATEWAY_STOP_TIMEOUT, own_gateway.stop()).await.ok() });
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    match child::exit_code(status) {
        0 => Ok(()),
        code => Err(CommandError::ChildExited(code)),
    }
}

async fn start_agent(
    agent: &AgentPreset,
    launch_target: &LaunchTarget<'_>,
    arguments: &[String],
) -> Result<ExitStatus, CommandError> {
    let home = agent
        .config_home
        .as_ref()
        .map(|home| home.prepare(agent.name, launch_target.model, &gateway_config::env_var));
    let home = home.transpose().map_err(|error| {
        CommandError::failed(
            format!("cannot create a configuration directory for {}: {error}", agent.display_name),
            "",
        )
    })?;
    let is_set = |name: &str| gateway_config::env_var(name).is_some();
    let mut command = Command::new(agent.program);
    command
        .envs(agent.env(launch_target, is_set))
        .envs(home.flatten())
        .args(agent.args(launch_target))
        .args(arguments);
    child::run_child(command).await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let message =
                format!("{} is not installed: there is no `{}`", agent.display_name, agent.program);
            CommandError::usage(message, format!("Install it with: {}", agent.install))
        }
        _ => CommandError::failed(format!("cannot start {}: {error}", agent.program), ""),
    })
}

/// Environment variable with the key for a running gateway.
const KEY_VAR: &str = "INTERLINGUA_KEY";
/// How long the agent's own gateway may take to stop.
const GATEWAY_STOP_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) const ABOUT: &str = "\
Start an agent that uses the gateway.

The agent is configured only by its environment and flags; none of your files are changed. Gemini CLI \
gets a separate configuration directory unless your settings select API keys; the given model is then \
also used for its small tasks, such as searching and shortening a history. A running gateway is used if \
there is one, else one is started only for the agent. A gateway that requires keys gets the one in \
INTERLINGUA_KEY. If the model's provider reports the context window, the agent is configured with it, \
so that it shortens a long history in time. INTERLINGUA_LOG=info logs the turns of a gateway that is \
started for the agent to standard error.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua run claude
  interlingua run codex --model openrouter/z-ai/glm-5
  interlingua run gemini --model anthropic/claude-sonnet-5 -- -p \"What is in this folder?\"";
