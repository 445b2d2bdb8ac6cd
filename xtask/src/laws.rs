//! `cargo xtask laws`: the laws over very many generated conversations and all targets.

use crate::Outcome;
use crate::run::{cargo, status};

/// Enough conversations to show every kind of breach; those that are known are set aside.
pub(crate) fn test() -> Outcome {
    command(&["--known".into(), "yes".into()])
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let mut runner = cargo();
    runner.args([
        "run",
        "--quiet",
        "--profile",
        "laws",
        "--locked",
        "--package",
        "interlingua-laws",
        "--",
    ]);
    let ended = status(runner.args(arguments))?;
    match ended.code() {
        Some(0) => Ok(()),
        Some(2) => Err("cargo xtask laws --help shows the usage.".into()),
        _ => Err("A law does not hold. Each group above ends with a case: give it an expectation \
             and file it in the corpus; CONTRIBUTING.md says how."
            .into()),
    }
}
