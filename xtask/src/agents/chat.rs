//! `interlingua chat` with a real MCP server: a tool is called, and a session survives `kill -9`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::outcome::Outcome;
use crate::process::{cargo, run, write};

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
    chat_test.changes_no_file()?;
    chat_test.survives_kill()
}

impl ChatTest<'_> {
    /// Runs the library tests that need a real MCP server.
    fn library_tests(&self) -> Outcome {
        run(cargo()
            .args(["test", "--workspace", "--locked", "--quiet", "--test", "agent", "mcp"])
            .env("INTERLINGUA_TEST_MCP", self.server("server-everything"))
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

    /// With a server that writes files, the built-in model changes none unless a prompt has
    /// `sim:call`.
    fn changes_no_file(&self) -> Outcome {
        let work = self.home().join("work");
        let readme = work.join("README.md");
        std::fs::create_dir_all(&work).map_err(|error| error.to_string())?;
        write(&readme, "mine")?;
        let server = self.server("server-filesystem").join("dist").join("index.js");
        let server = format!("node {} {}", server.display(), work.display());
        let prompt = "Hi\nuse write_file to save a haiku\nsim:rounds=3 move README.md, please";
        let (stdout, stderr) = finish(self.start_with(&server, &[])?, prompt)?;
        let text = std::fs::read_to_string(&readme).unwrap_or_default();
        let files = std::fs::read_dir(&work).map_err(|error| error.to_string())?.count();
        if text == "mine" && files == 1 && stdout.contains("I am sim/agent") {
            return Ok(());
        }
        Err(format!("{files} files, README.md has `{text}`\n{stdout}\n{stderr}"))
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
        finish(self.start(arguments)?, line)
    }

    fn start(&self, arguments: &[&str]) -> Result<Child, String> {
        let server = self.server("server-everything").join("dist").join("index.js");
        self.start_with(&format!("node {} stdio", server.display()), arguments)
    }

    fn start_with(&self, server: &str, arguments: &[&str]) -> Result<Child, String> {
        Command::new(self.binary)
            .args(["chat", "--yes", "--model", "sim/agent", "--mcp", server])
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

    fn server(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules").join("@modelcontextprotocol").join(name)
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

/// Sends the lines, and waits for the end: standard output and standard error.
fn finish(mut child: Child, lines: &str) -> Result<(String, String), String> {
    let mut stdin = child.stdin.take().ok_or("no input")?;
    writeln!(stdin, "{lines}").map_err(|error| error.to_string())?;
    drop(stdin);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

const LINE_TIMEOUT: Duration = Duration::from_mins(1);
