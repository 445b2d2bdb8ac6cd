//! A provider that says what it is told to, once for each request, and remembers what it was asked.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(crate) struct Stub {
    pub(crate) addr: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Stub {
    /// Gives these answers, a status and a body each; the last one again and again.
    pub(crate) fn saying(answers: Vec<(u16, String)>) -> Self {
        Self::serving(answers.into_iter().map(Some).collect(), "close")
    }

    /// Gives these answers on connections that stay, and closes one without a word where there is none.
    pub(crate) fn staying(answers: Vec<Option<(u16, String)>>) -> Self {
        Self::serving(answers, "keep-alive")
    }

    fn serving(answers: Vec<Option<(u16, String)>>, connection: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                while let Some(body) = read(&mut stream) {
                    let number = {
                        let mut noted = noted.lock().unwrap();
                        noted.push(serde_json::from_slice(&body).unwrap());
                        noted.len() - 1
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
        Self { addr, asked }
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        read.extend_from_slice(&chunk[..count]);
        let Some(at) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&read[..at]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        let length: usize = length.parse().ok()?;
        if read.len() >= at + 4 + length {
            return Some(read[at + 4..at + 4 + length].to_vec());
        }
    }
}

/// A provider refuses, in these words.
pub(crate) fn refusal(words: &str) -> (u16, String) {
    let error = json!({"type": "invalid_request_error", "message": words, "param": null});
    (400, json!({"type": "error", "error": error}).to_string())
}

/// A provider answers.
pub(crate) fn said(dialect: &str) -> (u16, String) {
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
