//! `cargo xtask sdk`: the providers' own packages read what the command writes, and talk to the
//! simulator.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{binary, program, read, root, run, succeeds, target, write};
use crate::{Outcome, debian, node};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let binary = binary()?;
    match arguments {
        [] => python(&binary, &[]).and_then(|()| javascript(&binary, &[])),
        [first, rest @ ..] if first == "js" => javascript(&binary, rest),
        _ => python(&binary, arguments),
    }
}

fn python(binary: &Path, arguments: &[String]) -> Outcome {
    run(program(environment()?)
        .args(["-m", "pytest", "tests/sdk", "--quiet", "-p", "no:cacheprovider"])
        .args(arguments)
        .env("INTERLINGUA_BIN", binary))
}

fn javascript(binary: &Path, arguments: &[String]) -> Outcome {
    let folder = root().join("tests").join("sdk").join("js");
    node::test(&folder, &target().join("sdk-js"), binary, arguments)
}

/// The Python of an environment that has exactly what `tests/sdk/requirements.txt` names.
pub(crate) fn environment() -> Result<PathBuf, String> {
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
    write(&stamp, &wanted)?;
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
