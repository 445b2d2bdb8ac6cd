//! Load over real sockets, and the CPU time and memory of the loaded process.

mod http_client;
mod paired;
mod process;
mod request;
mod test_bed;

pub use http_client::{Connection, ResponseStats};
pub use paired::{GatewaySide, run_paired};
pub use process::{Process, anonymous_megabytes, resident_megabytes};
pub use request::LoadRequest;
pub use test_bed::{Gateway, TestBed};

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The message of an error.
#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
pub fn error_text(error: std::io::Error) -> String {
    error.to_string()
}

/// The results of many requests.
#[derive(Clone, Debug, Default)]
pub struct LoadStats {
    pub requests: u64,
    pub errors: u64,
    pub elapsed: Duration,
    /// Times to the last byte and to the first byte of each response, sorted.
    pub latencies: Vec<Duration>,
    pub first_byte_latencies: Vec<Duration>,
    pub bytes: u64,
}

impl LoadStats {
    pub fn per_second(&self) -> f64 {
        to_f64(self.requests) / self.elapsed.as_secs_f64()
    }

    /// Adds the results of another run.
    pub fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.errors += other.errors;
        self.elapsed += other.elapsed;
        self.bytes += other.bytes;
        self.latencies.extend(other.latencies);
        self.first_byte_latencies.extend(other.first_byte_latencies);
        self.latencies.sort_unstable();
        self.first_byte_latencies.sort_unstable();
    }
}

pub fn to_f64(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// The percentile of sorted durations.
pub fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let at = sorted.len() * percent / 100;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

/// Sends requests over concurrent connections, each request after the response to the previous one.
pub fn run_load(
    at: SocketAddr,
    request: &LoadRequest,
    connections: usize,
    total: u64,
) -> LoadStats {
    let total_stats = Mutex::new(LoadStats::default());
    let each = total.div_ceil(connections as u64);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let stats = run_connection(at, request, each);
                let mut sum = total_stats.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                sum.merge(stats);
            });
        }
    });
    let mut sum = total_stats.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    sum.elapsed = start.elapsed();
    sum
}

fn run_connection(at: SocketAddr, request: &LoadRequest, count: u64) -> LoadStats {
    let mut stats = LoadStats::default();
    let mut connection = None;
    for _ in 0..count {
        let start = Instant::now();
        let opened = connection.take().map_or_else(|| Connection::open(at), Ok);
        let response = opened.and_then(|mut open| {
            let response = open.send_and_discard(request, start)?;
            connection = Some(open);
            Ok(response)
        });
        stats.requests += 1;
        match response {
            Ok(response) if response.status == 200 => {
                stats.latencies.push(start.elapsed());
                stats.first_byte_latencies.push(response.first_byte);
                stats.bytes += response.bytes;
            }
            _ => stats.errors += 1,
        }
    }
    stats
}
