//! `cargo xtask fuzz`: checks the properties in `fuzz/` with mutated inputs, on the stable
//! toolchain.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::outcome::Outcome;
use crate::process::{build_for_test, program, status};

/// The run of the test command: limited, and with the same inputs in the same order every time.
pub(crate) fn short_run() -> Outcome {
    fuzz(&["--seconds", "3", "--seed", "1"].map(String::from))
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let mut arguments = arguments.to_vec();
    if !arguments.iter().any(|argument| ["--seed", "--replay"].contains(&argument.as_str())) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        arguments.extend(["--seed".into(), now.subsec_nanos().to_string()]);
    }
    fuzz(&arguments)
}

fn fuzz(arguments: &[String]) -> Outcome {
    let runner = build_for_test("interlingua-fuzz", "registry")?;
    let exit = status(program(&runner).args(arguments))?;
    if exit.success() {
        return Ok(());
    }
    if exit.code() == Some(2) {
        return Err("cargo xtask fuzz --help shows the usage.".into());
    }
    if exit.code().is_none() && !arguments.iter().any(|argument| argument == "--replay") {
        // A kill, for example by a stack overflow, leaves no saved input. The inputs are a function
        // of the seed, so the same run that saves each input reaches it again.
        println!("the runner was killed ({exit}); running again, saving each input");
        status(program(&runner).args(arguments).arg("--keep-last"))?;
        println!("the input is the newest file in fuzz/crashes");
        println!("replay: cargo xtask fuzz PROPERTY --replay fuzz/crashes/PROPERTY-last");
    }
    Err("A property does not hold; the lines above show the input and how to replay it.".into())
}
