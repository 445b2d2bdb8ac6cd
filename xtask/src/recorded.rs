//! `cargo xtask recorded`: replays recorded exchanges with providers against the judge and the
//! translation.

use crate::outcome::Outcome;
use crate::process::{build_for_test, program, status, workspace_root};

/// Why the step of the test command is left out.
pub(crate) fn missing_input() -> Option<&'static str> {
    let is_there = workspace_root().join(FOLDER).is_dir();
    (!is_there).then_some("there are no recordings in ../shared/recorded")
}

/// The step of the test command.
pub(crate) fn replay() -> Outcome {
    command(&[FOLDER.to_owned()])
}

/// With the build of the other tests.
pub(crate) fn command(arguments: &[String]) -> Outcome {
    let runner = build_for_test("recorded", "laws")?;
    match status(program(runner).args(arguments))?.code() {
        Some(0) => Ok(()),
        Some(2) => Err("The folder has recordings as JSON lines, one file per dialect.".into()),
        _ => {
            Err("We disagree with a provider: a fix is a corpus case and a change of the judge, a \
             profile or a rule. CONTRIBUTING.md says when crates/laws/recorded.txt may explain it."
                .into())
        }
    }
}

/// Relative to the workspace. Recordings are not part of the project.
const FOLDER: &str = "../shared/recorded";
