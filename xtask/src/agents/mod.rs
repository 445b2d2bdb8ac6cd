//! `cargo xtask agents`: real agents do a task with a tool through the gateway, with providers of
//! another dialect, and are greeted by the built-in model; and `interlingua chat` calls the tools of
//! real MCP servers.

mod chat;

use std::fmt;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::node::{self, InstallScripts};
use crate::outcome::Outcome;
use crate::process::{cli_binary, target_dir, workspace_root, write};

/// An agent, and the command line for the task.
struct Agent {
    name: &'static str,
    /// What differs from the agent as it is installed.
    variant: &'static str,
    /// The gateway logs this, beside its turns.
    logs: &'static str,
    /// The agent's tool that runs a command, and its arguments.
    tool: &'static str,
    arguments: &'static str,
    /// The agent quotes arguments with spaces and sends the quotes to the model, so the prompt is
    /// passed word by word.
    split_prompt: bool,
    args_before_prompt: &'static [&'static str],
    args_after_prompt: &'static [&'static str],
    models: &'static [&'static str],
}

pub(crate) fn command(arguments: &[String]) -> Outcome {
    let is_selected =
        |agent: &&Agent| arguments.is_empty() || arguments.iter().any(|a| a == agent.name);
    let binary = cli_binary()?;
    let folder = target_dir().join("agents");
    node::install(&workspace_root().join("tests").join("agents"), &folder, InstallScripts::Run)?;
    let (simulator, base) = start_simulator(&binary)?;
    let simulator = KillOnDrop(simulator);
    let config = folder.join("gateway.toml");
    write(&config, &GATEWAY_CONFIG.replace("SIMULATOR", &base))?;
    let empty_config = folder.join("empty.toml");
    write(&empty_config, "")?;
    for agent in AGENTS.iter().filter(is_selected) {
        for model in agent.models {
            let test =
                AgentTest { agent, model, binary: &binary, folder: &folder, config: &config };
            let name = format!("{}{}", agent.name, agent.variant);
            test.runs_tool().map_err(|error| format!("{name} with {model}: {error}"))?;
            println!("{name} works with {model}");
        }
        let model = "sim/agent";
        let test =
            AgentTest { agent, model, binary: &binary, folder: &folder, config: &empty_config };
        test.is_greeted().map_err(|error| format!("{} with {model}: {error}", agent.name))?;
        println!("{} is greeted by {model}", agent.name);
    }
    if arguments.is_empty() || arguments.iter().any(|name| name == "chat") {
        chat::run_chat_test(&chat::ChatTest { binary: &binary, folder: &folder })?;
        println!("chat works with an MCP server and after kill -9");
    }
    if arguments == ["chat"] {
        return Ok(());
    }
    let rejected = count_rejections(&base)?;
    drop(simulator);
    if rejected > 0 {
        return Err(format!("providers rejected {rejected} requests"));
    }
    Ok(())
}

/// A child process that is killed on drop.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// One agent with one model.
struct AgentTest<'t> {
    agent: &'t Agent,
    model: &'t str,
    binary: &'t Path,
    folder: &'t Path,
    config: &'t Path,
}

impl AgentTest<'_> {
    /// The model calls a tool that writes a file, and gets its result.
    fn runs_tool(&self) -> Outcome {
        let Agent { tool, arguments, .. } = self.agent;
        let output = self.run(&format!("sim:call={tool} sim:arguments={arguments}"))?;
        let proof = fs::read_to_string(self.work().join("proof.txt")).unwrap_or_default();
        if output.status.success()
            && proof.trim() == PROOF_TEXT
            && output.stderr.contains(self.agent.logs)
            && output.stdout.contains("I received 1 result(s)")
        {
            return Ok(());
        }
        Err(format!("{output}\nthe tool wrote `{proof}`"))
    }

    /// A greeting is answered by a text: no tool is called, and the gateway has nothing to warn of.
    fn is_greeted(&self) -> Outcome {
        let output = self.run("Hi")?;
        let turns: Vec<_> =
            output.stderr.lines().filter(|line| line.contains("dialect=")).collect();
        let is_clean = |line: &&str| line.contains("status=200") && !line.contains("tries=2");
        let warns = [" WARN ", " ERROR "].iter().any(|level| output.stderr.contains(level));
        let files = fs::read_dir(self.work()).map_err(|error| error.to_string())?.count();
        if output.status.success()
            && output.stdout.contains("You said \"Hi\".\n\nHello. I am sim/agent")
            && !turns.is_empty()
            && turns.iter().all(is_clean)
            && !warns
            && files == 0
        {
            return Ok(());
        }
        Err(format!("{output}\n{files} files"))
    }

    /// Runs the agent in an empty folder, with an empty home.
    fn run(&self, prompt: &str) -> Result<AgentOutput, String> {
        let home = self.home();
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(self.work()).map_err(|error| error.to_string())?;
        let bins = BIN_DIRS.map(|bin| self.folder.join("node_modules").join(bin));
        let bins = bins.map(|bin| bin.display().to_string()).join(":");
        let output = Command::new("timeout")
            .args(["120"])
            .arg(self.binary)
            .args(["run", self.agent.name, "--model", self.model, "--config"])
            .arg(self.config)
            .arg("--")
            .args(self.agent.args_before_prompt)
            .args(prompt.splitn(if self.agent.split_prompt { usize::MAX } else { 1 }, ' '))
            .args(self.agent.args_after_prompt)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", format!("{bins}:/usr/local/bin:/usr/bin:/bin"))
            .env("HOME", &home)
            .envs(AGENT_ENV.iter().copied())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Ok(AgentOutput { status: output.status, stdout, stderr })
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home").join(self.agent.name)
    }

    fn work(&self) -> PathBuf {
        self.home().join("work")
    }
}

