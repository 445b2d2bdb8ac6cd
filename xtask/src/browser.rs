//! `cargo xtask browser`: tests the debug UI of a running gateway in a real browser.

use crate::outcome::Outcome;
use crate::process::{cli_binary, program, succeeds, target_dir, workspace_root};
use crate::{apt, node};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    if !succeeds(program(CHROMIUM).arg("--version")) {
        apt::install(&[CHROMIUM])?;
    }
    let folder = workspace_root().join("tests").join("ui");
    node::test(&folder, &target_dir().join("ui-js"), &cli_binary()?, arguments)
}

const CHROMIUM: &str = "chromium";
