//! `interlingua config check`, and the file that `serve` reads.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::command::{interlingua, listening};

#[test]
fn a_good_file_says_nothing_on_stdout() {
    let file =
        b"[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    let ran = interlingua("config check -", file);
    assert_eq!((ran.code, ran.text().as_str()), (0, ""), "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "stdin is good. It listens on 127.0.0.1:8787 and has lab and the built-in sim.\n"
    );
}

#[test]
fn every_mistake_is_a_line_with_what_was_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "lisen = 1\n[limits]\nbodi = \"1MiB\"\n").expect("written");
    let ran = interlingua(&format!("config check {}", path.display()), b"");
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.text(),
        "line 1, column 1: there is no key `lisen`; did you mean `listen`?\n\
         line 3, column 1: [limits] has no key `bodi`; did you mean `body`?\n"
    );
    assert!(ran.stderr.contains("has 2 mistakes"), "{}", ran.stderr);
    // Nor does the gateway start with it.
    let ran = interlingua(&format!("serve --config {}", path.display()), b"");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("did you mean `listen`?"), "{}", ran.stderr);
}

#[test]
fn a_file_that_is_not_there_is_wrong_usage() {
    let ran = interlingua("config check no-such-file.toml", b"");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no-such-file.toml"), "{}", ran.stderr);
}

#[test]
fn secrets_are_not_shown() {
    let file = b"[providers.anthropic]\napi_key = \"canary-literal\"\n";
    let ran = interlingua("config check -", file);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("warning: line 2, column 11"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("canary") && !ran.text().contains("canary"));
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
fn a_gateway_follows_its_file_and_keeps_the_old_one_when_it_is_bad() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "models.first-name = \"sim/echo\"\n").expect("written");
    let (mut child, addr) =
        listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
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
fn what_waits_for_a_restart_is_told_until_the_file_says_what_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, "").expect("written");
    let (mut child, _) = listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
        command.arg(&path).env("XDG_DATA_HOME", folder.path());
    });
    let stderr = child.stderr.take().expect("stderr is a pipe");
    let mut log = BufReader::new(stderr).lines().map_while(Result::ok);
    let mut told = |text: &str| {
        fs::write(&path, text).expect("written");
        let lines: Vec<_> =
            log.by_ref().take_while(|line| !line.contains("configuration is in force")).collect();
        lines.iter().any(|line| line.contains("limits.streams is new and needs a restart"))
    };
    let (changed, still, back) = (
        told("limits.streams = 7\n"),
        told("limits.streams = 7 # still\n"),
        told("# as it runs\n"),
    );
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!((changed, still, back), (true, true, false));
}
