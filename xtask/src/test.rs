//! `cargo xtask test`: runs all checks that a change must pass, fast ones first.

use std::time::{Duration, Instant};

use crate::outcome::Outcome;
use crate::process::{cargo, run};
use crate::{
    agents, bench, browser, deny, deploy, fuzz, laws, package, postgres, recorded, sdk, tidy,
};

struct Step {
    name: &'static str,
    description: &'static str,
    run: fn() -> Outcome,
    /// Why only `--all` runs it; `None` for the steps of every run.
    only_in_all: Option<&'static str>,
    /// Why it cannot run here: no other step may be left out.
    missing_input: fn() -> Option<&'static str>,
}

/// Without arguments runs the steps of every check; with `--all` all of them, or those named.
pub(crate) fn command(arguments: &[String]) -> Outcome {
    let mut steps: Vec<&Step> = match arguments {
        [] => STEPS.iter().filter(|step| step.only_in_all.is_none()).collect(),
        [all] if all == "--all" => STEPS.iter().collect(),
        names => names.iter().map(|name| find_step(name)).collect::<Result<_, _>>()?,
    };
    let mut left_out = Vec::new();
    steps.retain(|step| match (step.missing_input)() {
        Some(reason) => {
            left_out.push(format!("left out: {} ({reason})", step.name));
            false
        }
        None => true,
    });
    let mut times = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("\n=== {}/{} {}: {}", number + 1, steps.len(), step.name, step.description);
        let start = Instant::now();
        let outcome = (step.run)();
        times.push(start.elapsed());
        if let Err(message) = outcome {
            print_summary(&steps, &times, true);
            return Err(format!("Step '{}' failed. {message}", step.name));
        }
    }
    print_summary(&steps, &times, false);
    for line in left_out {
        println!("{line}");
    }
    if arguments.is_empty() {
        for step in STEPS {
            if let Some(reason) = step.only_in_all {
                println!("not in this run: cargo xtask test {} ({reason})", step.name);
            }
        }
    }
    Ok(())
}

fn find_step(name: &str) -> Result<&'static Step, String> {
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    STEPS.iter().find(|step| step.name == name).ok_or_else(|| {
        format!(
            "There is no step '{name}'; the steps are {}, and --all runs all.",
            names.join(", ")
        )
    })
}

/// Prints one row per step; the last line has a fixed format for programs.
fn print_summary(steps: &[&Step], times: &[Duration], failed: bool) {
    println!("\n{:<10} {:<7} {:>8}", "step", "result", "seconds");
    for (number, step) in steps.iter().enumerate() {
        match times.get(number) {
            Some(time) => {
                let is_failed = failed && number + 1 == times.len();
                let result = if is_failed { "failed" } else { "passed" };
                println!("{:<10} {result:<7} {:>8.1}", step.name, time.as_secs_f64());
            }
            None => println!("{:<10} not run", step.name),
        }
    }
    let failures = usize::from(failed);
    println!("{:<18} {:>8.1}\n", "all", times.iter().sum::<Duration>().as_secs_f64());
    println!("{} passed, {failures} failed", times.len() - failures);
}

fn check_format() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))
        .map_err(|message| format!("{message}; cargo fmt --all fixes it"))
}

fn run_clippy() -> Outcome {
    // The profile of the tests, so that C dependencies are built once.
    run(cargo()
        .args(["clippy", "--workspace", "--all-targets", "--locked", "--profile", "test"])
        .args(["--", "--deny", "warnings"]))
}

fn run_tests() -> Outcome {
    run(cargo().args(["test", "--workspace", "--locked"]))
}

/// Documents only libraries, because the program and the library share the name `interlingua`. The
/// program is checked alone, because tests add features to its dependencies.
fn build_docs() -> Outcome {
    run(cargo()
        .args(["doc", "--workspace", "--lib", "--no-deps", "--locked", "--profile", "test"])
        .env("RUSTDOCFLAGS", "--deny warnings"))?;
    run(cargo().args(["check", "--package", "interlingua-cli", "--locked", "--profile", "test"]))
}

const fn step(name: &'static str, description: &'static str, run: fn() -> Outcome) -> Step {
    Step { name, description, run, only_in_all: None, missing_input: || None }
}

const STEPS: &[Step] = &[
    step("fmt", "the code is formatted", check_format),
    step("tidy", "the repository's own rules hold", || tidy::command(&[])),
    step("package", "the published crates can be packed", package::short_run),
    step("clippy", "no warnings", run_clippy),
    step("test", "unit tests, corpus, laws and doc examples", run_tests),
    step("postgres", "the store on a temporary PostgreSQL", || postgres::command(&[])),
    step("laws", "the laws on a fixed share of the conversations, all targets", laws::short_run),
    Step {
        missing_input: recorded::missing_input,
        ..step("recorded", "recorded exchanges with providers", recorded::replay)
    },
    step("growth", "memory and CPU time for hostile and large bodies", bench::quick_growth),
    step("doc", "the documentation and the program build without warnings", build_docs),
    step("fuzz", "a short run of every property, fixed seed", fuzz::short_run),
    step("sdk", "the SDKs of the providers", || sdk::command(&[])),
    step("deploy", "the files in deploy/: start, requests, stop", || deploy::command(&[])),
    step("browser", "the debug UI in a real browser", || browser::command(&[])),
    step("agents", "real agents through the gateway", || agents::command(&[])),
    Step {
        only_in_all: Some(
            "it builds the program again, and the share in `laws` finds most breaches",
        ),
        ..step("laws-full", "the laws on 200,000 conversations, all targets", laws::full_run)
    },
    Step {
        only_in_all: Some("it builds cargo-deny once, and changes only with Cargo.lock"),
        ..step("deny", "licences, sources and bans of dependencies", || deny::command(&[]))
    },
];
