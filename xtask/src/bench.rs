//! `cargo xtask bench`: the benchmarks.

use crate::Outcome;
use crate::run::{cargo, run};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    run(cargo().args(["bench", "--workspace", "--locked"]).args(arguments))
}
