//! Which functions run when the gateway starts and when it works, in the order in which they should lie in
//! the program: `cargo xtask order`.
#![expect(clippy::print_stdout, reason = "a command speaks to its user")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use interlingua_benches::callgrind::{Ran, order};
use interlingua_benches::load::{Process, said};
use interlingua_benches::workout::{self, Exercise, LISTEN, simulator};

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The order is written by `cargo xtask order`.");
        return ExitCode::SUCCESS;
    };
    let written = watched(&program).and_then(|text| {
        println!("{} functions", text.lines().count());
        let into = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cli/order.txt");
        std::fs::write(into, text).map_err(said)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cannot watch: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Gateways that start, with nothing and with a configuration, and one that answers clients of all dialects
/// from providers of all dialects.
fn watched(program: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(said)?;
    let (_simulated, simulator) = simulator(program)?;
    let config = folder.path().join("gateway.toml");
    std::fs::write(&config, workout::config(&format!("http://{simulator}"), None)).map_err(said)?;
    let mut start = Watched::begin(program, folder.path(), "alone", &[])?.0.ran()?;
    let arguments = ["--config", &config.display().to_string()];
    let (mut gateway, at) = Watched::begin(program, folder.path(), "gateway", &arguments)?;
    start.add(gateway.ran()?);
    EXERCISE.run(at)?;
    Ok(order(&start, &gateway.ran()?))
}

/// A gateway under callgrind.
struct Watched {
    process: Process,
    program: String,
    /// Where callgrind writes, with a number behind it.
    out: PathBuf,
    dumps: u32,
}

impl Watched {
    fn begin(
        program: &str,
        folder: &Path,
        name: &str,
        arguments: &[&str],
    ) -> Result<(Self, SocketAddr), String> {
        let out = folder.join(name);
        let mut serve = Command::new("valgrind");
        serve.args(["--tool=callgrind", "--demangle=no"]);
        serve.arg(format!("--callgrind-out-file={}", out.display()));
        serve.arg(program).arg("serve").args(LISTEN).args(arguments);
        serve.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
        let (process, at) = Process::listening(&mut serve).map_err(said)?;
        Ok((Self { process, program: program.to_owned(), out, dumps: 0 }, at))
    }

    /// What ran since the last time, in the background, too.
    fn ran(&mut self) -> Result<Ran, String> {
        std::thread::sleep(BREATH);
        let mut dump = Command::new("callgrind_control");
        dump.arg("--dump").arg(self.process.id().to_string());
        dump.stdout(Stdio::null()).stderr(Stdio::null()).status().map_err(said)?;
        self.dumps += 1;
        let file = self.out.with_extension(self.dumps.to_string());
        Ok(Ran::read(&std::fs::read_to_string(file).map_err(said)?, &self.program))
    }
}

/// Long enough for what begins in the background, slow as it is here.
const BREATH: Duration = Duration::from_secs(5);
/// One round with a tool, and a question that is said back in some pieces; often enough that what happens once
/// weighs little.
const EXERCISE: Exercise =
    Exercise { model: "sim/echo", rounds: 1, lines: 20, questions: 5, connections: 1, times: 10 };
