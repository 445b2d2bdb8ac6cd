//! Asks a running gateway about itself and its models.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use interlingua::parse_object;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::agents::TokenLimits;

/// Whether an Interlingua gateway answers at this address.
pub(super) async fn is_running(addr: SocketAddr) -> bool {
    let Some(response) = get(addr, "/healthz", "", Duration::from_secs(1)).await else {
        return false;
    };
    let response = String::from_utf8_lossy(&response).to_ascii_lowercase();
    response.starts_with(OK_STATUS_LINE) && response.contains("\r\nserver: interlingua\r\n")
}

/// Maximum input and output tokens of a model, if its provider reports them in time.
pub(super) async fn token_limits(addr: SocketAddr, key: &str, model: &str) -> Option<TokenLimits> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    if !model.chars().all(is_safe) {
        return None;
    }
    let headers = format!("anthropic-version: 2023-06-01\r\nauthorization: Bearer {key}\r\n");
    let response = get(addr, &format!("/v1/models/{model}"), &headers, MODEL_INFO_TIMEOUT).await?;
    let head = response.windows(HEAD_END.len()).position(|bytes| bytes == HEAD_END)?;
    if !response[..head].to_ascii_lowercase().starts_with(OK_STATUS_LINE.as_bytes()) {
        return None;
    }
    let body = parse_object(response[head + HEAD_END.len()..].to_vec().into()).ok()?;
    let number = |key| body.root().get(key)?.raw().parse().ok();
    let max_input: u64 = number("max_input_tokens")?;
    let max_output = number("max_tokens").unwrap_or_else(|| DEFAULT_MAX_OUTPUT.min(max_input / 4));
    Some(TokenLimits { max_input, max_output })
}

/// The response, if it arrives within the timeout.
async fn get(addr: SocketAddr, path: &str, headers: &str, limit: Duration) -> Option<Vec<u8>> {
    let exchange = async {
        let mut stream = TcpStream::connect(addr).await?;
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: {addr}\r\n{headers}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut response = Vec::new();
        stream.take(MAX_RESPONSE_BYTES).read_to_end(&mut response).await?;
        io::Result::Ok(response)
    };
    timeout(limit, exchange).await.ok()?.ok()
}

const OK_STATUS_LINE: &str = "http/1.1 200";
const HEAD_END: &[u8] = b"\r\n\r\n";
/// Maximum bytes of a response.
const MAX_RESPONSE_BYTES: u64 = 4096;
/// Limits how long the start of an agent is delayed by a slow provider.
const MODEL_INFO_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum output tokens that agents assume if only the input limit is known.
const DEFAULT_MAX_OUTPUT: u64 = 32_000;
