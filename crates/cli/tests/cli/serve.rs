//! `interlingua serve`.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::command::start_listening;

#[test]
fn replies_do_not_wait_for_the_reader_of_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, addr) = start_listening(&["serve", "--listen", "127.0.0.1:0"], |command| {
        command.env_clear().env("HOME", folder.path());
    });
    let body = r#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;
    // The log is longer than a pipe's buffer and is not read.
    for number in 0..700 {
        let mut stream = TcpStream::connect(&addr).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        assert!(reply.starts_with("HTTP/1.1 200"), "{number}: {reply}");
    }
    let mut log = child.stderr.take().expect("stderr is a pipe");
    let (sender, receiver) = channel();
    let mut lines = vec![0; 64 * 1024 - 4096];
    std::thread::spawn(move || sender.send(log.read_exact(&mut lines).is_ok()));
    let waited = receiver.recv_timeout(Duration::from_mins(1));
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(waited, Ok(true), "as much as a pipe holds was waiting");
}

#[test]
fn serve_is_the_default_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, addr) = start_listening(&["--listen", "127.0.0.1:0"], |command| {
        command.env_clear().env("HOME", folder.path());
    });
    let reached = TcpStream::connect(&addr).is_ok();
    let _ = child.kill();
    let _ = child.wait();
    assert!(reached, "{addr}");
}

/// Exit code and stderr of a gateway that cannot start.
fn exit_and_stderr(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(arguments)
        .env_clear()
        .env("HOME", folder.path())
        .output()
        .expect("it ends");
    (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
}

#[test]
fn an_unusable_listen_address_is_reported_with_a_hint() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    for command in ["serve", "simulate"] {
        let (code, stderr) = exit_and_stderr(&[command, "--listen", &taken]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains("takes a free port"), "{stderr}");
    }
    let (code, stderr) = exit_and_stderr(&["simulate", "--listen", "192.0.2.1:9"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("has no such address") && !stderr.contains("free port"), "{stderr}");
}

#[test]
fn an_error_of_the_command_line_names_no_file() {
    let (code, stderr) = exit_and_stderr(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("--listen is not loopback"), "{stderr}");
    assert!(!stderr.contains("interlingua.toml") && !stderr.contains("line 1"), "{stderr}");
}

#[test]
fn invalid_log_settings_and_the_shutdown_are_logged() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, _) = start_listening(&["serve", "--listen", "127.0.0.1:0"], |command| {
        command.env_clear().env("HOME", folder.path());
        command.env("INTERLINGUA_LOG", "loud").env("INTERLINGUA_LOG_FORMAT", "xml");
    });
    let ended = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(ended.success());
    let mut stderr = String::new();
    let mut log = child.stderr.take().expect("stderr is a pipe");
    log.read_to_string(&mut stderr).expect("it ends");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{stderr}");
    for part in ["INTERLINGUA_LOG cannot be `loud`", "INTERLINGUA_LOG_FORMAT cannot be `xml`"] {
        assert!(stderr.contains(part), "{stderr}");
    }
    assert!(
        stderr.contains("shutting down") && stderr.contains("all replies have ended"),
        "{stderr}"
    );
}

#[test]
fn the_log_says_why_a_provider_did_not_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    let config = "[limits]\nretries = 0\n[providers.down]\ndialect = \"openai-chat\"\n\
                  base_url = \"http://127.0.0.1:9/v1\"\n";
    std::fs::write(&file, config).expect("written");
    let (mut child, addr) =
        start_listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
            command.arg(&file).env_clear().env("HOME", folder.path());
        });
    let body = r#"{"model":"down/m","messages":[{"role":"user","content":"Hi"}]}"#;
    let mut stream = TcpStream::connect(&addr).expect("it listens");
    let length = body.len();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    let _ = Command::new("kill").arg(child.id().to_string()).status();
    let mut stderr = String::new();
    let mut log = child.stderr.take().expect("stderr is a pipe");
    log.read_to_string(&mut stderr).expect("it ends");
    let _ = child.wait();
    assert!(reply.starts_with("HTTP/1.1 502"), "{reply}");
    assert!(stderr.contains("why=\"no server listens at its address"), "{stderr}");
}
