//! Command line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use interlingua::Dialect;

use crate::value_parsers::dialect_parser;

/// A gateway between agents and the APIs of language models: any agent, any model
#[derive(Parser)]
#[command(name = "interlingua", version, after_help = EXAMPLES, disable_help_subcommand = true)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// The arguments of `serve`, which is the default command.
    #[command(flatten)]
    pub(crate) serve: crate::serve::ServeArgs,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start the gateway: forward the requests of agents to providers (default command)
    #[command(after_help = crate::serve::HELP, long_about = crate::serve::ABOUT)]
    Serve(crate::serve::ServeArgs),
    /// Start an agent that uses the gateway
    #[command(after_help = crate::run::HELP, long_about = crate::run::ABOUT)]
    Run(crate::run::RunArgs),
    /// Chat with a model in the terminal, with tools; sessions are stored
    #[command(after_help = crate::chat::HELP, long_about = crate::chat::ABOUT)]
    Chat(crate::chat::ChatArgs),
    /// List, show, export, import or delete the sessions that are stored on this machine
    #[command(after_help = crate::sessions::HELP)]
    Sessions(crate::sessions::SessionsArgs),
    /// Translate one request, reply or recorded stream from one dialect to another
    #[command(after_help = TRANSLATE_HELP, long_about = TRANSLATE_ABOUT)]
    Translate(TranslateArgs),
    /// Run one case of the corpus, read from stdin, and print a verdict
    #[command(after_help = CASE_HELP, long_about = CASE_ABOUT)]
    Case,
    /// Check whether a provider would accept a request
    #[cfg(feature = "builtin-models")]
    #[command(after_help = crate::check::HELP, long_about = crate::check::ABOUT)]
    Check(crate::check::CheckArgs),
    /// Find what is wrong with an agent's stored conversation, and repair it
    #[cfg(feature = "builtin-models")]
    #[command(after_help = crate::doctor::HELP, long_about = crate::doctor::ABOUT)]
    Doctor(crate::doctor::DoctorArgs),
    /// Simulate the providers, as strict as they are, on this machine
    #[cfg(feature = "builtin-models")]
    #[command(after_help = crate::simulate::help(), long_about = crate::simulate::ABOUT)]
    Simulate(crate::simulate::SimulateArgs),
    #[cfg(not(feature = "builtin-models"))]
    #[command(hide = true)]
    Check(crate::missing_features::MissingFeatureArgs),
    #[cfg(not(feature = "builtin-models"))]
    #[command(hide = true)]
    Doctor(crate::missing_features::MissingFeatureArgs),
    #[cfg(not(feature = "builtin-models"))]
    #[command(hide = true)]
    Simulate(crate::missing_features::MissingFeatureArgs),
    /// Check the configuration of the gateway
    #[command(after_help = crate::config::EXAMPLE)]
    Config(crate::config::ConfigArgs),
    /// List the providers that are known or configured
    #[command(after_help = crate::providers::HELP)]
    Providers(crate::providers::ProvidersArgs),
}

#[derive(Args)]
pub(crate) struct TranslateArgs {
    /// Dialect of the input
    #[arg(long, value_name = "D", value_parser = dialect_parser())]
    pub(crate) from: &'static dyn Dialect,

    /// Dialect of the output
    #[arg(long, value_name = "D", value_parser = dialect_parser())]
    pub(crate) to: &'static dyn Dialect,

    /// Flavor of the provider's dialect, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    pub(crate) flavor: Option<String>,

    /// A beta feature from the client's header; may be given several times
    #[arg(long, value_name = "B")]
    pub(crate) beta: Vec<String>,

    /// The model to request instead of the one in the input; for a reply, the model that was
    /// requested
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,

    /// The input is a complete reply of a provider
    #[arg(long, conflicts_with = "stream")]
    pub(crate) reply: bool,

    /// The input is a recorded or running stream of a provider
    #[arg(long)]
    pub(crate) stream: bool,

    /// Write every change and loss to this file, one JSON object per line; - for stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,

    /// The input file; stdin if missing or -
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  interlingua
  interlingua --config gateway.toml
  interlingua run claude --model sim/agent
  interlingua translate --from anthropic --to openai-chat request.json

`interlingua COMMAND --help` describes a command.";

const TRANSLATE_ABOUT: &str = "\
Translate one request, reply or recorded stream from one dialect to another.

The result is written to stdout. Text that need not change keeps its bytes; --ledger lists what was \
changed or left out. A stream is translated while it is read, so the command can be used in a pipe.";

const TRANSLATE_HELP: &str = "\
Examples:
  interlingua translate --from anthropic --to gemini request.json
  interlingua translate --from openai-chat --to anthropic --flavor deepseek --reply reply.json
  interlingua translate --from gemini --to openai-responses --stream --ledger - < recorded.sse

Exit codes: 0 translated; 1 the input cannot be parsed, or the reply is an error (which is translated); \
2 wrong usage.";

const CASE_ABOUT: &str = "\
Run one case of the corpus, read from stdin, and print a verdict.

The verdict is one JSON object: pass, expected, got, ledger, and the differences if there are any. \
The format of a case is described in corpus/README.md.";

const CASE_HELP: &str = "\
Example:
  interlingua case < corpus/decode/anthropic/system-blocks.json

Exit codes: 0 the case passes; 1 the case fails; 2 the input is not a case.";
