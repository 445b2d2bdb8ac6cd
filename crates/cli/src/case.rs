//! `interlingua case`: one case of the corpus from stdin.

use std::io::{self, Read as _};

use bytes::Bytes;
use interlingua_corpus::{Case, run as judge};

use crate::output;
use crate::problem::Problem;

pub(crate) fn run() -> Result<(), Problem> {
    let mut file = Vec::new();
    io::stdin().lock().read_to_end(&mut file).map_err(|error| {
        Problem::usage(format!("cannot read stdin: {error}"), "Give the case on stdin.")
    })?;
    let case = Case::parse(&Bytes::from(file)).map_err(|bad| {
        let advice = "Give one case on stdin; corpus/README.md describes the format.";
        Problem::usage(format!("stdin: not a case: {bad}"), advice)
    })?;
    let verdict = judge(&case);
    output::print(format!("{}\n", verdict.to_json().as_str()).as_bytes())?;
    if verdict.pass() {
        return Ok(());
    }
    let differences: Vec<_> = verdict.differences.iter().map(ToString::to_string).collect();
    Err(Problem::bad(format!("the case does not pass\n{}", differences.join("\n")), ""))
}
