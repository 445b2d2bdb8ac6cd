//! `cargo xtask order`: where functions lie in the program, from what the gateway runs.

use crate::run::{cargo, program, root, run, succeeds, target};
use crate::{Outcome, debian, takes_nothing};

/// To be run when the compiler or the dependencies have changed: names of functions change with them.
pub(crate) fn command(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    if !succeeds(program("valgrind").arg("--version")) {
        debian::install(&["valgrind"])?;
    }
    run(cargo().args(["build", "--release", "--locked"]))?;
    run(cargo()
        .args(["bench", "--locked", "-p", "interlingua-benches", "--bench", "order"])
        .env("INTERLINGUA", target().join("release").join("interlingua"))
        .env("ORDER", root().join("crates/cli/order.txt")))
}