struct AgentOutput {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl fmt::Display for AgentOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}", self.status, self.stdout, self.stderr)
    }
}

fn start_simulator(binary: &Path) -> Result<(Child, String), String> {
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

/// The number of requests that the providers rejected.
fn count_rejections(base: &str) -> Result<usize, String> {
    let host = base.trim_start_matches("http://");
    let to_text = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(host).map_err(to_text)?;
    let request = format!("GET /sim/log HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(to_text)?;
    let mut log = String::new();
    stream.read_to_string(&mut log).map_err(to_text)?;
    if !log.contains("\"accepted\":true") {
        return Err("the providers received no accepted request".to_owned());
    }
    Ok(log.matches("\"accepted\":false").count())
}

const PROOF_TEXT: &str = "INTERLINGUA_TOOL_RAN";

const CODEX: Agent = Agent {
    name: "codex",
    variant: "",
    logs: "",
    tool: "exec_command",
    arguments: r#"{"cmd":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt"}"#,
    split_prompt: false,
    args_before_prompt: &[
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
    ],
    args_after_prompt: &[],
    models: &["anthropic/claude-sonnet-4-5", "gemini/gemini-3-pro"],
};

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        variant: "",
        logs: "",
        tool: "Bash",
        arguments: r#"{"command":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt","description":"proof"}"#,
        split_prompt: false,
        args_before_prompt: &["-p"],
        args_after_prompt: &["--output-format", "text", "--dangerously-skip-permissions"],
        models: &["openai/gpt-5.5", "gemini/gemini-3-pro"],
    },
    CODEX,
    Agent {
        variant: " over WebSocket",
        logs: "a WebSocket was opened",
        args_before_prompt: &[
            "exec",
            "-c",
            "model_providers.interlingua.supports_websockets=true",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
        ],
        ..CODEX
    },
    Agent {
        name: "gemini",
        variant: "",
        logs: "",
        tool: "run_shell_command",
        arguments: r#"{"command":"echo INTERLINGUA_TOOL_RAN > proof.txt; cat proof.txt","description":"proof"}"#,
        split_prompt: false,
        args_before_prompt: &["--yolo", "-p"],
        args_after_prompt: &[],
        models: &["anthropic/claude-sonnet-4-5", "openai/gpt-5.5"],
    },
    #[cfg(target_arch = "x86_64")]
    Agent {
        name: "opencode",
        variant: "",
        logs: "",
        tool: "bash",
        arguments: r#"{"command":"echo${IFS}INTERLINGUA_TOOL_RAN>proof.txt;cat<proof.txt","description":"proof"}"#,
        split_prompt: true,
        args_before_prompt: &["run"],
        args_after_prompt: &[],
        models: &["anthropic/claude-sonnet-4-5", "gemini/gemini-3-pro"],
    },
];

/// Folders of the agents' programs. opencode has a package for each kind of machine, and not every
/// registry has all of them, so only the package for x86-64 is requested.
const BIN_DIRS: [&str; 2] = [".bin", "opencode-linux-x64-baseline/bin"];

/// Keeps the agents offline, and logs their turns.
const AGENT_ENV: &[(&str, &str)] = &[
    ("INTERLINGUA_LOG", "info"),
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

const GATEWAY_CONFIG: &str = r#"
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
