//! Writes results to stdout, which carries nothing else.

use std::io::{self, IsTerminal as _, Write as _};

use crate::error::CommandError;

/// Writes and flushes, so that the reader of a pipe gets the bytes immediately.
pub(crate) fn print(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| write_error(&error))
}

/// Ends the line on a terminal; a pipe or file gets exactly the bytes.
pub(crate) fn end_line() -> Result<(), CommandError> {
    if io::stdout().is_terminal() { print(b"\n") } else { Ok(()) }
}

fn write_error(error: &io::Error) -> CommandError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => CommandError::OutputClosed,
        _ => CommandError::failed(format!("cannot write to stdout: {error}"), "Is the disk full?"),
    }
}
