//! The project's own commands; `cargo xtask --help` lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command speaks to its user")]

mod agents;
mod bench;
mod bolt;
mod browser;
mod debian;
mod deny;
mod deploy;
mod fuzz;
mod instructions;
mod laws;
mod node;
mod postgres;
mod profdata;
mod run;
mod sdk;
mod ship;
mod test;
mod tidy;
mod tree;

use std::process::ExitCode;

/// What a command or a step says when it fails: what happened, and what to do.
type Outcome = Result<(), String>;

struct Command {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        help();
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        help();
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("There is no command '{name}'; cargo xtask --help lists them.");
        return ExitCode::from(2);
    };
    match (command.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\n{message}");
            ExitCode::FAILURE
        }
    }
}

fn help() {
    println!("The project's own commands.\n\nUsage: cargo xtask COMMAND\n");
    for command in COMMANDS {
        println!("  {:<47} {}", format!("{} {}", command.name, command.usage), command.about);
    }
}

/// For commands that take no arguments.
fn takes_nothing(arguments: &[String]) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(extra) => Err(format!("unexpected argument '{extra}'")),
    }
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        usage: "",
        about: "set up and run everything that must hold before a change lands",
        run: test::command,
    },
    Command {
        name: "tidy",
        usage: "",
        about: "rules of the house: sizes, names, directions, links, corpus",
        run: tidy::command,
    },
    Command {
        name: "fuzz",
        usage: "[PROPERTY] [--seconds N] [--seed N]",
        about: "mutated inputs against the properties (60 s each, a new seed)",
        run: fuzz::command,
    },
    Command {
        name: "laws",
        usage: "[--n N] [--seed S] [OPTIONS]",
        about: "the laws over generated conversations and all targets (200000)",
        run: laws::command,
    },
    Command {
        name: "sdk",
        usage: "[PYTEST ARGUMENTS | js NODE ARGUMENTS]",
        about: "the providers' own packages read what we write",
        run: sdk::command,
    },
    Command {
        name: "deploy",
        usage: "[PYTEST ARGUMENTS]",
        about: "what is in deploy/ starts, answers and stops",
        run: deploy::command,
    },
    Command {
        name: "agents",
        usage: "[AGENT…]",
        about: "real agents do a task through the gateway",
        run: agents::command,
    },
    Command {
        name: "browser",
        usage: "[NODE ARGUMENTS]",
        about: "a real browser shows the debug UI",
        run: browser::command,
    },
    Command {
        name: "postgres",
        usage: "[ARGUMENTS]",
        about: "the store's tests on a PostgreSQL of their own",
        run: postgres::command,
    },
    Command {
        name: "deny",
        usage: "",
        about: "licences, sources and bans of the dependency tree",
        run: deny::command,
    },
    Command {
        name: "ship",
        usage: "",
        about: "the program as it is deployed, from what the gateway does when it works",
        run: ship::command,
    },
    Command {
        name: "bench",
        usage: "[gateway [--plain] | guarded | ARGUMENTS]",
        about: "cargo bench; or the gateway between real processes, beside nginx or itself",
        run: bench::command,
    },
    Command {
        name: "soak",
        usage: "[STREAMS [SECONDS]]",
        about: "many streams through the gateway for a while (2000, 120 s)",
        run: bench::soak,
    },
    Command {
        name: "instructions",
        usage: "[ARGUMENTS]",
        about: "benchmarks in instructions, under callgrind",
        run: instructions::command,
    },
    Command {
        name: "order",
        usage: "",
        about: "where functions lie in the program, from what the gateway runs",
        run: bench::order,
    },
];
