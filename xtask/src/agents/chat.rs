//! `interlingua chat` with a real MCP server: a tool is called, and a session survives `kill -9`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::Outcome;
use crate::run::{cargo, run};

/// Where the server and what runs it are installed, and who talks to it.
pub(super) struct Place<'p> {
    pub(super) binary: &'p Path,
    pub(super) folder: &'p Path,
}

pub(super) fn works(place: &Place<'_>) -> Outcome {
    place.tests()?;
    let _ = std::fs::remove_dir_all(place.home());
    std::fs::create_dir_all(place.home()).map_err(|error| error.to_string())?;
    place.calls()?;
    place.survives()
}

impl Place<'_> {
    /// The tests of the library that want a real server.
    fn tests(&self) -> Outcome {
        run(cargo()
            .args(["test", "--workspace", "--locked", "--quiet", "--test", "agent", "mcp"])
            .env("INTERLINGUA_TEST_MCP", self.server())
            .env("PATH", self.path()))
    }

    fn calls(&self) -> Outcome {
        let ask = r#"sim:call=echo sim:arguments={"message":"INTERLINGUA"}"#;
        let (said, aside) = self.talk(&[], ask)?;
        if said.contains("I received 1 result(s)") && said.contains("Echo: INTERLINGUA") {
            return Ok(());
        }
        Err(format!("chat did not call its tool\n{said}\n{aside}"))
    }

    /// Killed while a tool runs that may be run again, the session goes on with its result.
    fn survives(&self) -> Outcome {
        let mut child = self.start(&[])?;
        let ask =
            "sim:call=trigger-long-running-operation sim:arguments={\"duration\":8,\"steps\":2}\n";
        let mut stdin = child.stdin.take().ok_or("no input")?;
        stdin.write_all(ask.as_bytes()).map_err(|error| error.to_string())?;
        let (send, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().ok_or("no output")?);
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let mut session = None;
        loop {
            let line = lines.recv_timeout(PATIENCE);
            let line = line.map_err(|_| "chat never ran its tool".to_owned())?;
            if let Some(id) = line.strip_prefix("Session ") {
                session = Some(id.to_owned());
            }
            if line.starts_with("→ ") {
                break;
            }
        }
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        let session = session.ok_or("no session was begun")?;
        let (said, aside) = self.talk(&["--session", &session], "")?;
        let told = aside.contains("The last answer was interrupted");
        if told && said.contains("Long running operation completed") {
            return Ok(());
        }
        Err(format!("a session that was killed does not go on\n{said}\n{aside}"))
    }

    fn talk(&self, arguments: &[&str], line: &str) -> Result<(String, String), String> {
        let mut child = self.start(arguments)?;
        let mut stdin = child.stdin.take().ok_or("no input")?;
        writeln!(stdin, "{line}").map_err(|error| error.to_string())?;
        drop(stdin);
        let done = child.wait_with_output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&done.stdout), text(&done.stderr)))
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

const PATIENCE: Duration = Duration::from_mins(1);
