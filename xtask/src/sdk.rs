//! `cargo xtask sdk`: tests the gateway and the simulator with the SDKs of the providers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::Outcome;
use crate::process::{cli_binary, program, read, run, succeeds, target_dir, workspace_root, write};
use crate::{apt, node};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let binary = cli_binary()?;
    match arguments {
        [] => python_tests(&binary, &[]).and_then(|()| javascript_tests(&binary, &[])),
        [first, rest @ ..] if first == "js" => javascript_tests(&binary, rest),
        _ => python_tests(&binary, arguments),
    }
}

fn python_tests(binary: &Path, arguments: &[String]) -> Outcome {
    run(program(python_env()?)
        .args(["-m", "pytest", "tests/sdk", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", binary))
}

fn javascript_tests(binary: &Path, arguments: &[String]) -> Outcome {
    let folder = workspace_root().join("tests").join("sdk").join("js");
    node::test(&folder, &target_dir().join("sdk-js"), binary, arguments)
}

/// The Python of a virtual environment with the packages of `tests/sdk/requirements.txt`.
pub(crate) fn python_env() -> Result<PathBuf, String> {
    let venv = target_dir().join("sdk-venv");
    let python = venv.join("bin").join("python");
    let folder = workspace_root().join("tests").join("sdk");
    let wanted = ["requirements.txt", "constraints.txt"]
        .map(|name| read(&folder.join(name)))
        .into_iter()
        .collect::<Result<String, String>>()?;
    let stamp = venv.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    create_venv(&venv)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(program(&python).args(pip).args([
        "--requirement",
        "tests/sdk/requirements.txt",
        "--constraint",
        "tests/sdk/constraints.txt",
    ]))?;
    write(&stamp, &wanted)?;
    Ok(python)
}

fn create_venv(venv: &Path) -> Outcome {
    let mut attempt = program("python3");
    attempt.args(["-m", "venv", "--clear"]).arg(venv);
    if succeeds(&mut attempt) {
        return Ok(());
    }
    apt::install(&["python3", "python3-venv"])?;
    run(program("python3").args(["-m", "venv", "--clear"]).arg(venv))
}
