//! Tests of a running gateway under storms of reloads, signals in every state, few descriptors, and
//! a log that cannot be written.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep, spawn};
use std::time::{Duration, Instant};

const BODY: &str = r#"{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}"#;

/// A running gateway, killed when dropped.
struct Gateway {
    child: Child,
    addr: String,
}

impl Gateway {
    /// Starts `serve` with this file; the shell commands come first.
    fn start(home: &Path, file: &Path, shell: &str, log: Stdio) -> Self {
        let run = format!("{shell} exec \"$0\" serve --listen 127.0.0.1:0 --config \"$1\"");
        let mut child = Command::new("sh")
            .args(["-c", &run, env!("CARGO_BIN_EXE_interlingua")])
            .arg(file)
            .env_clear()
            .env("HOME", home)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("sh runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line comes");
        let addr = line.trim().strip_prefix("http://").expect("an address").to_owned();
        Self { child, addr }
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Waits for the end; returns the exit code and how long it took.
    fn wait(&mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let code = self.child.wait().expect("it ends").code();
        (code, start.elapsed())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The response to this request, as text.
pub(crate) fn exchange(addr: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(addr).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let length = body.len();
    let head =
        format!("{head} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\ncontent-length: {length}");
    write!(stream, "{head}\r\n\r\n{body}").expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    reply
}

fn is_answered(addr: &str) -> bool {
    exchange(addr, "POST /v1/chat/completions", BODY).starts_with("HTTP/1.1 200")
}

#[test]
fn a_storm_of_reloads_disturbs_no_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    fs::write(&file, "").expect("written");
    let gateway = Gateway::start(folder.path(), &file, "", Stdio::null());
    let (addr, is_over) = (gateway.addr.as_str(), AtomicBool::new(false));
    let texts = [
        "models.name = \"sim/echo\"\n",
        "models.name = ",
        "",
        "[access]\nkeys = 7\n",
        "\0\0\0",
        "limits.body = \"1MB\"\nmodels.other = \"sim/agent\"\n",
    ];
    scope(|scope| {
        let asking = || {
            let mut count = 0;
            while !is_over.load(Ordering::Relaxed) {
                assert!(is_answered(addr));
                count += 1;
            }
            count
        };
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(asking)).collect();
        for text in texts.iter().cycle().take(60) {
            fs::write(&file, text).expect("written");
            gateway.signal("-HUP");
            sleep(Duration::from_millis(30));
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(clients.into_iter().all(|client| client.join().expect("answered") > 0));
    });
    fs::write(&file, "models.the-last-name = \"sim/echo\"\n").expect("written");
    let start = Instant::now();
    while !exchange(addr, "GET /v1/models", "").contains("the-last-name") {
        assert!(start.elapsed() < Duration::from_secs(30), "the last file is not in force");
        sleep(Duration::from_millis(100));
    }
}

/// A provider that begins a stream and says no more, or says nothing at all.
fn silent_provider(says: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    spawn(move || {
        let mut streams = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 8192]);
            let _ = stream.write_all(says.as_bytes());
            streams.push(stream);
        }
    });
    port
}

const BEGUN: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
    r#"data: {"id":"r","object":"chat.completion.chunk","created":1,"model":"m","choices":"#,
    r#"[{"index":0,"delta":{"role":"assistant","content":"I look"}}]}"#,
    "\n\n",
);

#[test]
fn a_gateway_ends_in_time_in_every_state() {
    const DRAIN: Duration = Duration::from_secs(1);
    let chat = |model: &str, stream: bool| {
        let body = BODY.replace("sim/echo", model);
        let body = body.replacen('{', &format!("{{\"stream\":{stream},"), 1);
        let length = body.len();
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}"
        )
    };
    let states = [
        ("idle", String::new()),
        ("half a head", "POST /v1/messages HTTP/1.1\r\nhost: lo".to_owned()),
        ("half a body", chat("sim/echo", false).replace("\"}]}", "")),
        ("an idle connection", chat("sim/echo", false)),
        ("events", "GET /api/events HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned()),
        ("waiting for a provider", chat("silent/m", false)),
        ("a stream that waits", chat("silent/m", true)),
        ("a stream that has begun", chat("begun/m", true)),
        ("a whole reply that has begun", chat("begun/m", false)),
    ];
    let provider = |name: &str, port: u16| {
        format!(
            "[providers.{name}]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"
        )
    };
    scope(|scope| {
        for (state, sent) in states {
            scope.spawn(move || {
                let folder = tempfile::tempdir().expect("a folder");
                let file = folder.path().join("gateway.toml");
                let providers = [
                    provider("silent", silent_provider("")),
                    provider("begun", silent_provider(BEGUN)),
                ];
                let text = format!("timeouts.drain = \"1s\"\n{}", providers.concat());
                fs::write(&file, text).expect("written");
                let mut gateway = Gateway::start(folder.path(), &file, "", Stdio::null());
                let mut stream = TcpStream::connect(&gateway.addr).expect("it listens");
                stream.write_all(sent.as_bytes()).expect("it reads");
                sleep(Duration::from_millis(500));
                gateway.signal("-TERM");
                let (code, took) = gateway.wait();
                assert_eq!(code, Some(0), "{state}");
                // A busy machine is slow at times.
                assert!(took < DRAIN + Duration::from_secs(5), "{state}: {took:?}");
            });
        }
    });
}

#[test]
fn a_gateway_with_few_descriptors_recovers() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    fs::write(&file, "").expect("written");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Each worker thread has a few of its own.
    let limit = format!("ulimit -n {};", 32 + 4 * threads);
    let gateway = Gateway::start(folder.path(), &file, &limit, Stdio::null());
    let held: Vec<TcpStream> =
        (0..100).map_while(|_| TcpStream::connect(&gateway.addr).ok()).collect();
    assert_eq!(held.len(), 100, "the kernel takes them");
    sleep(Duration::from_millis(300));
    drop(held);
    for _ in 0..20 {
        assert!(is_answered(&gateway.addr));
    }
}

#[test]
fn a_full_disk_below_the_log_stops_no_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    fs::write(&file, "").expect("written");
    let full = OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let mut gateway = Gateway::start(folder.path(), &file, "", full.into());
    for _ in 0..50 {
        assert!(is_answered(&gateway.addr));
    }
    gateway.signal("-TERM");
    assert_eq!(gateway.wait().0, Some(0));
}

/// The resident memory of a process, in KiB.
fn resident_kib(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn idle_connections_need_little_memory() {
    const COUNT: usize = 500;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    fs::write(&file, "").expect("written");
    let gateway = Gateway::start(folder.path(), &file, "", Stdio::null());
    let connect = || {
        let mut stream = TcpStream::connect(&gateway.addr).expect("it listens");
        write!(stream, "GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", gateway.addr)
            .expect("it reads");
        let mut reply = [0; 12];
        stream.read_exact(&mut reply).expect("it answers");
        assert_eq!(&reply, b"HTTP/1.1 200");
        stream
    };
    let warm: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    let before = resident_kib(gateway.child.id());
    let held: Vec<TcpStream> = (0..COUNT).map(|_| connect()).collect();
    let each = resident_kib(gateway.child.id()).saturating_sub(before) / COUNT;
    // 13 KiB in a release build.
    assert!(each <= 32, "{each} KiB per idle connection");
    drop((warm, held));
}
