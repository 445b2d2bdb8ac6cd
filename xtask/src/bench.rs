//! `cargo xtask bench`: the benchmarks; and `cargo xtask soak`.

use crate::run::{cargo, program, run, succeeds, target};
use crate::{Outcome, debian};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((first, rest)) if first == "gateway" => gateway(rest),
        Some((first, rest)) if first == "guarded" => with_command("guarded", rest),
        Some((first, rest)) if first == "stored" => with_command("stored", rest),
        _ => run(cargo().args(["bench", "--workspace", "--locked"]).args(arguments)),
    }
}

/// The gateway between real processes, beside a plain proxy.
fn gateway(arguments: &[String]) -> Outcome {
    if !succeeds(program("nginx").arg("-v")) {
        debian::install(&["nginx-light"])?;
    }
    with_command("gateway", arguments)
}

/// `cargo xtask soak`: many streams at once for a while.
pub(crate) fn soak(arguments: &[String]) -> Outcome {
    with_command("soak", arguments)
}

/// A benchmark that starts the command as its users have it.
fn with_command(name: &str, arguments: &[String]) -> Outcome {
    run(cargo().args(["build", "--release", "--locked"]))?;
    run(cargo()
        .args(["bench", "--locked", "-p", "interlingua-benches", "--bench", name, "--"])
        .args(arguments)
        .env("INTERLINGUA", target().join("release").join("interlingua")))
}
