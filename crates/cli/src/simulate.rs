//! `interlingua simulate`: strict providers on your own machine.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use interlingua_simulator::fault::FAULTS;
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{Fault, Options, Script, Simulator};
use interlingua_strict::Switches;

use crate::check::switch;
use crate::ending::asked_to_end;
use crate::listening;
use crate::problem::Problem;

#[derive(Args)]
pub(crate) struct Simulate {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8788", value_parser = crate::args::address)]
    listen: SocketAddr,

    /// What the model says, as TOML or JSON
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,

    /// What goes wrong with every request, as NAME[=VALUE][@TIMES]; may be given several times
    #[arg(long, value_name = "FAULT", value_parser = Fault::read)]
    fault: Vec<Fault>,

    /// A behaviour on which the evidence differs, as NAME=VALUE (docs/STRICT.md); may be given several times
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    switch: Vec<String>,
}

pub(crate) fn run(order: &Simulate) -> Result<(), Problem> {
    let script = order.script.as_deref().map(script).transpose()?;
    // They were turned once, when the order was read.
    let switches = Switches::turned(&order.switch).unwrap_or_default();
    let options = Options { script, faults: order.fault.clone(), switches, ..Options::default() };
    let listened = listen(Simulator::new(options), order.listen);
    listened.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Problem::Left,
        _ => listening::cannot(order.listen, &error),
    })
}

/// Listens until it is asked to end.
fn listen(simulator: Simulator, at: SocketAddr) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let running = simulator.start(at)?;
        // Whoever reads the address may ask at once for the end.
        let end = asked_to_end()?;
        announce(running.addr)?;
        end.await;
        running.stop().await;
        Ok(())
    })
}

fn script(path: &Path) -> Result<Script, Problem> {
    let text = fs::read_to_string(path).map_err(|error| {
        let what = format!("cannot read {}: {error}", path.display());
        Problem::usage(what, "Give a script that is there and may be read.")
    })?;
    Script::read(&text).map_err(|error| {
        let what = format!("{}: {}", path.display(), error.trim_end());
        Problem::usage(what, "The format of scripts is described in docs/SIMULATOR.md.")
    })
}

/// The address to stdout, for programs; how to use it to stderr, for people.
fn announce(addr: SocketAddr) -> io::Result<()> {
    let mut guide = String::from("Base URLs:\n");
    for provider in PROVIDERS {
        // Writing to a string does not fail.
        let _ = writeln!(guide, "  http://{addr}/{}{}", provider.name, provider.base);
    }
    let _ = write!(guide, "\n{}", EXAMPLES.replace("ADDR", &addr.to_string()));
    // Nobody needs to read it.
    let _ = io::stderr().lock().write_all(guide.as_bytes());
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "http://{addr}")?;
    stdout.flush()
}

/// Written from the list of faults.
pub(crate) fn help() -> String {
    let mut help = String::from(HELP);
    for row in FAULTS {
        let name = match row.value {
            "" => row.name.to_owned(),
            value => format!("{}={}", row.name, value.to_uppercase()),
        };
        let _ = write!(help, "\n  {name:28} {}", row.about);
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
  what was asked and refused: curl http://ADDR/sim/log

Ctrl-C stops.
";

pub(crate) const ABOUT: &str = "\
Play the providers, as strict as they are, on your own machine.

Every request is judged first, and refused in the provider's words if the provider would refuse it. \
Else a model answers: that of --script, or an agent that thinks, calls the tools it is given and \
proves that it read their results. The address goes to stdout as soon as it listens.";

const HELP: &str = "\
Examples:
  interlingua simulate
  interlingua simulate --listen 127.0.0.1:0 --script turns.toml
  interlingua simulate --fault 429=2@3

docs/SIMULATOR.md tells about scripts, and about phrases in a prompt that make the model misbehave.
A fault can also come with a request, in the header x-sim-fault. The faults:";
