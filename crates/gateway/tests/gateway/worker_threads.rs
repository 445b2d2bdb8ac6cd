//! Tests of a gateway with several worker threads.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZero;
use std::time::Duration;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::Config;
use tokio::runtime::Runtime;

/// More than one worker takes while it has capacity.
const CONNECTIONS: usize = 200;

#[test]
fn connections_are_served_on_every_thread() {
    let runtime = Runtime::new().unwrap();
    let gateway = Gateway::new(Config::from_env(&|_| None)).unwrap();
    let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let threads = NonZero::new(3).unwrap();
    let handle = runtime.block_on(async { gateway.start_on_threads(any_addr, threads).unwrap() });
    let mut clients: Vec<TcpStream> =
        (0..CONNECTIONS).map(|_| TcpStream::connect(handle.addr).unwrap()).collect();
    for _ in 0..2 {
        for client in &mut clients {
            client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            client.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        }
        for client in &mut clients {
            let mut answer = [0; 12];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200");
            read_response(client);
        }
    }
    runtime.block_on(handle.stop());
    let remaining_bytes = |client: &mut TcpStream| client.read(&mut [0; 64]).unwrap();
    assert_eq!(
        clients.iter_mut().map(remaining_bytes).sum::<usize>(),
        0,
        "every connection is closed at the end"
    );
}

/// Reads the rest of a head, and the body.
fn read_response(client: &mut TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    client.read_exact(&mut body).unwrap();
}
