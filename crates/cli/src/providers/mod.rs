//! `interlingua providers`: the providers that are known by name or configured.

mod list;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::error::CommandError;
use crate::gateway_config;

#[derive(Args)]
pub(crate) struct ProvidersArgs {
    /// The configuration file; without it, the user's own file if there is one
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<ProvidersCommand>,
}

#[derive(Subcommand)]
enum ProvidersCommand {
    /// List all providers, with their dialects and what their key is read from (default)
    #[command(after_help = LIST_HELP)]
    List,
    /// Print the facts about a provider as TOML, each with where it comes from
    #[command(after_help = SHOW_HELP, long_about = SHOW_ABOUT)]
    Show(show::ShowArgs),
}

pub(crate) fn run(args: &ProvidersArgs) -> Result<(), CommandError> {
    let _flush_guard = crate::log::start_errors_only();
    let config = gateway_config::load(&gateway_config::source(args.config.as_deref(), None))?;
    match args.command.as_ref().unwrap_or(&ProvidersCommand::List) {
        ProvidersCommand::List => list::run(&config),
        ProvidersCommand::Show(args) => show::run(args, &config),
    }
}

pub(crate) const HELP: &str = "\
Examples:
  interlingua providers
  interlingua providers show mistral --model mistral-large-latest";

const LIST_HELP: &str = "\
One line per provider: its name, its dialects, and where its key is from or which variable to set. \
Providers of the configuration follow those that are known by name.";

const SHOW_ABOUT: &str = "\
Print the facts about a provider as TOML, each with where it comes from.

The output is a part of a configuration: a table of a provider with its quirks, all of them. Facts that are \
left out of such a table are those of the provider in `like`. Comments name the layer that a fact is from: \
the dialect's vendor, the provider, its model, or the configuration.";

const SHOW_HELP: &str = "\
Examples:
  interlingua providers show mistral
  interlingua providers show openai --dialect openai-responses --model gpt-5.2
  interlingua providers show lab --config gateway.toml";
