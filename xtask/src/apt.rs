//! Installs missing Debian packages.

use crate::outcome::Outcome;
use crate::process::{output, program, run, succeeds};

/// Installs packages as root; otherwise the error lists them.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let names = packages.join(" ");
    let is_root = output(program("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !succeeds(program("apt-get").arg("--version")) {
        return Err(format!("Missing on this machine: {names}. Install them and run again."));
    }
    println!("installing {names}");
    run(program("apt-get").args(["update", "-q"]))?;
    run(program("apt-get").args(["install", "-q", "-y", "--no-install-recommends"]).args(packages))
}
