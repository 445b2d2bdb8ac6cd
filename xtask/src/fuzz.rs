//! `cargo xtask fuzz`: mutated inputs against the properties in `fuzz/`, on the stable toolchain.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Outcome;
use crate::run::{cargo, status};

/// The part of the test command: bounded, and the same inputs in the same order every time.
pub(crate) fn short() -> Outcome {
    fuzz(&["--seconds", "3", "--seed", "1"].map(String::from))
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let mut arguments = arguments.to_vec();
    if !arguments.iter().any(|word| ["--seed", "--replay"].contains(&word.as_str())) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        arguments.extend(["--seed".into(), now.subsec_nanos().to_string()]);
    }
    fuzz(&arguments)
}

fn fuzz(arguments: &[String]) -> Outcome {
    let status = status(runner().args(arguments))?;
    if status.success() {
        return Ok(());
    }
    if status.code() == Some(2) {
        return Err("cargo xtask fuzz --help shows the usage.".into());
    }
    if status.code().is_none() && !arguments.iter().any(|argument| argument == "--replay") {
        // Killed, by a full stack for example: nobody was left to save the input. The inputs are a
        // function of the seed, so the same run with a note of each input finds it again.
        println!("the runner was killed ({status}); running once more, keeping each input");
        crate::run::status(runner().args(arguments).arg("--keep-last"))?;
        println!("the input is the newest file in fuzz/crashes");
        println!("replay: cargo xtask fuzz PROPERTY --replay fuzz/crashes/PROPERTY-last");
    }
    Err("A property does not hold; the lines above say for which input and how to replay it."
        .into())
}

/// The profile of the tests: optimised, with overflow checks, and built already.
fn runner() -> std::process::Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--profile", "test", "--locked"]);
    command.args(["--package", "interlingua-fuzz", "--"]);
    command
}
