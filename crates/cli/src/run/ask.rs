//! What a gateway says about itself and its models, for who starts an agent.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use interlingua::read_object;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::agents::Tokens;

/// Whether a gateway answers there, and not somebody else.
pub(super) async fn is_running(addr: SocketAddr) -> bool {
    let Some(answer) = get(addr, "/healthz", "", Duration::from_secs(1)).await else {
        return false;
    };
    let answer = String::from_utf8_lossy(&answer).to_ascii_lowercase();
    answer.starts_with(FINE) && answer.contains("\r\nserver: interlingua\r\n")
}

/// How much a model reads and writes at most, if its provider says so soon.
pub(super) async fn tokens(addr: SocketAddr, key: &str, model: &str) -> Option<Tokens> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !model.chars().all(plain) {
        return None;
    }
    let headers = format!("anthropic-version: 2023-06-01\r\nauthorization: Bearer {key}\r\n");
    let answer = get(addr, &format!("/v1/models/{model}"), &headers, PATIENCE).await?;
    let head = answer.windows(END.len()).position(|bytes| bytes == END)?;
    if !answer[..head].to_ascii_lowercase().starts_with(FINE.as_bytes()) {
        return None;
    }
    let body = read_object(answer[head + END.len()..].to_vec().into()).ok()?;
    let number = |key| body.root().get(key)?.raw().parse().ok();
    let read: u64 = number("max_input_tokens")?;
    let written = number("max_tokens").unwrap_or_else(|| MOST.min(read / 4));
    Some(Tokens { read, written })
}

/// The whole answer, if it comes in time.
async fn get(addr: SocketAddr, path: &str, headers: &str, patience: Duration) -> Option<Vec<u8>> {
    let ask = async {
        let mut stream = TcpStream::connect(addr).await?;
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: {addr}\r\n{headers}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.take(LONGEST).read_to_end(&mut answer).await?;
        io::Result::Ok(answer)
    };
    timeout(patience, ask).await.ok()?.ok()
}

const FINE: &str = "http/1.1 200";
const END: &[u8] = b"\r\n\r\n";
/// So much of an answer is read.
const LONGEST: u64 = 4096;
/// Nobody waits longer for an agent to start, whatever its provider does.
const PATIENCE: Duration = Duration::from_secs(2);
/// What agents let a model write of which only is known how much it reads.
const MOST: u64 = 32_000;
