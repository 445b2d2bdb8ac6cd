//! A server with programmed responses that records the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Heads of the received requests, each with the number of its connection.
#[derive(Clone, Default)]
pub(crate) struct RecordedRequests(Arc<Mutex<Vec<(usize, String)>>>);

impl RecordedRequests {
    pub(crate) fn heads(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(_, head)| head.clone()).collect()
    }

    pub(crate) fn connections(&self) -> Vec<usize> {
        self.0.lock().unwrap().iter().map(|(connection, _)| *connection).collect()
    }

    pub(crate) fn last(&self) -> String {
        self.heads().pop().unwrap()
    }
}

/// Answers every request with the text that `answer` returns for the numbers of the connection and
/// of the request on it; `None` closes the connection.
pub(crate) async fn mock_server(
    answer: impl Fn(usize, usize) -> Option<&'static str> + Clone + Send + 'static,
) -> (SocketAddr, RecordedRequests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let memory = RecordedRequests::default();
    let remembers = memory.clone();
    tokio::spawn(async move {
        for connection in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (memory, answer) = (remembers.clone(), answer.clone());
            tokio::spawn(async move {
                for request in 0.. {
                    let Some(head) = read_request(&mut stream).await else { break };
                    memory.0.lock().unwrap().push((connection, head));
                    let Some(answer) = answer(connection, request) else { break };
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    });
    (addr, memory)
}

/// Reads one request; returns its head in lower case, except for the request line.
pub(crate) async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let mut piece = [0; 4096];
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&piece[..read]);
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    let mut rest = vec![0; length.saturating_sub(bytes.len() - end)];
    stream.read_exact(&mut rest).await.ok()?;
    Some(head)
}

pub(crate) const OK_RESPONSE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
