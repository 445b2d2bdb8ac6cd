//! What a gateway does all day, for a compiler that watches it: `cargo xtask ship`.
#![expect(clippy::print_stdout, reason = "a command speaks to its user")]

mod secured;

use std::path::Path;
use std::process::{Command, ExitCode};

use interlingua_benches::load::{Process, said};
use interlingua_benches::workout::{Exercise, LISTEN, config, simulator};

use crate::secured::Door;

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

/// First a gateway that nobody has told anything and that only starts; then one whose providers are near, and one
/// whose providers are far away, as most are.
fn train(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(said)?;
    let (gateway, _) = Process::listening(&mut serve(program, folder.path())).map_err(said)?;
    end(gateway)?;
    // Who plays the providers need not be watched.
    let playing = std::env::var("PROVIDERS");
    let (_simulated, near) = simulator(playing.as_deref().unwrap_or(program))?;
    work(program, folder.path(), &config(&format!("http://{near}"), None), 1)?;
    let vouching = folder.path().join("door.pem");
    let door = Door::before(near, &vouching)?;
    work(program, folder.path(), &config(&format!("https://{}", door.at), Some(&vouching)), FAR)
}

/// A gateway that does a part of the work.
fn work(program: &str, home: &Path, config: &str, part: u64) -> Result<(), String> {
    let file = home.join("gateway.toml");
    std::fs::write(&file, config).map_err(said)?;
    let mut serve = serve(program, home);
    let (gateway, at) = Process::listening(serve.arg("--config").arg(&file)).map_err(said)?;
    for (name, exercise) in EXERCISES {
        println!("training: {name}");
        Exercise { times: exercise.times / part, ..exercise }.run(at)?;
    }
    end(gateway)
}

fn serve(program: &str, home: &Path) -> Command {
    let mut serve = Command::new(program);
    serve.arg("serve").args(LISTEN);
    serve.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    serve
}

/// Ends it as one would, so that it writes down what it did.
fn end(gateway: Process) -> Result<(), String> {
    let ended = gateway.end().map_err(said)?;
    if ended.success() { Ok(()) } else { Err(format!("the gateway ended with {ended}")) }
}

/// The way to providers that are far is the same for all requests, and slow: a part of them shows it.
const FAR: u64 = 4;

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
