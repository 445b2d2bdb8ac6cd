//! Installs npm packages, and runs JavaScript tests with them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::apt;
use crate::outcome::Outcome;
use crate::process::{program, read, run, succeeds, write};

/// Whether npm install scripts may run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallScripts {
    Run,
    Ignore,
}

/// Installs the packages of the lock file in a folder, unless they are installed already.
pub(crate) fn install(folder: &Path, target: &Path, scripts: InstallScripts) -> Outcome {
    let files = ["package.json", "package-lock.json"].map(|name| (name, folder.join(name)));
    let wanted =
        files.iter().map(|(_, path)| read(path)).collect::<Result<Vec<String>, String>>()?;
    let stamp = target.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted.concat()) {
        return Ok(());
    }
    if !succeeds(program("npm").arg("--version")) {
        apt::install(&["nodejs", "npm"])?;
    }
    fs::create_dir_all(target).map_err(|error| format!("{}: {error}", target.display()))?;
    for ((name, _), text) in files.iter().zip(&wanted) {
        write(&target.join(name), text)?;
    }
    run(program("npm")
        .current_dir(target)
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .args((scripts == InstallScripts::Ignore).then_some("--ignore-scripts")))?;
    write(&stamp, &wanted.concat())
}

/// Runs the tests of a folder on the program. They are copied next to their packages, because
/// Node.js searches packages only in the parent folders of a module.
pub(crate) fn test(folder: &Path, target: &Path, binary: &Path, arguments: &[String]) -> Outcome {
    install(folder, target, InstallScripts::Ignore)?;
    let modules = copy_modules(folder, target)?;
    let tests = modules.iter().filter(|name| name.ends_with(".test.js"));
    run(program(node_program(target))
        .current_dir(target)
        .args(["--test", "--test-reporter=spec", "--test-timeout=300000"])
        .args(arguments)
        .args(tests)
        .env("INTERLINGUA_BIN", binary))
}

/// Copies the modules next to the packages, and returns their names.
fn copy_modules(folder: &Path, target: &Path) -> Result<Vec<String>, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut copied = Vec::new();
    for entry in folder.read_dir().map_err(describe)? {
        let name = entry.map_err(describe)?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "js") {
            write(&target.join(&name), &read(&folder.join(&name))?)?;
            copied.push(name);
        }
    }
    copied.sort();
    Ok(copied)
}

/// Some tests need a newer Node.js than that of Debian; npm installs it then, on supported
/// machines.
fn node_program(target: &Path) -> PathBuf {
    let installed = target.join("node_modules").join(".bin").join("node");
    if installed.exists() { installed } else { PathBuf::from("node") }
}
