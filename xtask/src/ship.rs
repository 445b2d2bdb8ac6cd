//! `cargo xtask ship`: the program as it is deployed. The compiler knows from a gateway at work what runs often
//! and what hardly ever, and lays it out for that.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

use crate::run::{cargo, program, root, run, target};
use crate::{Outcome, profdata, takes_nothing};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    let program = shipped()?;
    println!("\n{}", program.display());
    Ok(())
}

/// Builds the program so that it counts what it does, has it work, and builds it anew with what was counted.
/// What has not changed is not done again.
pub(crate) fn shipped() -> Result<PathBuf, String> {
    let merge = profdata::find()?;
    let folder = target().join("shipped");
    let counts = folder.join("profile");
    let profile = counts.join("gateway.profdata");
    println!("building the program that is watched");
    let watched =
        build(&folder.join("watched"), &format!("-Cprofile-generate={}", counts.display()))?;
    if is_stale(&profile, &watched) {
        // Cargo does not ask whether a profile is another one.
        clear(&folder.join("release"))?;
        train(&watched, &counts)?;
        run(program(merge).arg("merge").arg("-o").arg(&profile).args(written(&counts)?))?;
    }
    println!("building the program that is shipped");
    build(&folder, &format!("-Cprofile-use={}", profile.display()))
}

/// The program, in a folder of its own.
fn build(into: &Path, flag: &str) -> Result<PathBuf, String> {
    let mut build = cargo();
    build
        .args(["build", "--release", "--locked", "--bin", "interlingua", "--target-dir"])
        .arg(into);
    // Scripts of the build and macros count, too, and nobody wants to know.
    build.env("LLVM_PROFILE_FILE", "/dev/null");
    run(add(&mut build, flag))?;
    Ok(into.join("release").join("interlingua"))
}

/// One more flag for the compiler. Where the environment has some, cargo passes over those of its configuration.
fn add<'c>(build: &'c mut Command, flag: &str) -> &'c mut Command {
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS");
    let spaced = |flags: String| flags.split_whitespace().collect::<Vec<_>>().join(SEPARATOR);
    match encoded.or_else(|_| env::var("RUSTFLAGS").map(spaced)) {
        Ok(flags) if flags.is_empty() => build.env("CARGO_ENCODED_RUSTFLAGS", flag),
        Ok(flags) => build.env("CARGO_ENCODED_RUSTFLAGS", [&flags, flag].join(SEPARATOR)),
        Err(_) => {
            let flags = serde_json::json!([flag]);
            build.arg("--config").arg(format!("build.rustflags={flags}"))
        }
    }
}

/// Whether the profile is missing or older than what it is made of.
fn is_stale(profile: &Path, watched: &Path) -> bool {
    let sources = TRAINING.map(|source| root().join(source));
    let made = changed(profile);
    sources.iter().map(PathBuf::as_path).chain([watched]).any(|source| made < changed(source))
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|about| about.modified()).ok()
}

/// Has the program work; at its end it writes what it counted.
fn train(watched: &Path, counts: &Path) -> Outcome {
    clear(counts)?;
    // What only asks need not be quick.
    run(cargo()
        .args(["bench", "--locked", "--profile", "dev"])
        .args(["-p", "interlingua-benches", "--bench", "training"])
        .env("INTERLINGUA", watched)
        .env("LLVM_PROFILE_FILE", counts.join("%p.profraw")))
}

fn written(counts: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(counts).into_iter().flatten();
    let files = listed.filter_map(|entry| Some(entry.ok()?.path()));
    let is_written = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "profraw");
    let files: Vec<PathBuf> = files.filter(is_written).collect();
    // Cargo takes flags from one place only.
    let why = "The gateway counted nothing. If a configuration of cargo has rustflags for a target, they hide \
        those that make it count: give them in RUSTFLAGS instead.";
    if files.is_empty() { Err(why.into()) } else { Ok(files) }
}

fn clear(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

/// Between flags, as cargo wants them where they may have spaces in them.
const SEPARATOR: &str = "\x1f";
const TRAINING: [&str; 3] = [
    "benches/benches/training/main.rs",
    "benches/benches/training/secured.rs",
    "benches/src/workout.rs",
];
