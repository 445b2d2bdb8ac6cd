//! `cargo xtask instructions`: counts the instructions of the translation under callgrind.

use crate::apt;
use crate::outcome::Outcome;
use crate::process::{cargo, program, run, succeeds};

/// Must match the version of the `gungraun` crate.
const VERSION: &str = "0.20.0";

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program("valgrind").arg("--version")) {
        apt::install(&["valgrind"])?;
    }
    if !succeeds(program("gungraun-runner").arg("--version")) {
        println!("gungraun-runner is missing: building it takes some minutes, once");
        run(cargo().args(["install", "gungraun-runner", "--locked", "--version", VERSION]))?;
    }
    let bench = ["bench", "--package", "interlingua-benches", "--locked"];
    run(cargo()
        .args(bench)
        .args(["--features", "instructions", "--bench", "instructions", "--"])
        .args(arguments))
}
