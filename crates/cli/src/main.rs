//! The `interlingua` command: parses arguments and calls the library.

mod args;
mod case;
mod chat;
mod check;
mod config;
mod doctor;
mod ending;
mod input;
mod listening;
mod log;
mod near;
mod output;
mod problem;
mod run;
mod serve;
mod sessions;
mod settings;
mod simulate;
mod translate;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::problem::Problem;

/// Requests are many short-lived pieces of all sizes, on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let asked = Cli::parse();
    let done = match asked.command {
        Some(Command::Translate(order)) => translate::run(&order),
        Some(Command::Case) => case::run(),
        Some(Command::Check(order)) => check::run(&order),
        Some(Command::Doctor(order)) => doctor::run(&order),
        Some(Command::Simulate(order)) => simulate::run(&order),
        Some(Command::Config(order)) => config::run(&order),
        Some(Command::Serve(order)) => serve::run(&order),
        Some(Command::Run(order)) => run::run(&order),
        Some(Command::Chat(order)) => chat::run(&order),
        Some(Command::Sessions(order)) => sessions::run(&order),
        None => serve::run(&asked.serve),
    };
    match done {
        Ok(()) | Err(Problem::Left) => ExitCode::SUCCESS,
        Err(problem) => {
            problem.say();
            problem.exit_code()
        }
    }
}
