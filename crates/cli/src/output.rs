//! Stdout carries results and nothing else.

use std::io::{self, IsTerminal as _, Write as _};

use crate::problem::Problem;

/// Writes and flushes, so that a pipe sees it at once.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Problem> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| failed(&error))
}

/// Ends the line for a person; a pipe or file gets exactly the bytes.
pub(crate) fn end_line() -> Result<(), Problem> {
    if io::stdout().is_terminal() { print(b"\n") } else { Ok(()) }
}

fn failed(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Problem::Left,
        _ => Problem::bad(format!("cannot write to stdout: {error}"), "Is the disk full?"),
    }
}
