//! `cargo xtask sdk`: the providers' own packages, in Python and JavaScript, read what the command
//! writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{cargo, program, root, run, succeeds};
use crate::{Outcome, debian};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let python = environment()?;
    // The profile of the tests, so that nothing is built twice.
    run(cargo().args(["build", "--profile", "test", "--locked", "--package", "interlingua-cli"]))?;
    let binary = target().join("debug").join("interlingua");
    run(program(python)
        .args(["-m", "pytest", "tests/sdk", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", &binary))?;
    let folder = packages()?;
    run(program("node").arg("--test").current_dir(folder).env("INTERLINGUA_BIN", binary))
}

/// The folder of the JavaScript tests, with exactly what its lock file names.
fn packages() -> Result<PathBuf, String> {
    let folder = root().join("tests").join("sdk").join("js");
    if !succeeds(program("npm").arg("--version")) {
        debian::install(&["nodejs", "npm"])?;
    }
    let wanted = read(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules").join("installed.json");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        run(program("npm").args(quiet).current_dir(&folder))?;
        fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    Ok(folder)
}

/// The Python of an environment that has exactly what `tests/sdk/requirements.txt` names.
fn environment() -> Result<PathBuf, String> {
    let place = target().join("sdk-venv");
    let python = place.join("bin").join("python");
    let folder = root().join("tests").join("sdk");
    let wanted = ["requirements.txt", "constraints.txt"]
        .map(|name| read(&folder.join(name)))
        .into_iter()
        .collect::<Result<String, String>>()?;
    let stamp = place.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    create(&place)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(program(&python).args(pip).args([
        "--requirement",
        "tests/sdk/requirements.txt",
        "--constraint",
        "tests/sdk/constraints.txt",
    ]))?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}

fn create(place: &Path) -> Outcome {
    let mut attempt = program("python3");
    attempt.args(["-m", "venv", "--clear"]).arg(place);
    if succeeds(&mut attempt) {
        return Ok(());
    }
    debian::install(&["python3", "python3-venv"])?;
    run(program("python3").args(["-m", "venv", "--clear"]).arg(place))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |place| root().join(place))
}
