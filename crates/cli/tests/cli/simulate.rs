//! `interlingua simulate`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use crate::command::{run_interlingua, start_listening};

/// A simulator process and its address.
struct SimulatorProcess(Child, String);

impl SimulatorProcess {
    fn start(arguments: &[&str]) -> Self {
        let listen = &["simulate", "--listen", "localhost:0"];
        let (child, addr) = start_listening(listen, |command| {
            command.args(arguments);
        });
        Self(child, addr)
    }

    fn post_chat(&self) -> String {
        let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
        let mut stream = TcpStream::connect(&self.1).expect("it listens");
        write!(
            stream,
            "POST /openai/v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        reply
    }
}

impl Drop for SimulatorProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_prints_its_address_and_answers() {
    let mut running = SimulatorProcess::start(&[]);
    assert!(running.post_chat().contains("You said"), "{}", running.post_chat());
    let _ = running.0.kill();
    let mut guide = String::new();
    let mut stderr = running.0.stderr.take().expect("stderr is a pipe");
    stderr.read_to_string(&mut guide).expect("it is text");
    assert!(guide.contains(&format!("http://{}/openrouter/v1", running.1)), "{guide}");
}

#[test]
fn scripts_and_faults_are_applied() {
    let path = std::env::temp_dir().join(format!("interlingua-script-{}.toml", std::process::id()));
    fs::write(&path, "[[turn]]\nblocks = [{ text = \"From a script.\" }]").expect("it is written");
    let script = path.display().to_string();
    let running = SimulatorProcess::start(&["--script", &script, "--fault", "429=3@1"]);
    let refused = running.post_chat();
    assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("retry-after: 3"), "{refused}");
    assert!(running.post_chat().contains("From a script."));
    fs::remove_file(&path).expect("it is there");
}

#[test]
fn wrong_usage_is_reported() {
    let path = std::env::temp_dir().join(format!("interlingua-wrong-{}.toml", std::process::id()));
    fs::write(&path, "[[turn]]\nblcoks = []").expect("it is written");
    let script = format!("simulate --script {}", path.display());
    for (arguments, part) in [
        ("simulate --listen nowhere", "nowhere"),
        ("simulate --listen 127.0.0.1", "such as 127.0.0.1:8787 or localhost:8787"),
        ("simulate --fault rule=no-such-rule", "no provider has a rule `no-such-rule`"),
        ("simulate --fault 430", "there is no fault `430`"),
        ("simulate --script no-such-file.toml", "no-such-file.toml"),
        (&*script, "unknown field `blcoks`"),
    ] {
        let output = run_interlingua(arguments, b"");
        assert_eq!(output.code, 2, "{arguments}: {}", output.stderr);
        assert!(output.stderr.contains(part), "{arguments}: {}", output.stderr);
    }
    fs::remove_file(&path).expect("it is there");
}
