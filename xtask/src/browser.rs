//! `cargo xtask browser`: a real browser shows the debug UI of a running gateway.

use crate::run::{binary, program, root, succeeds, target};
use crate::{Outcome, debian, node};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program(CHROMIUM).arg("--version")) {
        debian::install(&[CHROMIUM])?;
    }
    let folder = root().join("tests").join("ui");
    node::test(&folder, &target().join("ui-js"), &binary()?, arguments)
}

const CHROMIUM: &str = "chromium";
