//! `cargo xtask bench`: the benchmarks; and `cargo xtask soak` and `order`, which are like them.

use std::path::Path;

use crate::run::{cargo, program, run, succeeds, target};
use crate::{Outcome, debian, ship, takes_nothing};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        Some((first, rest)) if first == "gateway" => gateway(rest),
        Some((first, rest)) if first == "guarded" => with_command("guarded", rest),
        Some((first, rest)) if first == "stored" => with_command("stored", rest),
        _ => run(cargo().args(["bench", "--workspace", "--locked"]).args(arguments)),
    }
}

/// The gateway between real processes, beside a plain proxy: the program that `cargo xtask ship` builds, or with
/// `--plain` the one that `cargo build --release` does.
fn gateway(arguments: &[String]) -> Outcome {
    if !succeeds(program("nginx").arg("-v")) {
        debian::install(&["nginx-light"])?;
    }
    let (plain, words): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|word| word == "--plain");
    if plain.is_empty() {
        measure("gateway", &words, &ship::shipped()?)
    } else {
        with_command("gateway", &words)
    }
}

/// `cargo xtask soak`: many streams at once for a while.
pub(crate) fn soak(arguments: &[String]) -> Outcome {
    with_command("soak", arguments)
}

/// `cargo xtask order`: where functions lie in the program, from what the gateway runs. To be run again when
/// the compiler, the dependencies or the code have changed much: names of functions change with them.
pub(crate) fn order(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    if !succeeds(program("valgrind").arg("--version")) {
        debian::install(&["valgrind"])?;
    }
    with_command("order", arguments)
}

/// A benchmark that starts the command as its users have it.
fn with_command(name: &str, arguments: &[String]) -> Outcome {
    run(cargo().args(["build", "--release", "--locked"]))?;
    measure(name, arguments, &target().join("release").join("interlingua"))
}

fn measure(name: &str, arguments: &[String], program: &Path) -> Outcome {
    run(cargo()
        .args(["bench", "--locked", "-p", "interlingua-benches", "--bench", name, "--"])
        .args(arguments)
        .env("INTERLINGUA", program))
}
