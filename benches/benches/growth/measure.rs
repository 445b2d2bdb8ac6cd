//! Runs one exchange on a new gateway process, and reads its peak memory and CPU time.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use interlingua_benches::load::{Process, resident_megabytes, to_f64};

use crate::cases::Case;
use crate::spelling::short_request;
use crate::stub_provider::StubProvider;
use crate::{Exchange, PROVIDERS};

pub(crate) struct Bench {
    program: String,
    provider: StubProvider,
    config: PathBuf,
}

pub(crate) struct Measurement {
    pub(crate) body_megabytes: f64,
    /// Above that of the idle process.
    pub(crate) peak_megabytes: f64,
    pub(crate) cpu: Duration,
    /// The status line, or how the exchange ended.
    pub(crate) outcome: String,
}

impl Bench {
    /// `number` tells the benches of one process apart.
    pub(crate) fn start(program: String, number: usize) -> io::Result<Self> {
        let provider = StubProvider::start()?;
        let name = format!("interlingua-growth-{}-{number}.toml", std::process::id());
        let config = std::env::temp_dir().join(name);
        let mut text = String::from(CONFIG);
        for name in PROVIDERS {
            let section = format!(
                "\n[providers.{name}]\ndialect = \"{name}\"\nbase_url = \"http://{}/{name}{}\"\n\
                 api_key = \"env:HOME\"\n",
                provider.addr,
                base_path(name)
            );
            text.push_str(&section);
        }
        std::fs::write(&config, text)?;
        Ok(Self { program, provider, config })
    }

    pub(crate) fn measure(&self, case: &Case, exchange: &Exchange) -> Result<Measurement, String> {
        self.measure_once(case, exchange).map_err(|error| error.to_string())
    }

    fn measure_once(&self, case: &Case, exchange: &Exchange) -> io::Result<Measurement> {
        let (client, provider) = (case.client, case.provider);
        let mut serve = Command::new(&self.program);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&self.config);
        serve.env("INTERLINGUA_LOG", "error").env_remove("INTERLINGUA_CONFIG");
        let (gateway, at) = Process::spawn_and_read_address(&mut serve)?;
        let warm_up = short_request(client, false);
        self.provider.set_reply(None);
        send(at, client, provider, warm_up.as_bytes(), false)?;
        self.provider.set_reply(exchange.reply.clone());
        let (idle, cpu_before) = (resident_megabytes(gateway.id()).0, gateway.cpu_time());
        let outcome = send(at, client, provider, &exchange.request, case.streams);
        let outcome = outcome.unwrap_or_else(|error| error.to_string());
        let body = exchange.reply.as_ref().map_or(exchange.request.len(), Vec::len);
        Ok(Measurement {
            body_megabytes: to_megabytes(body),
            peak_megabytes: (resident_megabytes(gateway.id()).1 - idle).max(0.0),
            cpu: gateway.cpu_time().saturating_sub(cpu_before),
            outcome,
        })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.config);
    }
}

impl Measurement {
    fn allowance(&self) -> f64 {
        if self.body_megabytes <= MAX_SMALL_BODY_MEGABYTES { ALLOWANCE_MEGABYTES } else { 0.0 }
    }

    /// Peak memory beyond the allowance, as a multiple of the body.
    pub(crate) fn factor(&self) -> f64 {
        (self.peak_megabytes - self.allowance()).max(0.0) / self.body_megabytes
    }

    pub(crate) fn is_within_memory(&self) -> bool {
        self.factor() <= MAX_FACTOR
    }

    /// Keeps the least CPU time and the greatest memory of two measurements of one body.
    pub(crate) fn keep_least(&mut self, other: &Self) {
        self.cpu = self.cpu.min(other.cpu);
        self.peak_megabytes = self.peak_megabytes.max(other.peak_megabytes);
    }

    /// How CPU time grows with the size; 0 where there is too little of it to tell.
    pub(crate) fn exponent(&self, smaller: &Self) -> f64 {
        if self.cpu < MIN_CPU {
            return 0.0;
        }
        let cpu = self.cpu.as_secs_f64() / smaller.cpu.max(CPU_NOISE).as_secs_f64();
        cpu.ln() / (self.body_megabytes / smaller.body_megabytes).ln()
    }
}

/// Sends a request and reads the whole response; returns the status.
fn send(
    at: SocketAddr,
    client: &str,
    provider: &str,
    body: &[u8],
    streamed: bool,
) -> io::Result<String> {
    let path = match (client, streamed) {
        ("anthropic", _) => "/v1/messages".to_owned(),
        ("openai-chat", _) => "/v1/chat/completions".to_owned(),
        ("openai-responses", _) => "/v1/responses".to_owned(),
        (_, false) => format!("/v1beta/models/{provider}/m:generateContent"),
        (_, true) => format!("/v1beta/models/{provider}/m:streamGenerateContent?alt=sse"),
    };
    let model = format!("{provider}/m");
    let body = String::from_utf8_lossy(body).replacen("MODEL", &model, 1);
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(MAX_WAIT))?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    // A rejected request may be answered before it was read.
    let written = stream.write_all(body.as_bytes());
    let mut status = [0; 12];
    stream.read_exact(&mut status).map_err(|error| written.err().unwrap_or(error))?;
    io::copy(&mut stream, &mut io::sink())?;
    Ok(String::from_utf8_lossy(&status[9..]).into_owned())
}

fn base_path(provider: &str) -> &'static str {
    match provider {
        "openai-chat" | "openai-responses" => "/v1",
        "gemini" => "/v1beta",
        _ => "",
    }
}

fn to_megabytes(bytes: usize) -> f64 {
    to_f64(bytes as u64) / f64::from(1 << 20)
}

const CONFIG: &str = "[store]\nurl = \"memory:\"\n[limits]\nretries = 0\n";
/// Memory above idle that a body up to 4 MiB may take in addition to the factor.
pub(crate) const ALLOWANCE_MEGABYTES: f64 = 64.0;
const MAX_FACTOR: f64 = 24.0;
const MAX_SMALL_BODY_MEGABYTES: f64 = 4.1;
/// CPU times below this are not compared.
const MIN_CPU: Duration = Duration::from_millis(100);
/// What a request costs whatever its size, and what varies from one to the next.
const CPU_NOISE: Duration = Duration::from_millis(10);
const MAX_WAIT: Duration = Duration::from_mins(2);
