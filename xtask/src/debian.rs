//! Packages that a fresh Debian machine lacks.

use crate::Outcome;
use crate::run::{output, program, run, succeeds};

/// Installs packages, or says which ones to install where that is not ours to do.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let names = packages.join(" ");
    let root = output(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !root || !succeeds(program("apt-get").arg("--version")) {
        return Err(format!("Missing on this machine: {names}. Install them and run again."));
    }
    println!("installing {names}");
    run(program("apt-get").args(["update", "-q"]))?;
    run(program("apt-get").args(["install", "-q", "-y", "--no-install-recommends"]).args(packages))
}
