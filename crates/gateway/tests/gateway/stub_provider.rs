//! A provider that returns scripted answers and records requests.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(crate) struct StubProvider {
    pub(crate) addr: SocketAddr,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl StubProvider {
    /// Returns these answers, a status and a body each; the last one repeatedly.
    pub(crate) fn with_answers(answers: Vec<(u16, String)>) -> Self {
        Self::start(answers.into_iter().map(Some).collect(), "close")
    }

    /// Returns these answers on kept-alive connections; `None` closes the connection without an
    /// answer.
    pub(crate) fn with_keep_alive(answers: Vec<Option<(u16, String)>>) -> Self {
        Self::start(answers, "keep-alive")
    }

    fn start(answers: Vec<Option<(u16, String)>>, connection: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                while let Some(body) = read_request(&mut stream) {
                    let number = {
                        let mut recorded = recorded.lock().unwrap();
                        recorded.push(serde_json::from_slice(&body).unwrap());
                        recorded.len() - 1
                    };
                    let answer = &answers[number.min(answers.len() - 1)];
                    let Some((status, body)) = answer else { break };
                    let head = format!(
                        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                         connection: {connection}\r\n\r\n",
                        body.len()
                    );
                    let _ = stream.write_all(head.as_bytes());
                    let _ = stream.write_all(body.as_bytes());
                    if connection == "close" {
                        break;
                    }
                }
            }
        });
        Self { addr, requests }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut received = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        received.extend_from_slice(&chunk[..count]);
        let Some(at) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&received[..at]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        let length: usize = length.parse().ok()?;
        if received.len() >= at + 4 + length {
            return Some(received[at + 4..at + 4 + length].to_vec());
        }
    }
}

/// A 400 answer with this message.
pub(crate) fn error_answer(message: &str) -> (u16, String) {
    let error = json!({"type": "invalid_request_error", "message": message, "param": null});
    (400, json!({"type": "error", "error": error}).to_string())
}

/// A 200 answer.
pub(crate) fn success_answer(dialect: &str) -> (u16, String) {
    let reply = match dialect {
        "openai-chat" => json!({
            "id": "r1", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": "done"}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }),
        _ => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
        }),
    };
    (200, reply.to_string())
}
