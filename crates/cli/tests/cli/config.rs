//! `interlingua config check`, and the file that `serve` reads.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::command::{run_interlingua, start_listening};

#[test]
fn a_valid_file_prints_nothing_to_stdout() {
    let file =
        b"[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    let output = run_interlingua("config check -", file);
    assert_eq!((output.code, output.text().as_str()), (0, ""), "{}", output.stderr);
    assert_eq!(
        output.stderr,
        "stdin is valid. It listens on 127.0.0.1:8787 and has lab and the built-in sim.\n"
    );
}

#[test]
fn every_error_is_a_line_with_a_suggestion() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "lisen = 1\n[limits]\nbodi = \"1MiB\"\n").expect("written");
    let output = run_interlingua(&format!("config check {}", path.display()), b"");
    assert_eq!(output.code, 1);
    assert_eq!(
        output.text(),
        "line 1, column 1: there is no key `lisen`; did you mean `listen`?\n\
         line 3, column 1: [limits] has no key `bodi`; did you mean `body`?\n"
    );
    assert!(output.stderr.contains("has 2 errors"), "{}", output.stderr);
    // The gateway does not start with it either.
    let output = run_interlingua(&format!("serve --config {}", path.display()), b"");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("did you mean `listen`?"), "{}", output.stderr);
}

#[test]
fn a_missing_file_is_wrong_usage() {
    let output = run_interlingua("config check no-such-file.toml", b"");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("no-such-file.toml"), "{}", output.stderr);
}

#[test]
fn secrets_are_not_shown() {
    let file = b"[providers.anthropic]\napi_key = \"canary-literal\"\n";
    let output = run_interlingua("config check -", file);
    assert_eq!(output.code, 0);
    assert!(output.stderr.contains("warning: line 2, column 11"), "{}", output.stderr);
    assert!(!output.stderr.contains("canary") && !output.text().contains("canary"));
}

/// The models that a gateway lists.
fn models(addr: &str) -> String {
    let mut stream = TcpStream::connect(addr).expect("it listens");
    let request = format!("GET /v1/models HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    reply
}

#[test]
fn a_gateway_reloads_its_file_and_keeps_the_old_one_on_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "models.first-name = \"sim/echo\"\n").expect("written");
    let (mut child, addr) =
        start_listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
            command.arg(&path).env("XDG_DATA_HOME", folder.path());
        });
    assert!(models(&addr).contains("first-name"));
    fs::write(&path, "models.other-name = \"sim/echo\"\n").expect("written");
    let start = Instant::now();
    while !models(&addr).contains("other-name") && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(100));
    }
    fs::write(&path, "modls.bad = 1\n").expect("written");
    let stderr = child.stderr.take().expect("stderr is a pipe");
    let refused = BufReader::new(stderr).lines().map_while(Result::ok);
    let refused = refused.skip_while(|line| !line.contains("did you mean `models`?")).nth(1);
    let still = models(&addr);
    let _ = child.kill();
    let _ = child.wait();
    assert!(refused.is_some_and(|line| line.contains("stays in force")));
    assert!(still.contains("other-name"), "{still}");
}

#[test]
fn settings_that_need_a_restart_are_logged_until_reverted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "").expect("written");
    let (mut child, _) =
        start_listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
            command.arg(&path).env("XDG_DATA_HOME", folder.path());
        });
    let stderr = child.stderr.take().expect("stderr is a pipe");
    let mut log = BufReader::new(stderr).lines().map_while(Result::ok);
    let mut is_logged = |text: &str| {
        fs::write(&path, text).expect("written");
        let lines: Vec<_> =
            log.by_ref().take_while(|line| !line.contains("configuration is in force")).collect();
        lines.iter().any(|line| line.contains("limits.streams has changed and needs a restart"))
    };
    let (changed, still, back) = (
        is_logged("limits.streams = 7\n"),
        is_logged("limits.streams = 7 # still\n"),
        is_logged("# as it runs\n"),
    );
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!((changed, still, back), (true, true, false));
}
