//! `interlingua chat` with a real MCP server: a tool is called, and a session survives `kill -9`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::Outcome;
use crate::process::{cargo, run};

/// The tested program, and the folder with the installed MCP server and Node.js.
pub(super) struct ChatTest<'p> {
    pub(super) binary: &'p Path,
    pub(super) folder: &'p Path,
}

pub(super) fn run_chat_test(chat_test: &ChatTest<'_>) -> Outcome {
    chat_test.library_tests()?;
    let _ = std::fs::remove_dir_all(chat_test.home());
    std::fs::create_dir_all(chat_test.home()).map_err(|error| error.to_string())?;
    chat_test.calls_tool()?;
    chat_test.survives_kill()
}

impl ChatTest<'_> {
    /// Runs the library tests that need a real MCP server.
    fn library_tests(&self) -> Outcome {
        run(cargo()
            .args(["test", "--workspace", "--locked", "--quiet", "--test", "agent", "mcp"])
            .env("INTERLINGUA_TEST_MCP", self.server())
            .env("PATH", self.path()))
    }

    fn calls_tool(&self) -> Outcome {
        let prompt = r#"sim:call=echo sim:arguments={"message":"INTERLINGUA"}"#;
        let (stdout, stderr) = self.run_chat(&[], prompt)?;
        if stdout.contains("I received 1 result(s)") && stdout.contains("Echo: INTERLINGUA") {
            return Ok(());
        }
        Err(format!("chat did not call its tool\n{stdout}\n{stderr}"))
    }

    /// Kills chat while a repeatable tool runs; the session must continue with the result of the
    /// tool.
    fn survives_kill(&self) -> Outcome {
        let mut child = self.start(&[])?;
        let prompt =
            "sim:call=trigger-long-running-operation sim:arguments={\"duration\":8,\"steps\":2}\n";
        let mut stdin = child.stdin.take().ok_or("no input")?;
        stdin.write_all(prompt.as_bytes()).map_err(|error| error.to_string())?;
        let (send, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().ok_or("no output")?);
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let mut session = None;
        loop {
            let line = lines.recv_timeout(LINE_TIMEOUT);
            let line = line.map_err(|_| "chat never ran its tool".to_owned())?;
            if let Some(id) = line.strip_prefix("Session ") {
                session = Some(id.to_owned());
            }
            if line.starts_with("→ ") {
                break;
            }
        }
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        let session = session.ok_or("chat printed no session id")?;
        let (stdout, stderr) = self.run_chat(&["--session", &session], "")?;
        let is_reported = stderr.contains("The last answer was interrupted");
        if is_reported && stdout.contains("Long running operation completed") {
            return Ok(());
        }
        Err(format!("the session does not continue after kill -9\n{stdout}\n{stderr}"))
    }

    fn run_chat(&self, arguments: &[&str], line: &str) -> Result<(String, String), String> {
        let mut child = self.start(arguments)?;
        let mut stdin = child.stdin.take().ok_or("no input")?;
        writeln!(stdin, "{line}").map_err(|error| error.to_string())?;
        drop(stdin);
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&output.stdout), text(&output.stderr)))
    }

    fn start(&self, arguments: &[&str]) -> Result<Child, String> {
        let server = self.server().join("dist").join("index.js");
        Command::new(self.binary)
            .args(["chat", "--model", "sim/agent", "--mcp"])
            .arg(format!("node {} stdio", server.display()))
            .args(arguments)
            .env_clear()
            .env("PATH", self.path())
            .env("HOME", self.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())
    }

    fn server(&self) -> PathBuf {
        self.folder.join("node_modules").join("@modelcontextprotocol").join("server-everything")
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home").join("chat")
    }

    fn path(&self) -> String {
        let bin = self.folder.join("node_modules").join(".bin");
        let rest = std::env::var("PATH").unwrap_or_default();
        format!("{}:{rest}", bin.display())
    }
}

const LINE_TIMEOUT: Duration = Duration::from_mins(1);
