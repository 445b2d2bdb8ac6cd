//! The training workload for profile-guided optimization of the gateway: `cargo xtask ship`.
#![expect(clippy::print_stdout, reason = "a command prints to its user")]

mod tls_proxy;

use std::path::Path;
use std::process::{Command, ExitCode};

use interlingua_benches::load::{Process, error_text};
use interlingua_benches::workload::{LISTEN_ARGS, Workload, gateway_config, start_simulator};

use crate::tls_proxy::TlsProxy;

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The gateway is trained by `cargo xtask ship`.");
        return ExitCode::SUCCESS;
    };
    match train(&program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cannot train: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a gateway that only starts, without a configuration; then one with local plaintext
/// providers, and one with providers over TLS and HTTP/2, like most remote ones.
fn train(program: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(error_text)?;
    let (gateway, _) = Process::spawn_and_read_address(&mut serve_command(program, folder.path()))
        .map_err(error_text)?;
    stop(gateway)?;
    // The simulator need not be an instrumented program.
    let simulator_program = std::env::var("PROVIDERS");
    let (_simulator, address) = start_simulator(simulator_program.as_deref().unwrap_or(program))?;
    run_workloads(program, folder.path(), &gateway_config(&format!("http://{address}"), None), 1)?;
    let ca_file = folder.path().join("tls_proxy.pem");
    let tls_proxy = TlsProxy::start(address, &ca_file)?;
    run_workloads(
        program,
        folder.path(),
        &gateway_config(&format!("https://{}", tls_proxy.address), Some(&ca_file)),
        TLS_DIVISOR,
    )
}

/// Runs the workloads on a gateway, with the number of requests divided by `divisor`.
fn run_workloads(program: &str, home: &Path, config: &str, divisor: u64) -> Result<(), String> {
    let file = home.join("gateway.toml");
    std::fs::write(&file, config).map_err(error_text)?;
    let mut serve = serve_command(program, home);
    let (gateway, at) =
        Process::spawn_and_read_address(serve.arg("--config").arg(&file)).map_err(error_text)?;
    for (name, workload) in WORKLOADS {
        println!("training: {name}");
        Workload { requests: workload.requests / divisor, ..workload }.run(at)?;
    }
    stop(gateway)
}

fn serve_command(program: &str, home: &Path) -> Command {
    let mut serve = Command::new(program);
    serve.arg("serve").args(LISTEN_ARGS);
    serve.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    serve
}

/// Stops the gateway with SIGTERM, so that it writes its profile.
fn stop(gateway: Process) -> Result<(), String> {
    let status = gateway.terminate().map_err(error_text)?;
    if status.success() { Ok(()) } else { Err(format!("the gateway ended with {status}")) }
}

/// TLS is slow and the same for all requests, so a quarter of them is enough.
const TLS_DIVISOR: u64 = 4;

/// Long requests are fewer, so that they do not outweigh the short ones.
const WORKLOADS: [(&str, Workload); 4] = [
    (
        "short questions",
        Workload {
            model: "sim/echo",
            tool_rounds: 1,
            result_lines: 1,
            question_repeats: 5,
            connections: 4,
            requests: 1000,
        },
    ),
    (
        "calls",
        Workload {
            model: "sim/agent",
            tool_rounds: 1,
            result_lines: 20,
            question_repeats: 1,
            connections: 4,
            requests: 200,
        },
    ),
    (
        "long histories",
        Workload {
            model: "sim/echo",
            tool_rounds: 120,
            result_lines: 146,
            question_repeats: 5,
            connections: 2,
            requests: 12,
        },
    ),
    (
        "long answers",
        Workload {
            model: "sim/echo",
            tool_rounds: 1,
            result_lines: 1,
            question_repeats: 320,
            connections: 4,
            requests: 20,
        },
    ),
];
