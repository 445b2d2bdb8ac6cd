//! The arguments of `interlingua doctor`.

use std::path::PathBuf;

use clap::Args;
use interlingua::Dialect;

use crate::value_parsers::dialect_parser;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct DoctorArgs {
    /// Write the repaired file next to the original, as NAME.fixed.EXTENSION
    #[arg(long, conflicts_with = "extract")]
    pub(super) fix: bool,

    /// Overwrite an existing repaired file; never the original
    #[arg(long, requires = "fix")]
    pub(super) force: bool,

    /// Print only the request that the agent would send next, without repair
    #[arg(long, conflicts_with = "json")]
    pub(super) extract: bool,

    /// Print the findings as JSON, one object per line
    #[arg(long)]
    pub(super) json: bool,

    /// The API that the conversation is for; by default the one of the file
    #[arg(long = "for", value_name = "D", value_parser = dialect_parser())]
    pub(super) target_dialect: Option<&'static dyn Dialect>,

    /// The provider, if several have this API, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    pub(super) flavor: Option<String>,

    /// The model to request instead of the one in the file
    #[arg(long, value_name = "M")]
    pub(super) model: Option<String>,

    /// A beta feature from the agent's header; may be given several times
    #[arg(long, value_name = "B")]
    pub(super) beta: Vec<String>,

    /// The file to examine; - for stdin
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
}
