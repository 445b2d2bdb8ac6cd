//! A provider that reads any request and sends the same reply.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub(crate) struct StubProvider {
    pub(crate) addr: SocketAddr,
    reply: Reply,
}

/// The whole body of the reply; `None` for a short one.
type Reply = Arc<Mutex<Option<Arc<Vec<u8>>>>>;

impl StubProvider {
    pub(crate) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let addr = listener.local_addr()?;
        let reply = Reply::default();
        let shared = Arc::clone(&reply);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let reply = Arc::clone(&shared);
                thread::spawn(move || serve(stream, &reply));
            }
        });
        Ok(Self { addr, reply })
    }

    pub(crate) fn set_reply(&self, reply: Option<Vec<u8>>) {
        *self.reply.lock().unwrap_or_else(PoisonError::into_inner) = reply.map(Arc::new);
    }
}

fn serve(stream: TcpStream, reply: &Reply) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut chunked) = (0_u64, false);
        loop {
            line.clear();
            stream.read_line(&mut line)?;
            let lower = line.trim().to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            chunked |= lower.starts_with("transfer-encoding:");
            if lower.is_empty() {
                break;
            }
        }
        if chunked {
            skip_chunks(&mut stream)?;
        } else {
            io::copy(&mut stream.by_ref().take(length), &mut io::sink())?;
        }
        let reply = reply.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (kind, body) = match reply {
            Some(body) if body.starts_with(b"{") => ("application/json", body),
            Some(body) if path.contains("converse-stream") => {
                ("application/vnd.amazon.eventstream", body)
            }
            Some(body) => ("text/event-stream", body),
            None => ("application/json", Arc::new(short_reply(&path).as_bytes().to_vec())),
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.get_mut().write_all(head.as_bytes())?;
        stream.get_mut().write_all(&body)?;
    }
}

fn skip_chunks(stream: &mut BufReader<TcpStream>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        io::copy(&mut stream.by_ref().take(size + 2), &mut io::sink())?;
        if size == 0 {
            return Ok(());
        }
    }
}

fn short_reply(path: &str) -> &'static str {
    if path.starts_with("/anthropic") {
        r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}"#
    } else if path.starts_with("/openai-chat") {
        r#"{"id":"m","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}"#
    } else if path.starts_with("/openai-responses") {
        r#"{"id":"resp_1","object":"response","created_at":0,"status":"completed","model":"m","output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]}]}"#
    } else if path.starts_with("/gemini") {
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#
    } else {
        r#"{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}"#
    }
}
