//! `cargo xtask fuzz`: mutated inputs against the properties in `fuzz/`, on the stable toolchain.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Outcome;
use crate::run::{built, program, status};

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
    let runner = built("interlingua-fuzz", "registry")?;
    let ended = status(program(&runner).args(arguments))?;
    if ended.success() {
        return Ok(());
    }
    if ended.code() == Some(2) {
        return Err("cargo xtask fuzz --help shows the usage.".into());
    }
    if ended.code().is_none() && !arguments.iter().any(|argument| argument == "--replay") {
        // Killed, by a full stack for example: nobody was left to save the input. The inputs are a
        // function of the seed, so the same run with a note of each input finds it again.
        println!("the runner was killed ({ended}); running once more, keeping each input");
        status(program(&runner).args(arguments).arg("--keep-last"))?;
        println!("the input is the newest file in fuzz/crashes");
        println!("replay: cargo xtask fuzz PROPERTY --replay fuzz/crashes/PROPERTY-last");
    }
    Err("A property does not hold; the lines above say for which input and how to replay it."
        .into())
}
