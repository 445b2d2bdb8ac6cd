//! Running other programs from the workspace's root, and the files they need.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::Outcome;

/// The workspace's root: of the checkout we are run from, which may share a target folder with others.
pub(crate) fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let here = manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |place| root().join(place))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The command.
pub(crate) fn binary() -> Result<PathBuf, String> {
    built("interlingua", "cli")
}

/// A program as one of its tests wants it: with the profile and the features of all tests, nothing is built
/// twice.
pub(crate) fn built(name: &str, test: &str) -> Result<PathBuf, String> {
    run(cargo().args(["test", "--workspace", "--locked", "--quiet", "--no-run", "--test", test]))?;
    Ok(target().join("debug").join(name))
}

pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Runs it with our own output; anything but success is the error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = status(command)?;
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", line(command))) }
}

pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, String> {
    command.status().map_err(|error| format!("{} cannot be started: {error}", line(command)))
}

/// Whether it starts and succeeds; what it says is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Its standard output, if it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", line(command)))?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", line(command), output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{} printed no UTF-8", line(command)))
}

/// Runs it without its output, which is only told where it fails.
pub(crate) fn quietly(command: &mut Command) -> Outcome {
    let ran = command.stdin(Stdio::null()).output();
    let ran = ran.map_err(|error| format!("{} cannot be started: {error}", line(command)))?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(format!("{said}\n{} failed: {}", line(command), ran.status))
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
