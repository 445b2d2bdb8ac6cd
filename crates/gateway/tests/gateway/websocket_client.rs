//! A WebSocket client that writes its frames itself, valid ones and others.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) struct WebSocketClient {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

/// A frame of the server.
#[derive(Debug, PartialEq)]
pub(crate) enum Frame {
    Text(String),
    Ping,
    Pong(Vec<u8>),
    Close(u16),
    /// The connection has ended.
    End,
}

pub(crate) const TEXT: u8 = 0x81;
pub(crate) const BINARY: u8 = 0x82;
pub(crate) const PING: u8 = 0x89;
pub(crate) const CLOSE: u8 = 0x88;

/// The response head of a handshake with these headers.
pub(crate) fn handshake(at: SocketAddr, path: &str, headers: &str) -> (String, WebSocketClient) {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: {at}\r\nconnection: keep-alive, Upgrade\r\nupgrade: WebSocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut received = Vec::new();
    let mut byte = [0];
    while !received.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or_default() == 1 {
        received.push(byte[0]);
    }
    (String::from_utf8(received).unwrap(), WebSocketClient { stream, received: Vec::new() })
}

impl WebSocketClient {
    pub(crate) fn connect(at: SocketAddr) -> Self {
        Self::connect_with(at, "")
    }

    pub(crate) fn connect_with(at: SocketAddr, headers: &str) -> Self {
        let (head, client) = handshake(at, "/v1/responses", headers);
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(head.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_frame(TEXT, message.to_string().as_bytes());
    }

    pub(crate) fn send_frame(&mut self, first_byte: u8, payload: &[u8]) {
        let mut frame = frame_head(first_byte, payload.len(), true);
        let mask = [7, 0, 200, 31];
        frame.extend(mask);
        frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.write(&frame);
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        // The server may have closed the connection.
        let _ = self.stream.write_all(bytes);
    }

    /// The next frame.
    pub(crate) fn read_frame(&mut self) -> Frame {
        let Some(head) = self.take(2) else { return Frame::End };
        assert_eq!(head[1] & 0x80, 0, "a server's frame has no mask");
        let length = match head[1] {
            126 => {
                self.take(2).map(|length| usize::from(u16::from_be_bytes([length[0], length[1]])))
            }
            127 => self.take(8).map(|length| usize::from_be_bytes(length.try_into().unwrap())),
            length => Some(usize::from(length)),
        };
        let Some(payload) = length.and_then(|length| self.take(length)) else { return Frame::End };
        match head[0] {
            TEXT => Frame::Text(String::from_utf8(payload).unwrap()),
            PING => Frame::Ping,
            0x8a => Frame::Pong(payload),
            CLOSE => Frame::Close(u16::from_be_bytes([payload[0], payload[1]])),
            other => panic!("unexpected frame {other:#x}"),
        }
    }

    /// The next message.
    pub(crate) fn read(&mut self) -> Value {
        match self.read_frame() {
            Frame::Text(text) => serde_json::from_str(&text).unwrap(),
            Frame::Ping => self.read(),
            frame => panic!("{frame:?} in place of a message"),
        }
    }

    /// The events of a turn; the last one has its response.
    pub(crate) fn read_turn(&mut self) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        loop {
            let event = self.read();
            let kind = event["type"].as_str().unwrap().to_owned();
            events.push(event);
            if matches!(&*kind, "response.completed" | "response.failed" | "error") {
                return events;
            }
        }
    }

    /// Runs a turn, and returns its response.
    pub(crate) fn turn(&mut self, request: &Value) -> Value {
        self.send(request);
        let events = self.read_turn();
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.completed", "{last}");
        last["response"].clone()
    }

    /// Runs a turn that fails, and returns its error message.
    pub(crate) fn failing_turn(&mut self, request: &Value) -> Value {
        self.send(request);
        let error = self.read();
        assert_eq!(error["type"], "error", "{error}");
        error
    }

    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut chunk = [0; 4096];
        while self.received.len() < count {
            let read = self.stream.read(&mut chunk).unwrap_or_default();
            if read == 0 {
                return None;
            }
            self.received.extend_from_slice(&chunk[..read]);
        }
        Some(self.received.drain(..count).collect())
    }
}

/// The first bytes of a frame, without the mask.
pub(crate) fn frame_head(first_byte: u8, length: usize, is_masked: bool) -> Vec<u8> {
    let mask_bit = if is_masked { 0x80 } else { 0 };
    let mut head = vec![first_byte];
    match length {
        0..126 => head.push(mask_bit | length as u8),
        126..65536 => {
            head.push(mask_bit | 0x7e);
            head.extend((length as u16).to_be_bytes());
        }
        _ => {
            head.push(mask_bit | 0x7f);
            head.extend((length as u64).to_be_bytes());
        }
    }
    head
}

/// A message that creates a response.
pub(crate) fn create(model: &str, store: bool, previous: &Value, text: &str) -> Value {
    json!({
        "type": "response.create", "model": model, "store": store,
        "previous_response_id": previous,
        "input": [{"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": text}]}],
    })
}
