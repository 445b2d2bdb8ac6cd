//! `interlingua case`: runs one case of the corpus from stdin.

use std::io::{self, Read as _};

use bytes::Bytes;
use interlingua_corpus::{Case, run_case as judge};

use crate::error::CommandError;
use crate::output;

pub(crate) fn run() -> Result<(), CommandError> {
    let mut file = Vec::new();
    io::stdin().lock().read_to_end(&mut file).map_err(|error| {
        CommandError::usage(format!("cannot read stdin: {error}"), "Give the case on stdin.")
    })?;
    let case = Case::parse(&Bytes::from(file)).map_err(|error| {
        let hint = "Give one case on stdin; corpus/README.md describes the format.";
        CommandError::usage(format!("stdin: not a case: {error}"), hint)
    })?;
    let verdict = judge(&case);
    output::print(format!("{}\n", verdict.to_json().as_str()).as_bytes())?;
    if verdict.passed() {
        return Ok(());
    }
    let differences: Vec<_> = verdict.differences.iter().map(ToString::to_string).collect();
    Err(CommandError::failed(format!("the case does not pass\n{}", differences.join("\n")), ""))
}
