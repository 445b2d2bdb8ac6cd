//! `interlingua run`, with a shell script as the agent.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A running agent.
struct RunningAgent {
    child: Child,
    lines: BufReader<ChildStdout>,
    _home: TempDir,
}

/// Starts an agent with this script as its program and this configuration as the user's.
fn start_agent(agent: &str, arguments: &[&str], config: &str, script: &str) -> RunningAgent {
    let home = TempDir::new().expect("a folder");
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("config/interlingua")).expect("a folder");
    fs::write(at("config/interlingua/interlingua.toml"), config).expect("a file");
    let program = at(agent);
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("may be run");
    let path = std::env::var("PATH").expect("a path");
    let mut child = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(["run", agent])
        .args(arguments)
        .env_clear()
        .env("PATH", format!("{}:{path}", home.path().display()))
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", at("config"))
        .env("XDG_DATA_HOME", at("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("the binary starts");
    let lines = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    RunningAgent { child, lines, _home: home }
}

impl RunningAgent {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line comes");
        line.trim_end().to_owned()
    }

    /// Sends a line to an agent that waits for one, and returns its exit code.
    fn end(mut self) -> i32 {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }

    /// Signals the process, or its whole group as a terminal does.
    fn signal(&self, signal: &str, all: bool) {
        let id = format!("{}{}", if all { "-" } else { "" }, self.child.id());
        let sent = Command::new("kill").args([signal, "--", &id]).status().expect("kill is there");
        assert!(sent.success());
    }
}

/// Status of the model list for this key.
fn models_status(base: &str, key: &str) -> String {
    let host = base.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    let head = format!(
        "GET /v1/models HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("it is asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

const WAITING_SCRIPT: &str = "echo $ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN; read line; exit 5";

#[test]
fn an_agents_own_gateway_listens_on_the_loopback_with_its_own_key() {
    let config = "listen = \"0.0.0.0:1\"\n[access]\nkeys = [\"a-long-secret-of-the-user\"]\n";
    let mut agent = start_agent("claude", &[], config, WAITING_SCRIPT);
    let line = agent.line();
    let (base, key) = line.split_once(' ').expect("an address and a key");
    assert!(base.starts_with("http://127.0.0.1:"), "{base}");
    assert_eq!(models_status(base, key), "200");
    assert_eq!(models_status(base, "interlingua"), "401");
    assert_eq!(agent.end(), 5);
}

#[test]
fn another_server_at_the_port_is_not_the_gateway() {
    let stranger = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = stranger.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in stranger.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        }
    });
    let mut agent = start_agent("claude", &[], &format!("listen = \"{addr}\"\n"), WAITING_SCRIPT);
    let line = agent.line();
    assert!(!line.contains(&addr.to_string()), "{line}");
    assert_eq!(models_status(line.split(' ').next().unwrap_or_default(), "x"), "200");
    agent.end();
}

#[test]
fn a_running_gateway_is_used() {
    let folder = TempDir::new().expect("a folder");
    let (mut gateway, addr) =
        crate::command::start_listening(&["serve", "--listen", "127.0.0.1:0"], |c| {
            c.env("HOME", folder.path())
                .env_remove("XDG_DATA_HOME")
                .env_remove("INTERLINGUA_CONFIG");
        });
    let config = format!("listen = \"{addr}\"\n");
    let mut agent = start_agent("claude", &[], &config, WAITING_SCRIPT);
    assert_eq!(agent.line(), format!("http://{addr} interlingua"));
    agent.end();
    // With keys in its configuration, the command requires one.
    let keys = format!("{config}[access]\nkeys = [\"a-long-secret-of-the-user\"]\n");
    assert_eq!(start_agent("claude", &[], &keys, WAITING_SCRIPT).end(), 2);
    let _ = gateway.kill();
    let _ = gateway.wait();
}

#[test]
fn all_models_of_claude_code_are_the_given_one() {
    let script = "echo $ANTHROPIC_DEFAULT_HAIKU_MODEL $ANTHROPIC_DEFAULT_OPUS_MODEL $*";
    let mut agent = start_agent("claude", &["--model", "sim/echo"], "", script);
    assert_eq!(agent.line(), "sim/echo sim/echo --model sim/echo");
    assert_eq!(agent.end(), 0);
}

#[test]
fn opencode_uses_the_gateway_with_and_without_a_model() {
    let config = "[providers.anthropic]\napi_key = \"env:HOME\"\n";
    for (arguments, model) in [(&[][..], ""), (&["--model", "sim/echo"], "interlingua/sim/echo")] {
        let mut agent = start_agent("opencode", arguments, config, "echo $OPENCODE_CONFIG_CONTENT");
        let config: serde_json::Value = serde_json::from_str(&agent.line()).expect("JSON");
        assert_eq!(config["model"].as_str().unwrap_or_default(), model);
        let name = if model.is_empty() { "anthropic" } else { "interlingua" };
        let base = config["provider"][name]["options"]["baseURL"].as_str().unwrap_or_default();
        assert!(base.starts_with("http://127.0.0.1:") && base.ends_with("/v1"), "{base}");
        assert_eq!(agent.end(), 0);
    }
}

#[test]
fn agents_get_the_context_window_if_it_is_known() {
    let nobody =
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let config = format!(
        "[providers.local]\ndialect = \"openai-chat\"\nbase_url = \"http://{nobody}/v1\"\n"
    );
    let first_line = |agent: &str, model: &str, script: &str| {
        let mut agent = start_agent(agent, &["--model", model], &config, script);
        let config = agent.line();
        assert_eq!(agent.end(), 0);
        config
    };
    let claude = "echo read ${CLAUDE_CODE_MAX_CONTEXT_TOKENS:-nothing}";
    assert_eq!(first_line("claude", "sim/agent", claude), "read 200000");
    assert_eq!(first_line("claude", "local/any", claude), "read nothing");
    let codex = first_line("codex", "sim/agent", "echo $*");
    assert!(codex.ends_with("model=\"sim/agent\" --config=model_context_window=200000"), "{codex}");
    let codex = first_line("codex", "local/any", "echo $*");
    assert!(codex.ends_with("-c model=\"local/any\""), "{codex}");
    let limit = |model: &str| {
        let config = first_line("opencode", model, "echo $OPENCODE_CONFIG_CONTENT");
        let config: serde_json::Value = serde_json::from_str(&config).expect("JSON");
        config["provider"]["interlingua"]["models"][model].to_string()
    };
    assert_eq!(limit("sim/agent"), r#"{"limit":{"context":200000,"output":64000}}"#);
    assert_eq!(limit("local/any"), "{}");
}

#[test]
fn ctrl_c_is_left_to_the_agent_and_sigterm_is_forwarded() {
    let script = "trap 'echo interrupted' INT; trap 'echo ended; exit 7' TERM\n\
                  echo $ANTHROPIC_BASE_URL\nwhile :; do sleep 0.05; done";
    let mut agent = start_agent("claude", &[], "", script);
    let base = agent.line();
    agent.signal("-INT", true);
    assert_eq!(agent.line(), "interrupted");
    assert_eq!(models_status(&base, "x"), "200");
    agent.signal("-TERM", false);
    assert_eq!(agent.line(), "ended");
    assert_eq!(agent.end(), 7);
}

#[test]
fn an_agent_ended_by_a_signal_has_a_shells_exit_code() {
    assert_eq!(start_agent("claude", &[], "", "kill -9 $$").end(), 137);
}
