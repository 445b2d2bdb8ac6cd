//! A thousand concurrent streams, and the time until the server listens.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use interlingua_simulator::Simulator;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::client::{PROMPT, VERSION_HEADER, request};

const STREAMS: usize = 1000;

#[test]
fn a_thousand_streams_at_once() {
    let runtime = Runtime::new().unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    runtime.block_on(async {
        let start = Instant::now();
        let running = Simulator::default().listen(any).unwrap();
        let ready = start.elapsed();
        println!("listening after {ready:?}");
        assert!(ready < Duration::from_millis(50), "{ready:?}");
        let start = Instant::now();
        let streams: Vec<_> =
            (0..STREAMS).map(|at| tokio::spawn(stream(running.addr, at))).collect();
        for stream in streams {
            stream.await.unwrap();
        }
        println!("{STREAMS} streams in {:?}", start.elapsed());
        running.stop().await;
    });
}

/// One stream, whose events come slowly enough for all streams to be open at once.
async fn stream(addr: SocketAddr, at: usize) {
    let (path, body) = request("anthropic", true, &format!("{PROMPT} Number {at}."));
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-sim-fault: pause=100\r\n\
         content-length: {}\r\n{VERSION_HEADER}\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    let start = Instant::now();
    let done = stream.read_to_end(&mut read).await;
    assert!(
        done.is_ok(),
        "{done:?} after {:?}: {}",
        start.elapsed(),
        String::from_utf8_lossy(&read)
    );
    let text = String::from_utf8(read).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    assert!(text.contains("event: message_stop") && text.ends_with("0\r\n\r\n"), "{text}");
}
