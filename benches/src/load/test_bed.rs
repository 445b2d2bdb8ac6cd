//! A simulator and gateways in front of it, each as a separate process.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Process;

/// A simulator with a fixed reply, and the program for the gateways.
#[derive(Debug)]
pub struct TestBed {
    program: PathBuf,
    folder: PathBuf,
    simulator: SocketAddr,
    _simulator_process: Process,
}

/// A gateway under load.
#[derive(Debug)]
pub struct Gateway {
    pub process: Process,
    pub address: SocketAddr,
}

impl TestBed {
    /// Starts a simulator whose replies have thinking, text and two calls, in deltas of eight
    /// characters.
    pub fn start(program: &str, folder: &Path) -> io::Result<Self> {
        let script = folder.join("script.toml");
        std::fs::write(&script, reply_script(300, 1000))?;
        let mut simulate = Command::new(program);
        simulate.args(["simulate", "--listen", "127.0.0.1:0", "--script"]).arg(&script);
        let (process, simulator) = Process::spawn_and_read_address(&mut simulate)?;
        let (program, folder) = (program.into(), folder.to_owned());
        Ok(Self { program, folder, simulator, _simulator_process: process })
    }

    /// Starts a gateway with this guard mode and store; `SQLite` is a separate file for each.
    pub fn start_gateway(&self, name: &str, guard: &str, store: &str) -> io::Result<Gateway> {
        let file = format!("sqlite:{}", self.folder.join(format!("{name}.db")).display());
        let store = if store == "SQLite" { &file } else { store };
        let text = GATEWAY_CONFIG.replace("UPSTREAM", &self.simulator.to_string());
        let text = text.replace("GUARD", guard).replace("STORE", store);
        let conf = self.folder.join(format!("{name}.toml"));
        std::fs::write(&conf, text)?;
        let mut serve = Command::new(&self.program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&conf);
        serve.env("INTERLINGUA_LOG", "warn");
        let (process, at) = Process::spawn_and_read_address(&mut serve)?;
        Ok(Gateway { process, address: at })
    }
}

fn reply_script(thinking_words: usize, text_words: usize) -> String {
    let (thought, text) = ("consider".repeat(thinking_words), "a word, ".repeat(text_words));
    let query = "a search for words ".repeat(40);
    let call = format!("{{ call = \"search\", arguments = {{ query = \"{query}\" }} }}");
    format!(
        "[[turn]]\nblocks = [{{ thinking = \"{thought}\" }}, {{ text = \"{text}\" }}, {call}, {call}]\n"
    )
}

/// `quick` sends all events immediately, `paced` waits before each event.
const GATEWAY_CONFIG: &str = r#"
[guard]
mode = "GUARD"
[store]
url = "STORE"
[providers.quick]
dialect = "anthropic"
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.paced]
dialect = "anthropic"
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=2" }
"#;
