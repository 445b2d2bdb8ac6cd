//! Writes to stdout and stderr, for all other modules: control characters of models, tools, files and
//! transcripts are escaped before they reach a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;

use crate::error::CommandError;
use crate::terminal_text::{escape, escape_bytes};

/// Writes and flushes a result for programs: a pipe or file gets exactly these bytes.
pub(crate) fn print(bytes: &[u8]) -> Result<(), CommandError> {
    if io::stdout().is_terminal() { write(&escape_bytes(bytes)) } else { write(bytes) }
}

/// Writes and flushes text for people. It is escaped in a pipe too, which may end in a terminal.
pub(crate) fn print_text(text: &str) -> Result<(), CommandError> {
    write(escape(text).as_bytes())
}

/// Writes the address of a server. A program that waits for it would wait for ever, so a failure
/// ends the server, also when the pipe has no reader.
pub(crate) fn print_address(addr: SocketAddr) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "http://{addr}").and_then(|()| stdout.flush()).map_err(|error| {
        CommandError::failed(format!("cannot write the address to stdout: {error}"), "")
    })
}

/// Ends the line on a terminal; a pipe or file gets exactly the bytes.
pub(crate) fn end_line() -> Result<(), CommandError> {
    if io::stdout().is_terminal() { print(b"\n") } else { Ok(()) }
}

/// Writes text for people to stderr. An error of that cannot be reported.
pub(crate) fn print_stderr(text: &str) {
    let _ = write_stderr(escape(text).as_bytes());
}

/// Prints message and hint of an error to stderr, without colors.
pub(crate) fn print_error(error: &CommandError) {
    let (CommandError::Failed { message, hint } | CommandError::Usage { message, hint }) = error
    else {
        return;
    };
    let hint = if hint.is_empty() { String::new() } else { format!("  {hint}\n") };
    print_stderr(&format!("interlingua: {message}\n{hint}"));
}

/// As [`print_stderr`], dim on a terminal.
pub(crate) fn print_stderr_dim(text: &str) {
    let text = escape(text);
    if is_stderr_terminal() && !is_color_disabled() {
        let _ = write_stderr(format!("\u{1b}[2m{text}\u{1b}[0m").as_bytes());
    } else {
        let _ = write_stderr(text.as_bytes());
    }
}

/// Writes lines for programs to stderr: a pipe or file gets exactly these bytes.
pub(crate) fn print_stderr_bytes(bytes: &[u8]) -> io::Result<()> {
    if is_stderr_terminal() { write_stderr(&escape_bytes(bytes)) } else { write_stderr(bytes) }
}

pub(crate) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Each call writes the whole text under the lock; the bytes arrive at the reader of a pipe
/// immediately.
fn write(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| write_error(&error))
}

fn write_stderr(bytes: &[u8]) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(bytes).and_then(|()| stderr.flush())
}

/// Whether colors are disabled (<https://no-color.org>).
fn is_color_disabled() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn write_error(error: &io::Error) -> CommandError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => CommandError::OutputClosed,
        _ => CommandError::failed(format!("cannot write to stdout: {error}"), "Is the disk full?"),
    }
}
