//! What can be asked for on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use interlingua::{ALL, Dialect, find};

/// Any agent, any model: a gateway between the APIs of language models, and its tools.
#[derive(Parser)]
#[command(name = "interlingua", version, after_help = EXAMPLES, disable_help_subcommand = true)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// What is meant where no command is named.
    #[command(flatten)]
    pub(crate) serve: crate::serve::Serve,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Listen for agents, and pass what they ask to the providers; also without a command
    #[command(after_help = crate::serve::HELP, long_about = crate::serve::ABOUT)]
    Serve(crate::serve::Serve),
    /// Start an agent that talks to the gateway
    #[command(after_help = crate::run::HELP, long_about = crate::run::ABOUT)]
    Run(crate::run::Run),
    /// Talk to a model in the terminal, with tools; sessions survive
    #[command(after_help = crate::chat::HELP, long_about = crate::chat::ABOUT)]
    Chat(crate::chat::Chat),
    /// The sessions that are kept on this machine
    #[command(after_help = crate::sessions::HELP)]
    Sessions(crate::sessions::Order),
    /// Translate one request, reply or recorded stream from one dialect to another
    #[command(after_help = TRANSLATE, long_about = TRANSLATE_ABOUT)]
    Translate(Translate),
    /// Run one case of the corpus, read from stdin, and print a verdict
    #[command(after_help = CASE, long_about = CASE_ABOUT)]
    Case,
    /// Would the provider accept this request?
    #[command(after_help = crate::check::HELP, long_about = crate::check::ABOUT)]
    Check(crate::check::Check),
    /// What is wrong with a conversation that an agent keeps, and what mends it
    #[command(after_help = crate::doctor::HELP, long_about = crate::doctor::ABOUT)]
    Doctor(crate::doctor::Doctor),
    /// Play the providers, as strict as they are, on your own machine
    #[command(after_help = crate::simulate::help(), long_about = crate::simulate::ABOUT)]
    Simulate(crate::simulate::Simulate),
    /// The configuration of the gateway, before it is used
    #[command(after_help = crate::config::EXAMPLE)]
    Config(crate::config::Configuration),
}

#[derive(Args)]
pub(crate) struct Translate {
    /// The dialect the input is written in
    #[arg(long, value_name = "D", value_parser = dialect())]
    pub(crate) from: &'static dyn Dialect,

    /// The dialect to write
    #[arg(long, value_name = "D", value_parser = dialect())]
    pub(crate) to: &'static dyn Dialect,

    /// The provider's variety of its dialect, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    pub(crate) flavor: Option<String>,

    /// A beta feature that the client names in a header; may be given several times
    #[arg(long, value_name = "B")]
    pub(crate) beta: Vec<String>,

    /// The model to ask for instead of the one in the request; of a reply, the one that was asked for
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,

    /// The input is a whole reply of a provider
    #[arg(long, conflicts_with = "stream")]
    pub(crate) reply: bool,

    /// The input is a recorded or running stream of a provider
    #[arg(long)]
    pub(crate) stream: bool,

    /// Write everything that was changed or left out to this file, one JSON object per line; - for stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,

    /// What to translate; stdin if missing or -
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Names come from the registry, so that help and suggestions know every dialect.
pub(crate) fn dialect() -> impl TypedValueParser<Value = &'static dyn Dialect> {
    let names = PossibleValuesParser::new(ALL.iter().map(|dialect| dialect.id().0));
    names.try_map(|name| find(&name).ok_or("there is no such dialect"))
}

/// An address and a port; `localhost` is the loopback, as in the configuration.
pub(crate) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let read = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}").parse(),
        None => text.parse(),
    };
    read.map_err(|_| "it must be an address and a port, such as 127.0.0.1:8787 or localhost:8787")
}

const EXAMPLES: &str = "\
Examples:
  interlingua
  interlingua --config gateway.toml
  interlingua run claude --model sim/agent
  interlingua translate --from anthropic --to openai-chat request.json

`interlingua COMMAND --help` tells more about a command.";

const TRANSLATE_ABOUT: &str = "\
Translate one request, reply or recorded stream from one dialect to another.

The result goes to stdout. What need not change leaves as the bytes it came in; --ledger shows what \
was changed or left out. A stream is translated as it comes, so it can stand in a pipe.";

const TRANSLATE: &str = "\
Examples:
  interlingua translate --from anthropic --to gemini request.json
  interlingua translate --from openai-chat --to anthropic --flavor deepseek --reply reply.json
  interlingua translate --from gemini --to openai-responses --stream --ledger - < recorded.sse

Exit codes: 0 translated; 1 the input cannot be read, or the reply is an error (which is translated); \
2 wrong usage.";

const CASE_ABOUT: &str = "\
Run one case of the corpus, read from stdin, and print a verdict.

The verdict is one JSON object: pass, expected, got, ledger, and the differences if there are any. \
The format of a case is described in corpus/README.md.";

const CASE: &str = "\
Example:
  interlingua case < corpus/decode/anthropic/system-blocks.json

Exit codes: 0 the case passes; 1 it does not; 2 it is no case.";
