//! `cargo xtask ship`: builds the release program with profile-guided optimization, then optimizes
//! its layout with BOLT.

mod bolt;
mod profdata;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

use self::bolt::Bolt;
use crate::outcome::{Outcome, expect_no_arguments};
use crate::process::{cargo, program, run, target_dir, workspace_root};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    expect_no_arguments(arguments)?;
    let program = build_shipped()?;
    println!("\n{}", program.display());
    Ok(())
}

/// Builds an instrumented program, runs the training, and builds the program again with the
/// profile; then the same with BOLT for the layout. Steps with unchanged inputs are skipped.
pub(crate) fn build_shipped() -> Result<PathBuf, String> {
    let (merge, bolt) = (profdata::find()?, Bolt::find());
    let folder = target_dir().join("shipped");
    let profiles = folder.join("profile");
    let profile = profiles.join("gateway.profdata");
    println!("building the instrumented program");
    let generate_flag = format!("-Cprofile-generate={}", profiles.display());
    let instrumented = build(&folder.join("watched"), &[&generate_flag])?;
    if is_stale(&profile, &instrumented) {
        // Cargo does not rebuild when only the content of the profile changes.
        clear(&folder.join("release"))?;
        run_training(&instrumented, &instrumented, &profiles)?;
        run(program(merge).arg("merge").arg("-o").arg(&profile).args(profile_files(&profiles)?))?;
    }
    println!("building the program with the profile");
    let use_flag = format!("-Cprofile-use={}", profile.display());
    let program = folder.join("interlingua");
    match bolt {
        Some(bolt) => {
            let linked = build(&folder, &[&use_flag, EMIT_RELOCS])?;
            if is_stale(&program, &linked)
                && let Err(error) = optimize_layout(&bolt, &linked, &folder, &program)
            {
                println!("{error}\nthe linked program is shipped without layout optimization");
                copy(&linked, &program)?;
            }
        }
        None => copy(&build(&folder, &[&use_flag])?, &program)?,
    }
    Ok(program)
}

/// Optimizes the layout by a BOLT profile, and runs the training on the result as a test, because a
/// layout error of BOLT is not found otherwise.
fn optimize_layout(bolt: &Bolt, linked: &Path, folder: &Path, output_path: &Path) -> Outcome {
    println!("optimizing the layout of the program");
    let (profiles, instrumented) = (folder.join("ways"), folder.join("watched/interlingua"));
    bolt.instrument(linked, &profiles, &instrumented)?;
    run_training(&instrumented, linked, &profiles)?;
    let laid_out = folder.join("watched/laid-out");
    bolt.optimize(linked, &profiles, &laid_out)?;
    run_training(&laid_out, linked, &profiles)?;
    fs::rename(&laid_out, output_path)
        .map_err(|error| format!("{}: {error}", output_path.display()))
}

/// Builds the program in a separate target folder.
fn build(output_path: &Path, flags: &[&str]) -> Result<PathBuf, String> {
    let mut build = cargo();
    build
        .args(["build", "--release", "--locked", "--bin", "interlingua", "--target-dir"])
        .arg(output_path);
    // Build scripts and macros are instrumented too; their profiles are discarded.
    build.env("LLVM_PROFILE_FILE", "/dev/null");
    run(add_rustflags(&mut build, flags))?;
    Ok(output_path.join("release").join("interlingua"))
}

/// Adds compiler flags. If the environment has flags, cargo ignores those of its configuration.
fn add_rustflags<'c>(build: &'c mut Command, flags: &[&str]) -> &'c mut Command {
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS");
    let encode =
        |flags: String| flags.split_whitespace().collect::<Vec<_>>().join(RUSTFLAGS_SEPARATOR);
    match encoded.or_else(|_| env::var("RUSTFLAGS").map(encode)) {
        Ok(existing) => {
            let existing = Some(existing.as_str()).filter(|flags| !flags.is_empty());
            let all: Vec<&str> = existing.into_iter().chain(flags.iter().copied()).collect();
            build.env("CARGO_ENCODED_RUSTFLAGS", all.join(RUSTFLAGS_SEPARATOR))
        }
        Err(_) => {
            build.arg("--config").arg(format!("build.rustflags={}", serde_json::json!(flags)))
        }
    }
}

/// Whether a result of the training is missing, or older than the training sources or its input.
fn is_stale(result: &Path, input: &Path) -> bool {
    let sources = TRAINING_SOURCES.map(|source| workspace_root().join(source));
    let result_time = modified_time(result);
    sources
        .iter()
        .map(PathBuf::as_path)
        .chain([input])
        .any(|source| result_time < modified_time(source))
}

fn modified_time(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// Runs the training on a program; another program simulates the providers. At its exit the first
/// one writes its profile.
fn run_training(instrumented: &Path, simulator: &Path, profiles: &Path) -> Outcome {
    clear(profiles)?;
    fs::create_dir_all(profiles).map_err(|error| format!("{}: {error}", profiles.display()))?;
    // The load generator need not be fast.
    run(cargo()
        .args(["bench", "--locked", "--profile", "dev"])
        .args(["-p", "interlingua-benches", "--bench", "pgo_training"])
        .env("INTERLINGUA", instrumented)
        .env("PROVIDERS", simulator)
        .env("LLVM_PROFILE_FILE", profiles.join("%p.profraw")))
}

fn profile_files(profiles: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(profiles).into_iter().flatten();
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_profile =
        |file: &PathBuf| file.extension().is_some_and(|extension| extension == "profraw");
    let files: Vec<PathBuf> = files.filter(is_profile).collect();
    // Cargo reads flags from one source only.
    let error = "The gateway wrote no profile. If a cargo configuration has rustflags for a target, they replace the \
        flags of the instrumentation: set them in RUSTFLAGS instead.";
    if files.is_empty() { Err(error.into()) } else { Ok(files) }
}

fn clear(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let result = fs::copy(from, to).map(|_| ());
    result.map_err(|error| format!("{}: {error}", to.display()))
}

/// Keeps relocations; BOLT needs them to move functions.
const EMIT_RELOCS: &str = "-Clink-arg=-Wl,--emit-relocs";
/// The separator of `CARGO_ENCODED_RUSTFLAGS`.
const RUSTFLAGS_SEPARATOR: &str = "\x1f";
const TRAINING_SOURCES: [&str; 3] = [
    "benches/benches/pgo_training/main.rs",
    "benches/benches/pgo_training/tls_proxy.rs",
    "benches/src/workload.rs",
];
