//! Runs programs from the workspace's root, and reads and writes files for them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::outcome::Outcome;

/// The workspace's root. It is found at run time, because checkouts may share a target folder with
/// this program.
pub(crate) fn workspace_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let manifest_dir =
        manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest_dir.parent().map_or_else(|| manifest_dir.clone(), PathBuf::from)
}

/// Cargo's target folder.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace_root().join("target"), |dir| workspace_root().join(dir))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Arguments for a fast build of a tool that itself runs only for seconds.
pub(crate) const FAST_BUILD: [&str; 6] = [
    "--config",
    "profile.release.opt-level=1",
    "--config",
    "profile.release.lto=false",
    "--config",
    "profile.release.codegen-units=16",
];

/// The cargo that runs xtask.
pub(crate) fn cargo() -> Command {
    program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds the `interlingua` program and returns its path.
pub(crate) fn cli_binary() -> Result<PathBuf, String> {
    build_for_test("interlingua", "cli")
}

/// Builds a program with the profile and features of the tests, so that nothing is built twice.
pub(crate) fn build_for_test(name: &str, test: &str) -> Result<PathBuf, String> {
    run(cargo().args(["test", "--workspace", "--locked", "--quiet", "--no-run", "--test", test]))?;
    Ok(target_dir().join("debug").join(name))
}

pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(workspace_root());
    command
}

/// Runs a program with xtask's own output; an unsuccessful exit is an error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = status(command)?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} failed: {status}", command_line(command)))
    }
}

pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, String> {
    command
        .status()
        .map_err(|error| format!("{} cannot be started: {error}", command_line(command)))
}

/// Whether a program starts and succeeds; its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The standard output of a successful program.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", command_line(command)))?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", command_line(command), output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("{} printed invalid UTF-8", command_line(command)))
}

/// Runs a program and shows its output only on failure.
pub(crate) fn run_quietly(command: &mut Command) -> Outcome {
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.map_err(|error| format!("{} cannot be started: {error}", command_line(command)))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{stderr}\n{} failed: {}", command_line(command), output.status))
}

/// The command line as text.
fn command_line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
