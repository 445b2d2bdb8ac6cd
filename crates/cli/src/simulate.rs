//! `interlingua simulate`: strict providers on this machine.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use interlingua_simulator::fault::FAULTS;
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{Fault, Options, Script, Simulator};
use interlingua_strict::Switches;

use crate::check::parse_switch;
use crate::error::CommandError;
use crate::shutdown::shutdown_signal;
use crate::{listen_error, output};

#[derive(Args)]
pub(crate) struct SimulateArgs {
    /// Listen address; port 0 selects a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8788", value_parser = crate::value_parsers::parse_socket_addr)]
    listen: SocketAddr,

    /// The model's replies, as TOML or JSON
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// A fault of every request, as NAME[=VALUE][@TIMES]; may be given several times
    #[arg(long, value_name = "FAULT", value_parser = Fault::parse)]
    fault: Vec<Fault>,

    /// A behaviour for which the evidence differs, as NAME=VALUE (docs/STRICT.md); may be given
    /// several times
    #[arg(long, value_name = "SWITCH", value_parser = parse_switch)]
    switch: Vec<String>,
}

pub(crate) fn run(args: &SimulateArgs) -> Result<(), CommandError> {
    let script = args.script.as_deref().map(read_script).transpose()?;
    // Validated when the arguments were parsed.
    let switches = Switches::parse(&args.switch).unwrap_or_default();
    let options = Options { script, faults: args.fault.clone(), switches, ..Options::default() };
    run_simulator(Simulator::new(options), args.listen)
}

/// Runs the simulator until a shutdown signal.
fn run_simulator(simulator: Simulator, addr: SocketAddr) -> Result<(), CommandError> {
    let to_command_error = |error| listen_error::listen_error(addr, &error);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(to_command_error)?.block_on(async {
        let server = simulator.listen(addr).map_err(to_command_error)?;
        // Before the address is printed: a program that reads it may send the signal immediately.
        let shutdown = shutdown_signal().map_err(to_command_error)?;
        announce(server.addr)?;
        shutdown.await;
        server.stop().await;
        Ok(())
    })
}

fn read_script(path: &Path) -> Result<Script, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        CommandError::usage(message, "Give an existing, readable script.")
    })?;
    Script::parse(&text).map_err(|error| {
        let message = format!("{}: {}", path.display(), error.trim_end());
        CommandError::usage(message, "The format of scripts is described in docs/SIMULATOR.md.")
    })
}

/// Prints the address to stdout for programs, and instructions to stderr for people.
fn announce(addr: SocketAddr) -> Result<(), CommandError> {
    let mut guide = String::from("Base URLs:\n");
    for provider in PROVIDERS.iter() {
        let _ = writeln!(guide, "  http://{addr}/{}{}", provider.name, provider.base_path);
    }
    let _ = write!(guide, "\n{}", EXAMPLES.replace("ADDR", &addr.to_string()));
    // The simulator runs even if stderr is closed.
    output::print_stderr(&guide);
    output::print_address(addr)
}

/// The help text, with the list of faults.
pub(crate) fn help() -> String {
    let mut help = String::from(HELP);
    for row in FAULTS {
        let name = match row.value_name {
            "" => row.name.to_owned(),
            value => format!("{}={}", row.name, value.to_uppercase()),
        };
        let _ = write!(help, "\n  {name:28} {}", row.description);
    }
    help
}

const EXAMPLES: &str = "\
Any key and any model name will do. For example:
  anthropic     Anthropic(base_url=\"http://ADDR/anthropic\", api_key=\"x\")
  openai        OpenAI(base_url=\"http://ADDR/openai/v1\", api_key=\"x\")
  google-genai  genai.Client(api_key=\"x\", http_options={\"base_url\": \"http://ADDR/gemini\"})
  boto3         boto3.client(\"bedrock-runtime\", endpoint_url=\"http://ADDR/bedrock\")
  Claude Code   ANTHROPIC_BASE_URL=http://ADDR/anthropic ANTHROPIC_API_KEY=x claude
  requests and rejections: curl http://ADDR/sim/log

Ctrl-C stops.
";

pub(crate) const ABOUT: &str = "\
Simulate the providers, as strict as they are, on this machine.

Every request is checked first, and rejected with the provider's error message if the provider would \
reject it. Otherwise a model replies: that of --script, or an agent that thinks, calls the given tools \
and shows that it has read their results. The address is written to stdout as soon as the simulator is \
listening.";

const HELP: &str = "\
Examples:
  interlingua simulate
  interlingua simulate --listen 127.0.0.1:0 --script turns.toml
  interlingua simulate --fault 429=2@3

docs/SIMULATOR.md describes scripts, and phrases in a prompt that make the model misbehave.
A request can also have a fault in its header x-sim-fault. The faults:";
