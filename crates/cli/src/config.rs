//! `interlingua config`: the configuration, before it is used.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use interlingua_gateway::config::{Config, Loaded, Mistake, Refused};

use crate::problem::Problem;
use crate::{input, output, settings};

#[derive(Args)]
pub(crate) struct Configuration {
    #[command(subcommand)]
    order: Order,
}

#[derive(Subcommand)]
enum Order {
    /// Say everything that is wrong with a configuration, and what was meant
    #[command(after_help = HELP, long_about = ABOUT)]
    Check(Check),
}

#[derive(Args)]
struct Check {
    /// The configuration; without it the user's own file, and - for stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(order: &Configuration) -> Result<(), Problem> {
    let Order::Check(check) = &order.order;
    let (name, read) = read(check.file.as_deref())?;
    let loaded = match read {
        Ok(loaded) => loaded,
        Err(mistakes) => return Err(refused(&name, &mistakes)?),
    };
    let mut said = String::new();
    for warning in &loaded.warnings {
        // Writing to a string does not fail.
        let _ = writeln!(said, "warning: {warning}");
    }
    let _ = writeln!(said, "{name} is good. {}", summary(&loaded.config));
    // Nobody needs to read it.
    let _ = io::stderr().lock().write_all(said.as_bytes());
    Ok(())
}

type Read = Result<Loaded, Vec<Mistake>>;

/// What it is called, and what comes of it.
fn read(file: Option<&Path>) -> Result<(String, Read), Problem> {
    if file == Some(Path::new("-")) {
        let text = input::read(file)?;
        let text = String::from_utf8(text)
            .map_err(|_| Problem::bad("stdin is not UTF-8", "A configuration is text."))?;
        let read = Config::read(&text, &settings::env);
        return Ok((input::name(file), read.map(|(config, warnings)| Loaded { config, warnings })));
    }
    let source = settings::source(file, None);
    let there = source.file.as_ref().filter(|file| source.named || file.exists());
    let name = match there {
        Some(file) => file.display().to_string(),
        None => "No file at all".into(),
    };
    match source.load(&settings::env) {
        Ok(loaded) => Ok((name, Ok(loaded))),
        Err(Refused::Wrong { mistakes, .. }) => Ok((name, Err(mistakes))),
        Err(unread @ Refused::Unread { .. }) => Err(settings::refused(&unread)),
    }
}

/// One line for each mistake to stdout.
fn refused(name: &str, mistakes: &[Mistake]) -> Result<Problem, Problem> {
    let mut lines = String::new();
    for mistake in mistakes {
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{mistake}");
    }
    output::print(lines.as_bytes())?;
    let what = match mistakes.len() {
        1 => format!("{name} has a mistake"),
        many => format!("{name} has {many} mistakes"),
    };
    Ok(Problem::bad(what, "docs/CONFIGURATION.md describes every key."))
}

fn summary(config: &Config) -> String {
    let names: Vec<_> = config.providers.iter().map(|provider| provider.name.as_str()).collect();
    let providers = match names.as_slice() {
        [] => "no providers".into(),
        names => names.join(", "),
    };
    format!("It listens on {} and has {providers} and the built-in sim.", config.listen)
}

pub(crate) const EXAMPLE: &str = "\
Example:
  interlingua config check";

pub(crate) const ABOUT: &str = "\
Say everything that is wrong with a configuration, and what was meant.

One line per mistake goes to stdout: its line and column, and what is wrong. What is only doubtful goes \
to stderr.";

const HELP: &str = "\
Examples:
  interlingua config check
  interlingua config check gateway.toml

Exit codes: 0 it is good; 1 it has mistakes; 2 it cannot be read.";
