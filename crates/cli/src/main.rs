//! The `interlingua` command: parses arguments and calls the library.

mod args;
mod case;
mod chat;
#[cfg(feature = "builtin-models")]
mod check;
mod config;
#[cfg(feature = "builtin-models")]
mod doctor;
mod error;
mod gateway_config;
mod input;
mod listen_error;
mod local_gateway;
#[expect(clippy::disallowed_methods, reason = "a thread writes whole lines of the log")]
mod log;
#[cfg(not(feature = "builtin-models"))]
mod missing_features;
#[expect(clippy::disallowed_methods, reason = "escapes what the other modules print")]
mod output;
mod providers;
mod run;
#[expect(clippy::disallowed_methods, reason = "prints addresses and names of the configuration")]
mod serve;
mod sessions;
mod shutdown;
#[cfg(feature = "builtin-models")]
mod simulate;
mod suggest;
mod terminal_text;
mod translate;
mod value_parsers;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::error::CommandError;

/// Requests allocate many short-lived buffers of all sizes on several threads, which mimalloc
/// handles faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Some(Command::Translate(args)) => translate::run(&args),
        Some(Command::Case) => case::run(),
        #[cfg(feature = "builtin-models")]
        Some(Command::Check(args)) => check::run(&args),
        #[cfg(feature = "builtin-models")]
        Some(Command::Doctor(args)) => doctor::run(&args),
        #[cfg(feature = "builtin-models")]
        Some(Command::Simulate(args)) => simulate::run(&args),
        #[cfg(not(feature = "builtin-models"))]
        Some(Command::Check(_)) => missing_features::run("check"),
        #[cfg(not(feature = "builtin-models"))]
        Some(Command::Doctor(_)) => missing_features::run("doctor"),
        #[cfg(not(feature = "builtin-models"))]
        Some(Command::Simulate(_)) => missing_features::run("simulate"),
        Some(Command::Config(args)) => config::run(&args),
        Some(Command::Providers(args)) => providers::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Chat(args)) => chat::run(&args),
        Some(Command::Sessions(sessions_args)) => sessions::run(&sessions_args),
        None => serve::run(&cli.serve),
    };
    match result {
        Ok(()) | Err(CommandError::OutputClosed) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error);
            error.exit_code()
        }
    }
}
