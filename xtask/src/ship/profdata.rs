//! Finds `llvm-profdata`, which merges the profiles of an instrumented program for the compiler.

use std::path::PathBuf;

use crate::apt;
use crate::process::{output, program, succeeds};

/// The program of the Rust toolchain, which rustup can add; otherwise one of LLVM, which apt can
/// install.
pub(crate) fn find() -> Result<PathBuf, String> {
    let toolchain_path = toolchain_profdata()?;
    // Without a network rustup fails, and an installed LLVM is used.
    if toolchain_path.is_file()
        || (succeeds(program("rustup").args(RUSTUP_ADD)) && toolchain_path.is_file())
    {
        return Ok(toolchain_path);
    }
    let versioned =
        (MIN_VERSION..=MAX_VERSION).rev().map(|version| format!("llvm-profdata-{version}"));
    let mut names = std::iter::once("llvm-profdata".to_owned()).chain(versioned);
    if let Some(name) =
        names.find(|name| version(name).is_some_and(|version| version >= MIN_VERSION))
    {
        return Ok(name.into());
    }
    apt::install(&[&format!("llvm-{MIN_VERSION}")]).map_err(|error| {
        format!(
            "llvm-profdata is missing: rustup {} adds it to the toolchain. {error}",
            RUSTUP_ADD.join(" ")
        )
    })?;
    Ok(format!("llvm-profdata-{MIN_VERSION}").into())
}

fn toolchain_profdata() -> Result<PathBuf, String> {
    let rustc_version = output(program("rustc").arg("-vV"))?;
    let host =
        rustc_version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let root = output(program("rustc").args(["--print", "sysroot"]))?;
    Ok([root.trim(), "lib", "rustlib", host, "bin", "llvm-profdata"].iter().collect())
}

fn version(name: &str) -> Option<u32> {
    // Old versions reject `--version`, so the exit status does not matter.
    let output = program(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, version) = text.split_once("LLVM version ")?;
    version.split('.').next()?.parse().ok()
}

const RUSTUP_ADD: [&str; 3] = ["component", "add", "llvm-tools"];
/// The first version that reads the profiles of the compiler.
const MIN_VERSION: u32 = 19;
const MAX_VERSION: u32 = 40;
