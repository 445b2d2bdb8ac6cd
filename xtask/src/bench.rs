//! `cargo xtask bench` and `soak`: run the benchmarks and the programs built like them.

use std::path::Path;

use crate::outcome::Outcome;
use crate::process::{cargo, cli_binary, program, run, succeeds, target_dir};
use crate::{apt, ship};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((first, rest)) if first == "gateway" => gateway(rest),
        Some((first, rest)) if first == "guarded" => build_and_measure("guard_and_vault", rest),
        Some((first, rest)) if first == "stored" => build_and_measure("stored_sessions", rest),
        _ => run(cargo().args(["bench", "--workspace", "--locked"]).args(arguments)),
    }
}

/// Measures the gateway against nginx: the program of `cargo xtask ship`, or with `--plain` the one
/// of `cargo build --release`.
fn gateway(arguments: &[String]) -> Outcome {
    if !succeeds(program("nginx").arg("-v")) {
        apt::install(&["nginx-light"])?;
    }
    let (plain, filters): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| argument == "--plain");
    if plain.is_empty() {
        measure("gateway", &filters, &ship::build_shipped()?)
    } else {
        build_and_measure("gateway", &filters)
    }
}

/// `cargo xtask soak`: many concurrent streams for some minutes.
pub(crate) fn soak(arguments: &[String]) -> Outcome {
    build_and_measure("soak", arguments)
}

/// `cargo xtask growth`: memory and CPU time for hostile and large bodies. Built with the profile
/// and the features of the tests, so that nothing is built twice: factors and exponents are what
/// counts.
pub(crate) fn growth(arguments: &[String]) -> Outcome {
    let program = cli_binary()?;
    run(cargo()
        .args(["test", "--workspace", "--locked", "--quiet", "--bench", "growth", "--"])
        .args(arguments)
        .env("INTERLINGUA", program))
}

/// Two sizes of every shape.
pub(crate) fn quick_growth() -> Outcome {
    growth(&["--quick".to_owned()])
}

/// Builds the program in release mode and runs a benchmark on it.
fn build_and_measure(name: &str, arguments: &[String]) -> Outcome {
    run(cargo().args(["build", "--release", "--locked"]))?;
    measure(name, arguments, &target_dir().join("release").join("interlingua"))
}

fn measure(name: &str, arguments: &[String], program: &Path) -> Outcome {
    run(cargo()
        .args(["bench", "--locked", "-p", "interlingua-benches", "--bench", name, "--"])
        .args(arguments)
        .env("INTERLINGUA", program))
}
