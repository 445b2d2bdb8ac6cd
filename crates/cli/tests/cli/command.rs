//! Runs the binary the way a shell does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// The names of all dialects.
pub(crate) fn dialects() -> impl Iterator<Item = &'static str> {
    interlingua::DIALECTS.iter().map(|dialect| dialect.id().0)
}

/// Runs `interlingua` with these arguments, separated by spaces, and this on stdin.
pub(crate) fn run_interlingua(arguments: &str, stdin: &[u8]) -> CommandOutput {
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("stdin is a pipe");
    let stdin = stdin.to_owned();
    // A command that rejects its arguments does not read its input.
    let feed = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().expect("the binary ends");
    feed.join().expect("the input is fed");
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl CommandOutput {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Starts a command that listens, and returns the address that it prints first.
pub(crate) fn start_listening(
    arguments: &[&str],
    change: impl FnOnce(&mut Command),
) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlingua"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    change(&mut command);
    let mut child = command.spawn().expect("the binary starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("stdout is a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("a line comes");
    let addr = line.trim().strip_prefix("http://").expect("an address").to_owned();
    (child, addr)
}
