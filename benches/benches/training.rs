//! What a gateway does all day, for a compiler that watches it: `cargo xtask ship`.
#![expect(clippy::print_stdout, reason = "a command speaks to its user")]

use std::process::{Command, ExitCode};

use interlingua_benches::load::{Process, said};
use interlingua_benches::workout::{Exercise, LISTEN, providers};

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The gateway is trained by `cargo xtask ship`.");
        return ExitCode::SUCCESS;
    };
    match train(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cannot train: {why}");
            ExitCode::FAILURE
        }
    }
}

/// A gateway that writes down what it did when it ends, as it is built for.
fn train(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(said)?;
    let (_simulated, config) = providers(program, folder.path())?;
    let mut serve = Command::new(program);
    serve.arg("serve").args(LISTEN).arg("--config").arg(&config);
    let home = folder.path();
    serve.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    let (gateway, at) = Process::listening(&mut serve).map_err(said)?;
    for (name, exercise) in EXERCISES {
        println!("training: {name}");
        exercise.run(at)?;
    }
    let ended = gateway.end().map_err(said)?;
    if ended.success() { Ok(()) } else { Err(format!("the gateway ended with {ended}")) }
}

/// Short requests are many and long ones few, so that one does not outweigh the other by its length.
const EXERCISES: [(&str, Exercise); 4] = [
    (
        "short questions",
        Exercise {
            model: "sim/echo",
            rounds: 1,
            lines: 1,
            questions: 5,
            connections: 4,
            times: 1000,
        },
    ),
    (
        "calls",
        Exercise {
            model: "sim/agent",
            rounds: 1,
            lines: 20,
            questions: 1,
            connections: 4,
            times: 200,
        },
    ),
    (
        "long histories",
        Exercise {
            model: "sim/echo",
            rounds: 120,
            lines: 146,
            questions: 5,
            connections: 2,
            times: 12,
        },
    ),
    (
        "long answers",
        Exercise {
            model: "sim/echo",
            rounds: 1,
            lines: 1,
            questions: 320,
            connections: 4,
            times: 20,
        },
    ),
];
