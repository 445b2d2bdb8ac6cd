//! `cargo xtask deploy`: what stands in `deploy/` is taken by who reads it, and does what it says.

use crate::run::{cargo, program, run, succeeds, target};
use crate::{Outcome, debian, sdk};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program("systemd-analyze").arg("--version")) {
        debian::install(&["systemd"])?;
    }
    // The profile of the tests, so that nothing is built twice.
    run(cargo().args(["build", "--profile", "test", "--locked", "--package", "interlingua-cli"]))?;
    run(program(sdk::environment()?)
        .args(["-m", "pytest", "tests/deploy", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", target().join("debug").join("interlingua")))
}
