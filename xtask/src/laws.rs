//! `cargo xtask laws`: checks the laws on generated conversations for all targets.

use std::process::Command;

use crate::outcome::Outcome;
use crate::process::{build_for_test, cargo, program, status};

/// The run of the test command: a fixed share, with the build of the other tests. Known breaches do
/// not fail it.
pub(crate) fn short_run() -> Outcome {
    let runner = build_for_test("interlingua-laws", "laws")?;
    check(program(runner).args(["--known", "yes", "--n", SHARE]))
}

/// All conversations; known breaches do not fail it.
pub(crate) fn full_run() -> Outcome {
    command(&["--known".into(), "yes".into()])
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let run =
        ["run", "--quiet", "--profile", "laws", "--locked", "--package", "interlingua-laws", "--"];
    check(cargo().args(run).args(arguments))
}

fn check(runner: &mut Command) -> Outcome {
    let exit = status(runner)?;
    match exit.code() {
        Some(0) => Ok(()),
        Some(2) => Err("cargo xtask laws --help shows the usage.".into()),
        _ => Err("A law does not hold. Each group above ends with a case: add an expectation \
             and save it in the corpus; CONTRIBUTING.md describes how."
            .into()),
    }
}

/// Conversations of the test command: two minutes on two cores.
const SHARE: &str = "12000";
