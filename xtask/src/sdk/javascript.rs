//! The JavaScript packages: installed beside a copy of their tests, because a module finds packages
//! only in the folders above it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{program, read, root, run, succeeds, target, write};
use crate::{Outcome, debian};

pub(super) fn test(binary: &Path, arguments: &[String]) -> Outcome {
    let place = target().join("sdk-js");
    install(&place)?;
    let copied = copy(&place)?;
    let tests = copied.iter().filter(|name| name.ends_with(".test.js"));
    run(program(node(&place))
        .current_dir(&place)
        .args(["--test", "--test-reporter=spec"])
        .args(arguments)
        .args(tests)
        .env("INTERLINGUA_BIN", binary))
}

/// Exactly what the lock file names, unless it is there already.
fn install(place: &Path) -> Outcome {
    let files = ["package.json", "package-lock.json"].map(|name| (name, folder().join(name)));
    let wanted =
        files.iter().map(|(_, path)| read(path)).collect::<Result<Vec<String>, String>>()?;
    let stamp = place.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted.concat()) {
        return Ok(());
    }
    if !succeeds(program("npm").arg("--version")) {
        debian::install(&["nodejs", "npm"])?;
    }
    fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    for ((name, _), text) in files.iter().zip(&wanted) {
        write(&place.join(name), text)?;
    }
    run(program("npm").current_dir(place).args([
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))?;
    write(&stamp, &wanted.concat())
}

/// Puts the modules where the packages are; their names.
fn copy(place: &Path) -> Result<Vec<String>, String> {
    let from = folder();
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    let mut copied = Vec::new();
    for entry in from.read_dir().map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|ending| ending == "js") {
            write(&place.join(&name), &read(&from.join(&name))?)?;
            copied.push(name);
        }
    }
    copied.sort();
    Ok(copied)
}

/// The packages want a newer one than Debian has. It is among them, for the machines it is made for.
fn node(place: &Path) -> PathBuf {
    let own = place.join("node_modules").join(".bin").join("node");
    if own.exists() { own } else { PathBuf::from("node") }
}

fn folder() -> PathBuf {
    root().join("tests").join("sdk").join("js")
}
