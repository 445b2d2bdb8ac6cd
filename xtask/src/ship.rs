//! `cargo xtask ship`: the program as it is deployed. From a gateway at work it is known what runs often and what
//! hardly ever: the compiler optimises it for that, and then everything in it is laid out for that.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

use crate::bolt::Bolt;
use crate::run::{cargo, program, root, run, target};
use crate::{Outcome, profdata, takes_nothing};

pub(crate) fn command(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    let program = shipped()?;
    println!("\n{}", program.display());
    Ok(())
}

/// Builds the program so that it counts what it does, has it work, and builds it anew with what was counted; and
/// once more the same for where everything lies in it. What has not changed is not done again.
pub(crate) fn shipped() -> Result<PathBuf, String> {
    let (merge, bolt) = (profdata::find()?, Bolt::find());
    let folder = target().join("shipped");
    let counts = folder.join("profile");
    let profile = counts.join("gateway.profdata");
    println!("building the program that is watched");
    let counting = format!("-Cprofile-generate={}", counts.display());
    let watched = build(&folder.join("watched"), &[&counting])?;
    if is_stale(&profile, &watched) {
        // Cargo does not ask whether a profile is another one.
        clear(&folder.join("release"))?;
        train(&watched, &watched, &counts)?;
        run(program(merge).arg("merge").arg("-o").arg(&profile).args(written(&counts)?))?;
    }
    println!("building the program that is shipped");
    let informed = format!("-Cprofile-use={}", profile.display());
    let program = folder.join("interlingua");
    match bolt {
        Some(bolt) => {
            let linked = build(&folder, &[&informed, MOVABLE])?;
            if is_stale(&program, &linked)
                && let Err(why) = lay_out(&bolt, &linked, &folder, &program)
            {
                println!("{why}\nwhat the linker made is shipped as it is");
                copy(&linked, &program)?;
            }
        }
        None => copy(&build(&folder, &[&informed])?, &program)?,
    }
    Ok(program)
}

/// Puts everything in the program where it belongs, as it is seen at work; and has it work once more then, since
/// no compiler vouches for it.
fn lay_out(bolt: &Bolt, linked: &Path, folder: &Path, into: &Path) -> Outcome {
    println!("laying out the program that is shipped");
    let (counts, watched) = (folder.join("ways"), folder.join("watched/interlingua"));
    bolt.watch(linked, &counts, &watched)?;
    train(&watched, linked, &counts)?;
    let laid_out = folder.join("watched/laid-out");
    bolt.lay_out(linked, &counts, &laid_out)?;
    train(&laid_out, linked, &counts)?;
    fs::rename(&laid_out, into).map_err(|error| format!("{}: {error}", into.display()))
}

/// The program, in a folder of its own.
fn build(into: &Path, flags: &[&str]) -> Result<PathBuf, String> {
    let mut build = cargo();
    build
        .args(["build", "--release", "--locked", "--bin", "interlingua", "--target-dir"])
        .arg(into);
    // Scripts of the build and macros count, too, and nobody wants to know.
    build.env("LLVM_PROFILE_FILE", "/dev/null");
    run(add(&mut build, flags))?;
    Ok(into.join("release").join("interlingua"))
}

/// More flags for the compiler. Where the environment has some, cargo passes over those of its configuration.
fn add<'c>(build: &'c mut Command, flags: &[&str]) -> &'c mut Command {
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS");
    let spaced = |said: String| said.split_whitespace().collect::<Vec<_>>().join(SEPARATOR);
    match encoded.or_else(|_| env::var("RUSTFLAGS").map(spaced)) {
        Ok(said) => {
            let said = Some(said.as_str()).filter(|said| !said.is_empty());
            let all: Vec<&str> = said.into_iter().chain(flags.iter().copied()).collect();
            build.env("CARGO_ENCODED_RUSTFLAGS", all.join(SEPARATOR))
        }
        Err(_) => {
            build.arg("--config").arg(format!("build.rustflags={}", serde_json::json!(flags)))
        }
    }
}

/// Whether what a training made is missing, or older than the training or what it was made of.
fn is_stale(made: &Path, of: &Path) -> bool {
    let sources = TRAINING.map(|source| root().join(source));
    let when = changed(made);
    sources.iter().map(PathBuf::as_path).chain([of]).any(|source| when < changed(source))
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|about| about.modified()).ok()
}

/// Has the program work, while another plays the providers; at its end it writes what it counted.
fn train(watched: &Path, providers: &Path, counts: &Path) -> Outcome {
    clear(counts)?;
    fs::create_dir_all(counts).map_err(|error| format!("{}: {error}", counts.display()))?;
    // What only asks need not be quick.
    run(cargo()
        .args(["bench", "--locked", "--profile", "dev"])
        .args(["-p", "interlingua-benches", "--bench", "training"])
        .env("INTERLINGUA", watched)
        .env("PROVIDERS", providers)
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

fn copy(from: &Path, to: &Path) -> Outcome {
    let copied = fs::copy(from, to).map(|_| ());
    copied.map_err(|error| format!("{}: {error}", to.display()))
}

/// With where everything is said, so that it can be put elsewhere.
const MOVABLE: &str = "-Clink-arg=-Wl,--emit-relocs";
/// Between flags, as cargo wants them where they may have spaces in them.
const SEPARATOR: &str = "\x1f";
const TRAINING: [&str; 3] = [
    "benches/benches/training/main.rs",
    "benches/benches/training/secured.rs",
    "benches/src/workout.rs",
];
