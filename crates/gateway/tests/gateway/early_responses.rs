//! Tests of responses that are sent before the request body was read: the next request of a
//! connection pool either works, or the response said that the connection is closed.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use interlingua_gateway::config::ApiKey;

use crate::harness::Harness;
use crate::keys::key;

/// A rejected request: its line, headers and status.
type Rejected = (&'static str, String, u16);

/// The head and the body of a response.
struct RawResponse {
    status: u16,
    head: String,
}

impl RawResponse {
    /// Reads one response with `content-length`.
    fn read(stream: &mut TcpStream) -> Self {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap().to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut body).unwrap();
        Self { status: head[9..12].parse().unwrap(), head }
    }

    fn closes(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }
}

fn harness() -> Harness {
    Harness::with_config(|config| {
        let limited = ApiKey { requests_per_minute: Some(1), ..key("limited") };
        config.access.keys = vec![key("good"), limited];
        config.limits.body = 100_000;
        config.limits.head = 4000;
    })
}

fn rejected_requests() -> Vec<Rejected> {
    let good = "authorization: Bearer good\r\n";
    let messages = "POST /v1/messages";
    vec![
        (messages, String::new(), 401),
        (messages, format!("{good}origin: https://evil.example\r\n"), 403),
        ("POST /v1/nothing", good.to_owned(), 404),
        ("PUT /v1/messages", good.to_owned(), 405),
        (messages, format!("{good}content-encoding: compress\r\n"), 415),
        ("GET /v1/responses", format!("{good}connection: upgrade\r\nupgrade: websocket\r\n"), 426),
        (messages, "authorization: Bearer limited\r\n".to_owned(), 429),
        (messages, format!("{good}x: {}\r\n", "x".repeat(5000)), 431),
    ]
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// The connection works for another request, or was closed in order and with notice.
fn assert_connection_is_honest(mut stream: TcpStream, response: &RawResponse, context: &str) {
    if response.closes() {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert!(rest.is_empty(), "{context}");
        return;
    }
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert_eq!(RawResponse::read(&mut stream).status, 200, "{context}");
}

/// Sends a body of this length after the response had time to be sent.
fn send(
    addr: SocketAddr,
    (line, headers, _): &Rejected,
    length: usize,
    chunked: bool,
) -> TcpStream {
    let mut stream = connect(addr);
    let mut head = format!("{line} HTTP/1.1\r\nhost: localhost\r\n{headers}");
    let body = "x".repeat(length);
    let body = if chunked {
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        format!("{length:x}\r\n{body}\r\n0\r\n\r\n")
    } else {
        write!(head, "content-length: {length}\r\n\r\n").unwrap();
        body
    };
    stream.write_all(head.as_bytes()).unwrap();
    sleep(Duration::from_millis(30));
    let sent = stream.write_all(body.as_bytes());
    sent.unwrap_or_else(|error| panic!("{line} {length} {chunked}: {error}"));
    stream
}

#[test]
fn the_next_request_on_a_connection_works_after_any_rejection() {
    let harness = harness();
    // Uses up the minute of the limited key.
    let first = ("POST /v1/messages", "authorization: Bearer limited\r\n".to_owned(), 0);
    RawResponse::read(&mut send(harness.addr(), &first, 2, false));
    for rejected in rejected_requests() {
        for length in [10, 50_000, 200_000, 8_000_000] {
            for chunked in [false, true] {
                let context = format!("{} {} {length} {chunked}", rejected.0, rejected.2);
                let mut stream = send(harness.addr(), &rejected, length, chunked);
                let response = RawResponse::read(&mut stream);
                assert_eq!(response.status, rejected.2, "{context}");
                let is_short = length <= 50_000;
                assert!(!(is_short && response.closes()), "{context}: a short rest is read");
                assert_connection_is_honest(stream, &response, &context);
            }
        }
    }
}

#[test]
fn a_client_of_a_too_large_body_reads_the_response() {
    let harness = harness();
    let request = ("POST /v1/messages", "authorization: Bearer good\r\n".to_owned(), 413);
    for length in [150_000, 60_000_000] {
        for chunked in [false, true] {
            let mut stream = send(harness.addr(), &request, length, chunked);
            let response = RawResponse::read(&mut stream);
            assert_eq!(response.status, 413, "{length} {chunked}");
            assert_connection_is_honest(stream, &response, &format!("{length} {chunked}"));
        }
    }
}

#[test]
fn the_content_of_an_unknown_transfer_coding_is_not_taken_for_a_body() {
    let harness = harness();
    for coding in ["gzip, chunked", "gzip\r\ntransfer-encoding: chunked", "chunked", "Chunked"] {
        let mut stream = connect(harness.addr());
        let request = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer good\r\n\
             transfer-encoding: {coding}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let response = RawResponse::read(&mut stream);
        assert_eq!(response.status, if coding.contains("gzip") { 501 } else { 400 }, "{coding}");
        assert_connection_is_honest(stream, &response, coding);
    }
}

#[test]
fn a_rejection_does_not_wait_for_a_body_that_does_not_come() {
    let harness = harness();
    let started = Instant::now();
    for extra in ["", "expect: 100-continue\r\n"] {
        let mut stream = connect(harness.addr());
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n{extra}content-length: 99\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let response = RawResponse::read(&mut stream);
        assert_eq!(response.status, 401, "{extra}");
        assert!(response.closes(), "{extra}");
        // The gateway does not wait for clients that close.
        drop(stream);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_head_that_hyper_rejects_closes_the_connection_with_notice() {
    let harness = harness();
    let mut stream = connect(harness.addr());
    let head = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}", "x".repeat(80_000));
    stream.write_all(head.as_bytes()).unwrap();
    let response = RawResponse::read(&mut stream);
    assert_eq!(response.status, 431);
    assert!(response.closes(), "{}", response.head);
}

#[test]
fn the_head_timeout_applies_to_every_head_of_a_connection() {
    let harness = Harness::with_config(|config| config.timeouts.head = Duration::from_millis(300));
    let mut stream = connect(harness.addr());
    for _ in 0..2 {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        assert_eq!(RawResponse::read(&mut stream).status, 200);
        // An idle connection is kept for longer.
        sleep(Duration::from_millis(700));
    }
    stream.write_all(b"GET /healthz HT").unwrap();
    let started = Instant::now();
    let _ = stream.read_to_end(&mut Vec::new());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
