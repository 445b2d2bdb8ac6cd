//! What a program without the built-in models has in place of them and of the commands that need
//! the simulator or the judge. It says so when they are called.

use std::ffi::OsString;

use clap::Args;
use interlingua_gateway::config::BUILTIN_MODELS_MISSING;
use interlingua_upstream::Provider;

use crate::error::CommandError;

/// The arguments of a command that is left out.
#[derive(Args)]
pub(crate) struct LeftOutArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

pub(crate) fn run(command: &str) -> Result<(), CommandError> {
    let hint = format!("`{command}` needs a program that was built with the default features.");
    Err(CommandError::usage(BUILTIN_MODELS_MISSING, hint))
}

/// The provider of the built-in models.
pub(crate) struct BuiltinProvider;

impl BuiltinProvider {
    #[expect(clippy::unnecessary_wraps, reason = "the same interface as with the simulator")]
    pub(crate) fn start() -> Result<Self, CommandError> {
        Ok(Self)
    }

    #[expect(clippy::unused_self, reason = "the same interface as with the simulator")]
    pub(crate) fn provider(&self) -> Result<Provider, CommandError> {
        Err(CommandError::usage(BUILTIN_MODELS_MISSING, ""))
    }
}
