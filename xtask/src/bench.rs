//! `cargo xtask bench`: the benchmarks.

use crate::run::{cargo, program, root, run, succeeds};
use crate::{Outcome, debian};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((first, rest)) if first == "gateway" => gateway(rest),
        _ => run(cargo().args(["bench", "--workspace", "--locked"]).args(arguments)),
    }
}

/// The gateway between real processes, beside a plain proxy.
fn gateway(arguments: &[String]) -> Outcome {
    if !succeeds(program("nginx").arg("-v")) {
        debian::install(&["nginx-light"])?;
    }
    run(cargo().args(["build", "--release", "--locked", "-p", "interlingua-cli"]))?;
    let built = root().join("target/release/interlingua");
    run(cargo()
        .args(["bench", "--locked", "-p", "interlingua-benches", "--bench", "gateway", "--"])
        .args(arguments)
        .env("INTERLINGUA", built))
}
