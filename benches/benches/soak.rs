//! Many streams at once for a while: nothing breaks, and memory stays where it is. `cargo xtask soak`.
#![expect(clippy::print_stdout, reason = "a check speaks to who runs it")]

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use interlingua_benches::load::{Process, resident};
use serde_json::json;

/// What comes of all streams.
#[derive(Default)]
struct Toll {
    /// Streams that run at this moment, and the most that did.
    running: AtomicUsize,
    most: AtomicUsize,
    whole: AtomicU64,
    bytes: AtomicU64,
    errors: Mutex<Vec<String>>,
}

fn main() -> ExitCode {
    let Ok(program) = std::env::var("INTERLINGUA") else {
        println!("Streams are held by `cargo xtask soak`.");
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

/// Whether all went well.
fn soak(program: &str, streams: u64, time: Duration) -> io::Result<bool> {
    let listen = ["--listen", "127.0.0.1:0"];
    let (_simulated, simulator) =
        Process::listening(Command::new(program).arg("simulate").args(listen))?;
    let config = std::env::temp_dir().join(format!("interlingua-soak-{}.toml", std::process::id()));
    std::fs::write(&config, CONFIG.replace("UPSTREAM", &simulator.to_string()))?;
    let mut serve = Command::new(program);
    serve.arg("serve").args(listen).arg("--config").arg(&config).env("INTERLINGUA_LOG", "warn");
    let (gateway, at) = Process::listening(&mut serve)?;
    let memory = || resident(gateway.id()).0;
    println!("{streams} streams for {} s; idle {:.1} MB", time.as_secs(), memory());
    let toll = Toll::default();
    let began = Instant::now();
    let marks = thread::scope(|scope| -> io::Result<Vec<f64>> {
        for number in 0..streams {
            let toll = &toll;
            let hold = move || {
                // Not all at the same moment: nobody's clients are that much of one mind.
                thread::sleep(RAMP.mul_f64(share(number, streams)));
                while began.elapsed() < time {
                    toll.stream(at, MODELS[number as usize % MODELS.len()]);
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, hold)?;
        }
        let mut marks = Vec::new();
        for (name, part) in [("start", 0.2), ("middle", 0.6), ("end", 0.95)] {
            thread::sleep(time.mul_f64(part).saturating_sub(began.elapsed()));
            let running = toll.running.load(Ordering::Relaxed);
            marks.push(memory());
            println!("{name:<7} {:.1} MB, {running} streams running", memory());
        }
        Ok(marks)
    })?;
    let _ = std::fs::remove_file(&config);
    let errors = toll.errors.into_inner().unwrap_or_default();
    let (whole, most) = (toll.whole.into_inner(), toll.most.into_inner());
    let megabytes = toll.bytes.into_inner() >> 20;
    println!(
        "{whole} streams came to their end ({megabytes} MB), at most {most} at once, {} errors, \
         {:.1} s of processor",
        errors.len(),
        gateway.cpu().as_secs_f64()
    );
    for error in errors.iter().take(5) {
        println!("  {error}");
    }
    let flat = marks[2] <= marks[0] * GROWTH;
    if !flat {
        println!("  memory grows: {:.1} MB to {:.1} MB", marks[0], marks[2]);
    }
    Ok(errors.is_empty() && flat && most as u64 == streams)
}

impl Toll {
    fn stream(&self, at: SocketAddr, model: &str) {
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(running, Ordering::Relaxed);
        match one(at, model) {
            Ok(bytes) => {
                self.whole.fetch_add(1, Ordering::Relaxed);
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

/// One stream to its end; its bytes.
fn one(at: SocketAddr, model: &str) -> Result<usize, String> {
    let said = |error: io::Error| error.to_string();
    let body = json!({
        "model": model, "stream": true, "max_tokens": 900,
        "messages": [{"role": "user", "content": "abcdefgh".repeat(12)}],
    })
    .to_string();
    let mut stream = TcpStream::connect(at).map_err(said)?;
    stream.set_read_timeout(Some(Duration::from_mins(1))).map_err(said)?;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {at}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).map_err(said)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(said)?;
    let whole = answer.starts_with("HTTP/1.1 200 ")
        && answer.contains("message_stop")
        && answer.ends_with("0\r\n\r\n")
        && !answer.contains("event: error");
    if whole { Ok(answer.len()) } else { Err(answer.chars().take(400).collect()) }
}

fn share(number: u64, of: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
        / f64::from(u32::try_from(of).unwrap_or(u32::MAX))
}

/// Half of them as they come, half translated.
const MODELS: [&str; 2] = ["anthropic/sim/echo", "openai/sim/echo"];

/// As slow as a model that thinks while it speaks.
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
const STACK: usize = 128 * 1024;
/// How much more memory there may be at the end than at the start.
const GROWTH: f64 = 1.1;
