//! `cargo xtask deny`: checks licences, sources and bans of the dependency tree.

use std::path::PathBuf;

use crate::outcome::{Outcome, expect_no_arguments};
use crate::process::{FAST_BUILD, cargo, run, succeeds};

const VERSION: &str = "0.20.2";

pub(crate) fn command(arguments: &[String]) -> Outcome {
    expect_no_arguments(arguments)?;
    if !succeeds(cargo().args(["deny", "--version"])) {
        println!("cargo-deny is missing: building it takes some minutes, once");
        run(cargo()
            .args(["install", "cargo-deny", "--locked", "--version", VERSION])
            .args(FAST_BUILD))?;
    }
    run(cargo()
        .args(["deny", "check", "--hide-inclusion-graph", "--deny", "unused-wrapper"])
        .args(["bans", "licenses", "sources"]))?;
    if has_advisories() {
        return run(cargo().args(["deny", "--offline", "check", "advisories"]));
    }
    println!("advisories skipped: no copy of the advisory database in CARGO_HOME/advisory-dbs");
    Ok(())
}

fn has_advisories() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    // A failed fetch leaves only a lock file.
    let is_folder =
        |entry: std::io::Result<std::fs::DirEntry>| entry.is_ok_and(|entry| entry.path().is_dir());
    home.and_then(|home| home.join("advisory-dbs").read_dir().ok())
        .is_some_and(|mut entries| entries.any(is_folder))
}
