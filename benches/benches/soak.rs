//! Soak test: many concurrent streams without errors and without memory growth. `cargo xtask soak`.
#![expect(clippy::print_stdout, reason = "a check prints its results")]

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use interlingua_benches::load::{Process, resident_megabytes};
use serde_json::json;

/// The results of all streams.
#[derive(Default)]
struct SoakStats {
    /// Streams that are running now, and at their peak.
    running: AtomicUsize,
    peak: AtomicUsize,
    completed: AtomicU64,
    bytes: AtomicU64,
    errors: Mutex<Vec<String>>,
}

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("The soak test is run by `cargo xtask soak`.");
        return ExitCode::SUCCESS;
    };
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let streams = numbers.next().unwrap_or(2000);
    let seconds = numbers.next().unwrap_or(120);
    match soak(&program, streams, Duration::from_secs(seconds)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the test; `false` for errors or memory growth.
fn soak(program: &str, streams: u64, time: Duration) -> io::Result<bool> {
    let listen = ["--listen", "127.0.0.1:0"];
    let (_simulator, address) =
        Process::spawn_and_read_address(Command::new(program).arg("simulate").args(listen))?;
    let config = std::env::temp_dir().join(format!("interlingua-soak-{}.toml", std::process::id()));
    std::fs::write(&config, CONFIG.replace("UPSTREAM", &address.to_string()))?;
    let mut serve = Command::new(program);
    serve.arg("serve").args(listen).arg("--config").arg(&config).env("INTERLINGUA_LOG", "warn");
    let (gateway, at) = Process::spawn_and_read_address(&mut serve)?;
    let memory = || resident_megabytes(gateway.id()).0;
    println!("{streams} streams for {} s; idle {:.1} MB", time.as_secs(), memory());
    let stats = SoakStats::default();
    let start = Instant::now();
    let megabytes_at = thread::scope(|scope| -> io::Result<Vec<f64>> {
        for number in 0..streams {
            let stats = &stats;
            let run_streams = move || {
                // Clients start spread over the ramp time.
                thread::sleep(RAMP.mul_f64(share(number, streams)));
                while start.elapsed() < time {
                    stats.run_stream(at, MODELS[number as usize % MODELS.len()]);
                }
            };
            thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run_streams)?;
        }
        let mut megabytes_at = Vec::new();
        for (name, part) in [("start", 0.2), ("middle", 0.6), ("end", 0.95)] {
            thread::sleep(time.mul_f64(part).saturating_sub(start.elapsed()));
            let running = stats.running.load(Ordering::Relaxed);
            megabytes_at.push(memory());
            println!("{name:<7} {:.1} MB, {running} streams running", memory());
        }
        Ok(megabytes_at)
    })?;
    let _ = std::fs::remove_file(&config);
    let errors = stats.errors.into_inner().unwrap_or_default();
    let (completed, peak) = (stats.completed.into_inner(), stats.peak.into_inner());
    let megabytes = stats.bytes.into_inner() >> 20;
    println!(
        "{completed} streams completed ({megabytes} MB), at most {peak} concurrently, {} errors, \
         {:.1} s of CPU time",
        errors.len(),
        gateway.cpu_time().as_secs_f64()
    );
    for error in errors.iter().take(5) {
        println!("  {error}");
    }
    let is_flat = megabytes_at[2] <= megabytes_at[0] * MAX_MEMORY_GROWTH;
    if !is_flat {
        println!("  memory grows: {:.1} MB to {:.1} MB", megabytes_at[0], megabytes_at[2]);
    }
    Ok(errors.is_empty() && is_flat && peak as u64 == streams)
}

impl SoakStats {
    fn run_stream(&self, at: SocketAddr, model: &str) {
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.peak.fetch_max(running, Ordering::Relaxed);
        match run_stream(at, model) {
            Ok(bytes) => {
                self.completed.fetch_add(1, Ordering::Relaxed);
                self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            }
            Err(error) => {
                if let Ok(mut errors) = self.errors.lock() {
                    errors.push(error);
                }
            }
        }
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs one stream to its end, and returns its size in bytes.
fn run_stream(at: SocketAddr, model: &str) -> Result<usize, String> {
    let to_text = |error: io::Error| error.to_string();
    let body = json!({
        "model": model, "stream": true, "max_tokens": 900,
        "messages": [{"role": "user", "content": "abcdefgh".repeat(12)}],
    })
    .to_string();
    let mut stream = TcpStream::connect(at).map_err(to_text)?;
    stream.set_read_timeout(Some(Duration::from_mins(1))).map_err(to_text)?;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {at}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).map_err(to_text)?;
    let mut response = String::new();
    stream.read_to_string(&mut response).map_err(to_text)?;
    let is_complete = response.starts_with("HTTP/1.1 200 ")
        && response.contains("message_stop")
        && response.ends_with("0\r\n\r\n")
        && !response.contains("event: error");
    if is_complete { Ok(response.len()) } else { Err(response.chars().take(400).collect()) }
}

fn share(number: u64, total: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
        / f64::from(u32::try_from(total).unwrap_or(u32::MAX))
}

/// Half of the streams in the same dialect, half translated.
const MODELS: [&str; 2] = ["anthropic/sim/echo", "openai/sim/echo"];

/// The pace of a slow model: one second per delta.
const CONFIG: &str = r#"
[providers.anthropic]
base_url = "http://UPSTREAM/anthropic"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=1000" }
[providers.openai]
base_url = "http://UPSTREAM/openai/v1"
api_key = "env:HOME"
headers = { "x-sim-fault" = "pieces=8,pause=1000" }
"#;

const RAMP: Duration = Duration::from_secs(10);
const STACK_BYTES: usize = 128 * 1024;
/// Limit of the memory at the end, as a ratio to the start.
const MAX_MEMORY_GROWTH: f64 = 1.1;
