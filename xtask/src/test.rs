//! `cargo xtask test`: everything that must hold before a change lands, quick steps first.

use std::time::{Duration, Instant};

use crate::run::{cargo, run};
use crate::{
    Outcome, agents, browser, deny, deploy, fuzz, laws, postgres, sdk, takes_nothing, tidy,
};

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Outcome,
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    takes_nothing(arguments)?;
    let mut times = Vec::new();
    for (number, step) in STEPS.iter().enumerate() {
        println!("\n=== {}/{} {}: {}", number + 1, STEPS.len(), step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)();
        times.push(start.elapsed());
        if let Err(message) = outcome {
            summary(&times, true);
            return Err(format!("Step '{}' failed. {message}", step.name));
        }
    }
    summary(&times, false);
    Ok(())
}

/// One row per step; the last line is plain, for programs that read it.
fn summary(times: &[Duration], failed: bool) {
    println!("\n{:<8} {:<7} {:>8}", "step", "result", "seconds");
    for (number, step) in STEPS.iter().enumerate() {
        match times.get(number) {
            Some(time) => {
                let bad = failed && number + 1 == times.len();
                let result = if bad { "failed" } else { "passed" };
                println!("{:<8} {result:<7} {:>8.1}", step.name, time.as_secs_f64());
            }
            None => println!("{:<8} not run", step.name),
        }
    }
    let failures = usize::from(failed);
    println!("{:<16} {:>8.1}\n", "all", times.iter().sum::<Duration>().as_secs_f64());
    println!("{} passed, {failures} failed", times.len() - failures);
}

fn format() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))
        .map_err(|message| format!("{message}; cargo fmt --all puts it right"))
}

fn clippy() -> Outcome {
    // The profile of the tests: what is built for it in C is built once.
    run(cargo()
        .args(["clippy", "--workspace", "--all-targets", "--locked", "--profile", "test"])
        .args(["--", "--deny", "warnings"]))
}

fn tests() -> Outcome {
    run(cargo().args(["test", "--workspace", "--locked"]))
}

/// Libraries only: the command and the library share the name `interlingua`. The command is looked at as its
/// users build it: no test adds a feature to what it depends on.
fn docs() -> Outcome {
    run(cargo()
        .args(["doc", "--workspace", "--lib", "--no-deps", "--locked", "--profile", "test"])
        .env("RUSTDOCFLAGS", "--deny warnings"))?;
    run(cargo().args(["check", "--package", "interlingua-cli", "--locked", "--profile", "test"]))
}

const STEPS: &[Step] = &[
    Step { name: "fmt", about: "the code is formatted", run: format },
    Step { name: "tidy", about: "the rules of the house hold", run: || tidy::command(&[]) },
    Step { name: "clippy", about: "no warnings", run: clippy },
    Step { name: "test", about: "units, corpus, laws and examples in the docs", run: tests },
    Step {
        name: "postgres",
        about: "the store on a PostgreSQL of its own",
        run: || postgres::command(&[]),
    },
    Step {
        name: "laws",
        about: "the laws over 200,000 conversations, all targets",
        run: laws::test,
    },
    Step {
        name: "doc",
        about: "the documentation builds without warnings, and the command without tests",
        run: docs,
    },
    Step { name: "fuzz", about: "a short run of every property, fixed seed", run: fuzz::short },
    Step {
        name: "sdk",
        about: "the providers' own packages read what we write",
        run: || sdk::command(&[]),
    },
    Step {
        name: "deploy",
        about: "what is in deploy/ starts, answers and stops",
        run: || deploy::command(&[]),
    },
    Step {
        name: "browser",
        about: "a real browser shows the debug UI",
        run: || browser::command(&[]),
    },
    Step {
        name: "agents",
        about: "real agents do a task through the gateway",
        run: || agents::command(&[]),
    },
    Step {
        name: "deny",
        about: "licences, sources and bans of dependencies",
        run: || deny::command(&[]),
    },
];
