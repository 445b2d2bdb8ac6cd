//! `llvm-profdata`, which makes a profile for the compiler from the counts of a program that ran.

use std::path::PathBuf;

use crate::debian;
use crate::run::{output, program, succeeds};

/// The toolchain's own, which rustup can add; otherwise one that is installed, or that can be.
pub(crate) fn find() -> Result<PathBuf, String> {
    let own = own()?;
    // Without a network this fails, and another may do.
    if own.is_file() || (succeeds(program("rustup").args(ADD)) && own.is_file()) {
        return Ok(own);
    }
    let numbered = (OLDEST..=NEWEST).rev().map(|version| format!("llvm-profdata-{version}"));
    let mut names = std::iter::once("llvm-profdata".to_owned()).chain(numbered);
    if let Some(name) = names.find(|name| version(name).is_some_and(|version| version >= OLDEST)) {
        return Ok(name.into());
    }
    debian::install(&[&format!("llvm-{OLDEST}")]).map_err(|why| {
        format!(
            "llvm-profdata is missing: rustup {} adds it to the toolchain. {why}",
            ADD.join(" ")
        )
    })?;
    Ok(format!("llvm-profdata-{OLDEST}").into())
}

fn own() -> Result<PathBuf, String> {
    let about = output(program("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let root = output(program("rustc").args(["--print", "sysroot"]))?;
    Ok([root.trim(), "lib", "rustlib", host, "bin", "llvm-profdata"].iter().collect())
}

fn version(name: &str) -> Option<u32> {
    // Some that are too old do not know the question.
    let about = program(name).arg("--version").output().ok()?;
    let about = String::from_utf8_lossy(&about.stdout);
    let (_, version) = about.split_once("LLVM version ")?;
    version.split('.').next()?.parse().ok()
}

const ADD: [&str; 3] = ["component", "add", "llvm-tools"];
/// The first that reads what the compiler's programs write.
const OLDEST: u32 = 19;
const NEWEST: u32 = 40;
