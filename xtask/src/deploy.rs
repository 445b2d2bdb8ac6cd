//! `cargo xtask deploy`: tests the files in `deploy/` and `.github/` with what reads them.

use crate::outcome::Outcome;
use crate::process::{cli_binary, program, run, succeeds};
use crate::{apt, sdk};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program("systemd-analyze").arg("--version")) {
        apt::install(&["systemd"])?;
    }
    let binary = cli_binary()?;
    run(program(sdk::python_env()?)
        .args(["-m", "pytest", "tests/deploy", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", binary))
}
