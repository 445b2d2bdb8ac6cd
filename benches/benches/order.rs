//! Which functions run when the gateway starts and when it works, in the order in which they should lie in
//! the program: `cargo xtask order`.
#![expect(clippy::print_stdout, reason = "a command speaks to its user")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use interlingua::{Dialect, Target, find, translate_request};
use interlingua_benches::callgrind::{Ran, order};
use interlingua_benches::load::{Process, Shot, fire, said};
use serde_json::{Value, json};

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
    let (_simulated, simulator) =
        Process::listening(Command::new(program).arg("simulate").args(LISTEN)).map_err(said)?;
    let config = folder.path().join("gateway.toml");
    std::fs::write(&config, CONFIG.replace("UPSTREAM", &simulator.to_string())).map_err(said)?;
    let mut start = Watched::begin(program, folder.path(), "alone", &[])?.0.ran()?;
    let arguments = ["--config", &config.display().to_string()];
    let (mut gateway, at) = Watched::begin(program, folder.path(), "gateway", &arguments)?;
    start.add(gateway.ran()?);
    for dialect in CLIENTS {
        let dialect = find(dialect).ok_or("an unknown dialect")?;
        for provider in PROVIDERS {
            ask(at, dialect, provider)?;
        }
    }
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

fn ask(at: SocketAddr, client: &dyn Dialect, provider: &str) -> Result<(), String> {
    for stream in [false, true] {
        let shot = shot(client, &format!("{provider}/sim/echo"), stream)?;
        let volley = fire(at, &shot, 1, TIMES);
        if volley.errors > 0 {
            let name = client.id().0;
            return Err(format!("{} errors from {provider} for {name}", volley.errors));
        }
    }
    Ok(())
}

fn shot(client: &dyn Dialect, model: &str, stream: bool) -> Result<Shot, String> {
    let from = find("anthropic").ok_or("an unknown dialect")?;
    let body = conversation().to_string().into();
    let translated = translate_request(body, from, client, &Target::default());
    let translated = translated.map_err(|error| error.to_string())?;
    let mut body: Value =
        serde_json::from_slice(&translated.body).map_err(|error| error.to_string())?;
    let path = match client.id().0 {
        "gemini" if stream => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
        "gemini" => format!("/v1beta/models/{model}:generateContent"),
        other => {
            body["model"] = json!(model);
            body["stream"] = json!(stream);
            let paths = [
                ("anthropic", "/v1/messages"),
                ("openai-chat", "/v1/chat/completions"),
                ("openai-responses", "/v1/responses"),
            ];
            paths.iter().find(|(name, _)| *name == other).map_or("", |(_, path)| path).to_owned()
        }
    };
    Ok(Shot::new(&path, &body))
}

/// One round with a tool, and a question that is said back in some pieces.
fn conversation() -> Value {
    json!({
        "model": "sim/echo", "max_tokens": 1000,
        "system": "Be brief. ".repeat(40),
        "tools": [{"name": "look", "description": "Looks.", "input_schema": {
            "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}],
        "messages": [
            {"role": "user", "content": "Look at the next file, please."},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "look",
                    "input": {"place": "here"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
                    "content": "fn parse() -> \"x\";\n".repeat(20)}]},
            {"role": "assistant", "content": "That is what it is."},
            {"role": "user", "content": "And what else is there? ".repeat(5)},
        ],
    })
}

const CLIENTS: [&str; 4] = ["anthropic", "openai-chat", "openai-responses", "gemini"];
const PROVIDERS: [&str; 4] = ["anthropic", "openai", "chat", "gemini"];
const LISTEN: [&str; 2] = ["--listen", "127.0.0.1:0"];
/// Long enough for what begins in the background, slow as it is here.
const BREATH: Duration = Duration::from_secs(5);
/// Often enough that what happens once weighs little.
const TIMES: u64 = 10;

const CONFIG: &str = r#"
[providers.anthropic]
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.openai]
base_url = "http://UPSTREAM/openai/v1"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.chat]
dialect = "openai-chat"
base_url = "http://UPSTREAM/openai/v1"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
[providers.gemini]
base_url = "http://UPSTREAM/gemini"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8" }
"#;
