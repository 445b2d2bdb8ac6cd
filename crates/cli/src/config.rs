//! `interlingua config`: checks a configuration before it is used.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use interlingua_gateway::config::{Config, ConfigError, LoadError, LoadedConfig};

use crate::error::CommandError;
use crate::{gateway_config, input, output};

#[derive(Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Report every error and warning of a configuration, with suggestions
    #[command(after_help = HELP, long_about = ABOUT)]
    Check(ConfigCheckArgs),
}

#[derive(Args)]
struct ConfigCheckArgs {
    /// The configuration file; without it, the user's own file; - for stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<(), CommandError> {
    let ConfigCommand::Check(check) = &args.command;
    let (name, result) = read(check.file.as_deref())?;
    let loaded_config = match result {
        Ok(loaded_config) => loaded_config,
        Err(errors) => return Err(report_errors(&name, &errors)?),
    };
    let mut report = String::new();
    for warning in &loaded_config.warnings {
        // Writing to a string does not fail.
        let _ = writeln!(report, "warning: {warning}");
    }
    let _ = writeln!(report, "{name} is valid. {}", summary(&loaded_config.config));
    // The command has succeeded even if stderr is closed.
    output::print_stderr(&report);
    Ok(())
}

type ReadResult = Result<LoadedConfig, Vec<ConfigError>>;

/// Returns the name of the configuration, and the configuration or its errors.
fn read(file: Option<&Path>) -> Result<(String, ReadResult), CommandError> {
    if file == Some(Path::new("-")) {
        let text = input::read(file)?;
        let text = String::from_utf8(text)
            .map_err(|_| CommandError::failed("stdin is not UTF-8", "A configuration is text."))?;
        let parsed = Config::parse(&text, &gateway_config::env_var);
        return Ok((
            input::display_name(file),
            parsed.map(|(config, warnings)| LoadedConfig { config, warnings }),
        ));
    }
    let source = gateway_config::source(file, None);
    let existing = source.file.as_ref().filter(|file| source.is_explicit || file.exists());
    let name = match existing {
        Some(file) => file.display().to_string(),
        None => "The default configuration".into(),
    };
    match source.load(&gateway_config::env_var) {
        Ok(loaded_config) => Ok((name, Ok(loaded_config))),
        Err(LoadError::Invalid { errors, .. }) => Ok((name, Err(errors))),
        Err(error @ LoadError::Unreadable { .. }) => Err(gateway_config::config_error(&error)),
    }
}

/// Prints one line per error to stdout; returns the error of the command.
fn report_errors(name: &str, errors: &[ConfigError]) -> Result<CommandError, CommandError> {
    let mut lines = String::new();
    for config_error in errors {
        let _ = writeln!(lines, "{config_error}");
    }
    output::print_text(&lines)?;
    let message = match errors.len() {
        1 => format!("{name} has 1 error"),
        many => format!("{name} has {many} errors"),
    };
    Ok(CommandError::failed(message, "docs/CONFIGURATION.md describes every key."))
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
Report every error and warning of a configuration, with suggestions.

One line per error is written to stdout: its line and column, and what is wrong. Warnings are written \
to stderr.";

const HELP: &str = "\
Examples:
  interlingua config check
  interlingua config check gateway.toml

Exit codes: 0 the configuration is valid; 1 it has errors; 2 it cannot be read.";
