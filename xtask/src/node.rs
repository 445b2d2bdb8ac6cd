//! Packages of npm, and tests in JavaScript that stand beside them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{program, read, run, succeeds, write};
use crate::{Outcome, debian};

/// Whether packages may run what they want to when they are installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    Run,
    Ignore,
}

/// Exactly what the lock file in a folder names, unless it is there already.
pub(crate) fn install(folder: &Path, place: &Path, scripts: Scripts) -> Outcome {
    let files = ["package.json", "package-lock.json"].map(|name| (name, folder.join(name)));
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
    run(program("npm")
        .current_dir(place)
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .args((scripts == Scripts::Ignore).then_some("--ignore-scripts")))?;
    write(&stamp, &wanted.concat())
}

/// Runs the tests of a folder on the command. They run in a copy beside their packages, because a module
/// finds packages only in the folders above it.
pub(crate) fn test(folder: &Path, place: &Path, binary: &Path, arguments: &[String]) -> Outcome {
    install(folder, place, Scripts::Ignore)?;
    let copied = copy(folder, place)?;
    let tests = copied.iter().filter(|name| name.ends_with(".test.js"));
    run(program(node(place))
        .current_dir(place)
        .args(["--test", "--test-reporter=spec", "--test-timeout=300000"])
        .args(arguments)
        .args(tests)
        .env("INTERLINGUA_BIN", binary))
}

/// Puts the modules where the packages are; their names.
fn copy(folder: &Path, place: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut copied = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|ending| ending == "js") {
            write(&place.join(&name), &read(&folder.join(&name))?)?;
            copied.push(name);
        }
    }
    copied.sort();
    Ok(copied)
}

/// Some packages want a newer one than Debian has. It is among them then, for the machines it is made for.
fn node(place: &Path) -> PathBuf {
    let own = place.join("node_modules").join(".bin").join("node");
    if own.exists() { own } else { PathBuf::from("node") }
}
