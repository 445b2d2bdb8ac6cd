//! A simulator, and gateways in front of it, all of them processes of their own.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Process;

/// A simulator that always gives the same reply, and the program that gateways are made of.
#[derive(Debug)]
pub struct House {
    program: PathBuf,
    folder: PathBuf,
    simulator: SocketAddr,
    _simulated: Process,
}

/// A gateway under load.
#[derive(Debug)]
pub struct Gateway {
    pub process: Process,
    pub at: SocketAddr,
}

impl House {
    /// The model thinks, speaks, and calls a tool twice, in pieces of eight characters.
    pub fn build(program: &str, folder: &Path) -> io::Result<Self> {
        let script = folder.join("script.toml");
        std::fs::write(&script, reply_of(300, 1000))?;
        let mut simulate = Command::new(program);
        simulate.args(["simulate", "--listen", "127.0.0.1:0", "--script"]).arg(&script);
        let (simulated, simulator) = Process::listening(&mut simulate)?;
        let (program, folder) = (program.into(), folder.to_owned());
        Ok(Self { program, folder, simulator, _simulated: simulated })
    }

    /// With a guard of this mode, and this store; `SQLite` is a file of its own.
    pub fn gateway(&self, name: &str, guard: &str, store: &str) -> io::Result<Gateway> {
        let file = format!("sqlite:{}", self.folder.join(format!("{name}.db")).display());
        let store = if store == "SQLite" { &file } else { store };
        let text = GATEWAY.replace("UPSTREAM", &self.simulator.to_string());
        let text = text.replace("GUARD", guard).replace("STORE", store);
        let conf = self.folder.join(format!("{name}.toml"));
        std::fs::write(&conf, text)?;
        let mut serve = Command::new(&self.program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&conf);
        serve.env("INTERLINGUA_LOG", "warn");
        let (process, at) = Process::listening(&mut serve)?;
        Ok(Gateway { process, at })
    }
}

fn reply_of(thoughts: usize, words: usize) -> String {
    let (thought, text) = ("consider".repeat(thoughts), "a word, ".repeat(words));
    let query = "a search for words ".repeat(40);
    let call = format!("{{ call = \"search\", arguments = {{ query = \"{query}\" }} }}");
    format!(
        "[[turn]]\nblocks = [{{ thinking = \"{thought}\" }}, {{ text = \"{text}\" }}, {call}, {call}]\n"
    )
}

/// `quick` says everything at once, `paced` one event after the other, each with time before it.
const GATEWAY: &str = r#"
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
