//! An HTTP/1.1 client that exposes every byte and the way the connection ends.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use interlingua_simulator::{Options, ServerHandle, Simulator};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A simulator that listens until it is dropped.
pub(crate) struct TestServer {
    runtime: Runtime,
    running: Option<ServerHandle>,
}

/// A response, possibly incomplete.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    pub(crate) end: ConnectionEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// The body is complete.
    Complete,
    /// The connection was closed before the end of the body.
    Closed,
    /// The connection was reset.
    Reset,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        Self::with_options(Options::default())
    }

    pub(crate) fn with_options(options: Options) -> Self {
        let runtime = Runtime::new().unwrap();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let running = runtime.block_on(async { Simulator::new(options).listen(any).unwrap() });
        Self { runtime, running: Some(running) }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.running.as_ref().unwrap().addr
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, "", b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, "", body.to_string().as_bytes())
    }

    /// A request with a fault.
    pub(crate) fn post_with_fault(&self, path: &str, fault: &str, body: &Value) -> Reply {
        let header = format!("x-sim-fault: {fault}\r\n");
        self.send("POST", path, &header, body.to_string().as_bytes())
    }

    /// A request with the headers that every client sends.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let needs_no_version = headers.contains("anthropic-version") || !path.contains("/messages");
        let version = if needs_no_version { "" } else { VERSION_HEADER };
        self.send_raw(method, path, &format!("{version}{headers}"), body)
    }

    /// A request with these headers only.
    pub(crate) fn send_raw(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.addr()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\
             connection: close\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that rejects early does not read the whole body.
        let _ = stream.write_all(body);
        let mut read = Vec::new();
        let reset = match stream.read_to_end(&mut read) {
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => true,
            Err(error) => panic!("{error}"),
        };
        Reply::parse(&read, reset)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            self.runtime.block_on(running.stop());
        }
    }
}

impl Reply {
    fn parse(read: &[u8], reset: bool) -> Self {
        let end = |whole: bool| match (reset, whole) {
            (true, _) => ConnectionEnd::Reset,
            (_, true) => ConnectionEnd::Complete,
            _ => ConnectionEnd::Closed,
        };
        let Some(at) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            return Self { status: 0, headers: String::new(), body: Vec::new(), end: end(false) };
        };
        let headers = String::from_utf8(read[..at].to_vec()).unwrap();
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        let body_bytes = &read[at + 4..];
        let (body, whole) = if headers.contains("transfer-encoding: chunked") {
            decode_chunked(body_bytes)
        } else {
            let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.map_or(0, |length| length.parse().unwrap());
            (body_bytes.to_vec(), body_bytes.len() == length)
        };
        Self { status, headers, body, end: end(whole) }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    /// The data of all events that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }
}

fn decode_chunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|bytes| bytes == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&rest[..line]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        rest = &rest[line + 2..];
        if size == 0 {
            return (body, true);
        }
        if rest.len() < size + 2 {
            body.extend_from_slice(rest);
            return (body, false);
        }
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
    }
}

/// Anthropic rejects requests without it.
pub(crate) const VERSION_HEADER: &str = "anthropic-version: 2023-06-01\r\n";

pub(crate) const PROMPT: &str = "Please use get_weather for Paris.";

/// Path and body of a request with one tool, streamed or not.
pub(crate) fn request(api: &str, stream: bool, prompt: &str) -> (String, Value) {
    let schema = json!({
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    });
    let name = "get_weather";
    match api {
        "anthropic" => (
            "/anthropic/v1/messages?beta=true".to_owned(),
            json!({
                "model": "claude-opus-4-8", "max_tokens": 4000, "stream": stream,
                "thinking": {"type": "adaptive", "display": "summarized"},
                "tools": [{"name": name, "input_schema": schema}],
                "messages": [{"role": "user", "content": prompt}],
            }),
        ),
        "responses" => (
            "/openai/v1/responses".to_owned(),
            json!({
                "model": "gpt-5.5", "stream": stream, "store": false,
                "reasoning": {"summary": "auto"},
                "tools": [{"type": "function", "name": name, "parameters": schema, "strict": false}],
                "input": [{"role": "user", "content": prompt}],
            }),
        ),
        "gemini" | "gemini-array" => {
            let verb = match (stream, api) {
                (false, _) => "generateContent",
                (true, "gemini") => "streamGenerateContent?alt=sse",
                (true, _) => "streamGenerateContent",
            };
            (
                format!("/gemini/v1beta/models/gemini-3-pro:{verb}"),
                json!({
                    "contents": [{"role": "user", "parts": [{"text": prompt}]}],
                    "tools": [{"functionDeclarations": [{"name": name, "parameters": schema}]}],
                }),
            )
        }
        "bedrock" => {
            let verb = if stream { "converse-stream" } else { "converse" };
            (
                format!("/bedrock/model/us.anthropic.claude-sonnet-4-5-v1%3A0/{verb}"),
                json!({
                    "messages": [{"role": "user", "content": [{"text": prompt}]}],
                    "toolConfig": {"tools": [
                        {"toolSpec": {"name": name, "inputSchema": {"json": schema}}},
                    ]},
                    "inferenceConfig": {"maxTokens": 4000},
                    "additionalModelRequestFields": {
                        "thinking": {"type": "enabled", "budget_tokens": 1024},
                    },
                }),
            )
        }
        provider => (
            format!("/{provider}/v1/chat/completions"),
            json!({
                "model": "gpt-4.1", "stream": stream,
                "tools": [{"type": "function", "function": {"name": name, "parameters": schema}}],
                "messages": [{"role": "user", "content": prompt}],
            }),
        ),
    }
}

/// The APIs of [`request`].
pub(crate) const APIS: &[&str] =
    &["anthropic", "openai", "responses", "gemini", "gemini-array", "bedrock"];
