//! `cargo xtask agents`: real agents do a task with a tool, through the gateway, with providers of
//! another dialect behind it; and our own calls the tools of a real MCP server.

mod chat;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Outcome;
use crate::node::{self, Scripts};
use crate::run::{binary, root, target, write};

/// An agent, and how it is told to do the task.
struct Agent {
    name: &'static str,
    /// The tool of the agent's that runs a command, and its arguments.
    tool: &'static str,
    arguments: &'static str,
    /// It puts words that have spaces in them into quotes, which nobody takes off.
    word_by_word: bool,
    before: &'static [&'static str],
    after: &'static [&'static str],
    models: &'static [&'static str],
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let wanted = |agent: &&Agent| arguments.is_empty() || arguments.iter().any(|a| a == agent.name);
    let binary = binary()?;
    let place = target().join("agents");
    node::install(&root().join("tests").join("agents"), &place, Scripts::Run)?;
    let (simulator, base) = simulate(&binary)?;
    let simulator = Running(simulator);
    let config = place.join("gateway.toml");
    write(&config, &CONFIG.replace("SIMULATOR", &base))?;
    for agent in AGENTS.iter().filter(wanted) {
        for model in agent.models {
            let done = works(agent, model, &binary, &place, &config);
            done.map_err(|why| format!("{} with {model}: {why}", agent.name))?;
            println!("{} works with {model}", agent.name);
        }
    }
    if arguments.is_empty() || arguments.iter().any(|name| name == "chat") {
        chat::works(&chat::Place { binary: &binary, folder: &place })?;
        println!("chat works with an MCP server, and after it was killed");
    }
    if arguments == ["chat"] {
        return Ok(());
    }
    let refused = refusals(&base)?;
    drop(simulator);
    if refused > 0 {
        return Err(format!("providers refused {refused} requests"));
    }
    Ok(())
}

/// A program that is stopped when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn works(agent: &Agent, model: &str, binary: &Path, place: &Path, config: &Path) -> Outcome {
    let home = place.join("home").join(agent.name);
    let _ = fs::remove_dir_all(&home);
    let work = home.join("work");
    fs::create_dir_all(&work).map_err(|error| error.to_string())?;
    let prompt = format!("sim:call={} sim:arguments={}", agent.tool, agent.arguments);
    let bins = BINS.map(|bin| place.join("node_modules").join(bin).display().to_string());
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bins.join(":"));
    let mut started = Command::new("timeout");
    started
        .args(["120"])
        .arg(binary)
        .args(["run", agent.name, "--model", model, "--config"])
        .arg(config)
        .arg("--")
        .args(agent.before)
        .args(prompt.splitn(if agent.word_by_word { usize::MAX } else { 1 }, ' '))
        .args(agent.after)
        .current_dir(&work)
        .env_clear()
        .env("PATH", path)
        .env("HOME", &home)
        .envs(QUIET.iter().copied())
        .stdin(Stdio::null());
    let done = started.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stdout);
    let proof = fs::read_to_string(work.join("proof.txt")).unwrap_or_default();
    if done.status.success() && proof.trim() == PROOF && said.contains("I received 1 result(s)") {
        return Ok(());
    }
    let complained = String::from_utf8_lossy(&done.stderr);
    Err(format!("{}; the tool wrote `{proof}`\n{said}\n{complained}", done.status))
}

fn simulate(binary: &Path) -> Result<(Child, String), String> {
    let mut child = Command::new(binary)
        .args(["simulate", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let out = child.stdout.take().ok_or("no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
    Ok((child, line.trim().to_owned()))
}

/// How many requests the providers refused.
fn refusals(base: &str) -> Result<usize, String> {
    let host = base.trim_start_matches("http://");
    let said = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(host).map_err(said)?;
    let ask = format!("GET /sim/log HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).map_err(said)?;
    let mut log = String::new();
    stream.read_to_string(&mut log).map_err(said)?;
    if !log.contains("\"accepted\":true") {
        return Err("the providers were never asked".to_owned());
    }
    Ok(log.matches("\"accepted\":false").count())
}

const PROOF: &str = "INTERLINGUA_TOOL_RAN";

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        tool: "Bash",
        arguments: r#"{"command":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt","description":"proof"}"#,
        word_by_word: false,
        before: &["-p"],
        after: &["--output-format", "text", "--dangerously-skip-permissions"],
        models: &["openai/gpt-5.5", "gemini/gemini-3-pro"],
    },
    Agent {
        name: "codex",
        tool: "exec_command",
        arguments: r#"{"cmd":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt"}"#,
        word_by_word: false,
        before: &["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
        after: &[],
        models: &["anthropic/claude-sonnet-4-5", "gemini/gemini-3-pro"],
    },
    Agent {
        name: "gemini",
        tool: "run_shell_command",
        arguments: r#"{"command":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt","description":"proof"}"#,
        word_by_word: false,
        before: &["--yolo", "-p"],
        after: &[],
        models: &["anthropic/claude-sonnet-4-5", "openai/gpt-5.5"],
    },
    #[cfg(target_arch = "x86_64")]
    Agent {
        name: "opencode",
        tool: "bash",
        arguments: r#"{"command":"echo${IFS}INTERLINGUA_TOOL_RAN>proof.txt;cat<proof.txt","description":"proof"}"#,
        word_by_word: true,
        before: &["run"],
        after: &[],
        models: &["anthropic/claude-sonnet-4-5", "gemini/gemini-3-pro"],
    },
];

/// Where their programs are. One has a package for each kind of machine, not all of them in every registry; so
/// only that of the usual one is asked for.
const BINS: [&str; 2] = [".bin", "opencode-linux-x64-baseline/bin"];

/// Nobody outside is asked anything.
const QUIET: &[(&str, &str)] = &[
    ("IS_SANDBOX", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("NO_PROXY", "127.0.0.1,localhost"),
    ("TERM", "dumb"),
    ("LANG", "C.UTF-8"),
    ("KEY", "any"),
];

const CONFIG: &str = r#"
[providers.anthropic]
base_url = "SIMULATOR/anthropic"
api_key = "env:KEY"
[providers.openai]
dialect = "openai-chat"
base_url = "SIMULATOR/openai/v1"
api_key = "env:KEY"
[providers.gemini]
base_url = "SIMULATOR/gemini"
api_key = "env:KEY"
"#;
