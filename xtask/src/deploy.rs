//! `cargo xtask deploy`: what stands in `deploy/` is taken by who reads it, and does what it says.

use crate::run::{binary, program, run, succeeds};
use crate::{Outcome, debian, sdk};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program("systemd-analyze").arg("--version")) {
        debian::install(&["systemd"])?;
    }
    let binary = binary()?;
    run(program(sdk::environment()?)
        .args(["-m", "pytest", "tests/deploy", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", binary))
}
