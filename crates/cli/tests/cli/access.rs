//! Tests that `interlingua serve` never loses its access control with its file.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::command::start_listening;

const WITH_KEYS: &str = "store.url = \"sqlite:STORE\"\n[access]\nkeys = [\"the-operators-key\"]\n";

/// A running gateway and its log.
struct Gateway {
    child: Child,
    addr: String,
    log: Receiver<String>,
}

impl Gateway {
    fn start(home: &Path, file: &Path) -> Self {
        let (mut child, addr) =
            start_listening(&["serve", "--listen", "127.0.0.1:0", "--config"], |command| {
                command.arg(file).env_clear().env("HOME", home);
            });
        let lines = BufReader::new(child.stderr.take().expect("stderr is a pipe")).lines();
        let (sender, log) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|l| sender.send(l)));
        Self { child, addr, log }
    }

    fn wait_for_log(&self, expected: &str) {
        loop {
            let line = self.log.recv_timeout(Duration::from_secs(30));
            if line.expect(expected).contains(expected) {
                return;
            }
        }
    }

    /// The status of a request with these headers.
    fn status(&self, method: &str, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.addr).expect("it listens");
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close", self.addr);
        write!(stream, "{head}\r\ncontent-length: 0\r\n{headers}\r\n").expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        reply.split(' ').nth(1).expect("a status").to_owned()
    }

    fn keyless_status(&self) -> String {
        self.status("GET", "/v1/models", "")
    }

    fn status_with_key(&self) -> String {
        self.status("GET", "/v1/models", "authorization: Bearer the-operators-key\r\n")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_truncated_file_opens_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    let store = folder.path().join("own").join("store.db");
    let whole = WITH_KEYS.replace("STORE", &store.display().to_string());
    fs::write(&file, &whole).expect("written");
    let gateway = Gateway::start(folder.path(), &file);
    assert_eq!((&*gateway.keyless_status(), &*gateway.status_with_key()), ("401", "200"));
    for cut in ["", "store.url = \"off\"\n"] {
        fs::write(&file, cut).expect("written");
        gateway.wait_for_log("access.open = true");
        assert_eq!((&*gateway.keyless_status(), &*gateway.status_with_key()), ("401", "200"));
        assert_eq!(gateway.status("POST", "/api/keys", ""), "401");
    }
    drop(gateway);
    // The store is another one after the cut, and has never seen a key.
    fs::write(&file, "").expect("written");
    let gateway = Gateway::start(folder.path(), &file);
    gateway.wait_for_log("had keys before");
    assert_eq!((&*gateway.keyless_status(), &*gateway.status_with_key()), ("401", "401"));
    fs::write(&file, &whole).expect("written");
    gateway.wait_for_log("the new configuration is in force");
    assert_eq!((&*gateway.keyless_status(), &*gateway.status_with_key()), ("401", "200"));
    fs::write(&file, "access.open = true\n").expect("written");
    gateway.wait_for_log("the new configuration is in force");
    assert_eq!(gateway.keyless_status(), "200");
    drop(gateway);
    fs::write(&file, "access.open = true\n").expect("written");
    assert_eq!(Gateway::start(folder.path(), &file).keyless_status(), "200");
    fs::write(&file, "").expect("written");
    assert_eq!(Gateway::start(folder.path(), &file).keyless_status(), "401");
}

#[test]
fn a_file_that_never_had_keys_stays_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, other) = (folder.path().join("gateway.toml"), folder.path().join("other.toml"));
    fs::write(&file, "limits.streams = 7\n").expect("written");
    for _ in 0..2 {
        assert_eq!(Gateway::start(folder.path(), &file).keyless_status(), "200");
    }
    // Another gateway of the same user, with a store of its own.
    let store = folder.path().join("other.db");
    fs::write(&other, WITH_KEYS.replace("STORE", &store.display().to_string())).expect("written");
    assert_eq!(Gateway::start(folder.path(), &other).keyless_status(), "401");
    assert_eq!(Gateway::start(folder.path(), &file).keyless_status(), "200");
}

#[test]
fn a_user_without_a_data_directory_is_told_that_nothing_is_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    fs::write(&file, "").expect("written");
    let gateway = Gateway::start(Path::new(""), &file);
    gateway.wait_for_log("nothing is stored");
    assert_eq!(
        (&*gateway.keyless_status(), &*gateway.status("GET", "/readyz", "")),
        ("200", "200")
    );
}

/// Service managers restart only what has failed.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_cannot_say_its_address_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in ["serve", "simulate"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("it exists");
        let output = Command::new(env!("CARGO_BIN_EXE_interlingua"))
            .args([command, "--listen", "127.0.0.1:0"])
            .env_clear()
            .env("HOME", folder.path())
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("cannot write the address to stdout"), "{stderr}");
    }
}
