//! The repository's own commands; `cargo xtask --help` lists them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints to its user")]

mod agents;
mod apt;
mod bench;
mod book;
mod browser;
mod deny;
mod deploy;
mod fuzz;
mod instructions;
mod laws;
mod node;
mod outcome;
mod package;
mod postgres;
mod process;
mod recorded;
mod sdk;
mod ship;
mod source_files;
mod test;
mod tidy;

use std::process::ExitCode;

use crate::outcome::Outcome;

struct Command {
    name: &'static str,
    usage: &'static str,
    description: &'static str,
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
    println!("The repository's own commands.\n\nUsage: cargo xtask COMMAND\n");
    for command in COMMANDS {
        println!("  {:<47} {}", format!("{} {}", command.name, command.usage), command.description);
    }
}

const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        usage: "[--all | STEP…]",
        description: "set up and run everything that must hold before a change lands",
        run: test::command,
    },
    Command {
        name: "tidy",
        usage: "",
        description: "check the repository's own rules: sizes, names, dependencies, links, corpus",
        run: tidy::command,
    },
    Command {
        name: "fuzz",
        usage: "[PROPERTY] [--seconds N] [--seed N]",
        description: "check the properties with mutated inputs (60 s each, a new seed)",
        run: fuzz::command,
    },
    Command {
        name: "laws",
        usage: "[--n N] [--seed S] [OPTIONS]",
        description: "check the laws on generated conversations for all targets (200000)",
        run: laws::command,
    },
    Command {
        name: "recorded",
        usage: "DIR [--examples N]",
        description: "replay recorded exchanges with providers against judge and translation",
        run: recorded::command,
    },
    Command {
        name: "sdk",
        usage: "[PYTEST ARGUMENTS | js NODE ARGUMENTS]",
        description: "test with the SDKs of the providers",
        run: sdk::command,
    },
    Command {
        name: "deploy",
        usage: "[PYTEST ARGUMENTS]",
        description: "test the files in deploy/: start, requests, stop",
        run: deploy::command,
    },
    Command {
        name: "agents",
        usage: "[AGENT…]",
        description: "run real agents through the gateway",
        run: agents::command,
    },
    Command {
        name: "browser",
        usage: "[NODE ARGUMENTS]",
        description: "test the debug UI in a real browser",
        run: browser::command,
    },
    Command {
        name: "postgres",
        usage: "[ARGUMENTS]",
        description: "run the store's tests on a temporary PostgreSQL",
        run: postgres::command,
    },
    Command {
        name: "deny",
        usage: "",
        description: "check licences, sources and bans of the dependency tree",
        run: deny::command,
    },
    Command {
        name: "package",
        usage: "",
        description: "pack the published crates and build them from their packages",
        run: package::command,
    },
    Command {
        name: "semver",
        usage: "REVISION",
        description: "compare the public items of the published crates with those of a git revision",
        run: package::semver,
    },
    Command {
        name: "book",
        usage: "",
        description: "build the documentation as a searchable book, target/book",
        run: book::command,
    },
    Command {
        name: "ship",
        usage: "",
        description: "build the release program, optimized by a profile of the gateway",
        run: ship::command,
    },
    Command {
        name: "bench",
        usage: "[gateway [--plain] | guarded | stored | ARGUMENTS]",
        description: "cargo bench; or measure gateway processes, against nginx or without a feature",
        run: bench::command,
    },
    Command {
        name: "soak",
        usage: "[STREAMS [SECONDS]]",
        description: "soak test with concurrent streams (2000, 120 s)",
        run: bench::soak,
    },
    Command {
        name: "growth",
        usage: "[--quick] [--seed N] [--generated N] [--recorded FOLDER] [SHAPE…]",
        description: "memory and CPU time of the gateway for hostile and large bodies",
        run: bench::growth,
    },
    Command {
        name: "instructions",
        usage: "[ARGUMENTS]",
        description: "count instructions under callgrind",
        run: instructions::command,
    },
];
