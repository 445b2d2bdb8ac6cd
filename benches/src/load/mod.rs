//! Load over real sockets, and what it costs the process under it.

mod contest;
mod house;
mod http;
mod process;

pub use contest::{Side, contest};
pub use house::{Gateway, House};
pub use http::{Answered, Connection};
pub use process::{Process, own, resident};

use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

/// One kind of request, sent again and again.
#[derive(Clone, Debug)]
pub struct Shot {
    pub path: String,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Shot {
    /// A request with a key, and with this body.
    pub fn new(path: &str, body: &Value) -> Self {
        let headers = "authorization: Bearer x\r\n".to_owned();
        Self { path: path.to_owned(), headers, body: body.to_string().into_bytes() }
    }
}

/// What went wrong, for people.
#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
pub fn said(error: std::io::Error) -> String {
    error.to_string()
}

/// What came of many shots.
#[derive(Clone, Debug, Default)]
pub struct Volley {
    pub requests: u64,
    pub errors: u64,
    pub took: Duration,
    /// To the last byte of each answer, and to its first, in order.
    pub whole: Vec<Duration>,
    pub first: Vec<Duration>,
    pub bytes: u64,
}

impl Volley {
    pub fn per_second(&self) -> f64 {
        count(self.requests) / self.took.as_secs_f64()
    }

    /// With those of another.
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.errors += other.errors;
        self.took += other.took;
        self.bytes += other.bytes;
        self.whole.extend(other.whole);
        self.first.extend(other.first);
        self.whole.sort_unstable();
        self.first.sort_unstable();
    }
}

/// A count to calculate with.
pub fn count(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// The duration that so many of a hundred stay below.
pub fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let at = sorted.len() * percent / 100;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

/// Fires from so many connections at once, each with the next shot as soon as it has its answer.
pub fn fire(at: SocketAddr, shot: &Shot, connections: usize, total: u64) -> Volley {
    let gathered = Mutex::new(Volley::default());
    let each = total.div_ceil(connections as u64);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let volley = one(at, shot, each);
                let mut all = gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                all.add(volley);
            });
        }
    });
    let mut all = gathered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.took = began.elapsed();
    all
}

fn one(at: SocketAddr, shot: &Shot, count: u64) -> Volley {
    let mut volley = Volley::default();
    let mut connection = None;
    for _ in 0..count {
        let began = Instant::now();
        let open = connection.take().map_or_else(|| Connection::open(at), Ok);
        let answered = open.and_then(|mut open| {
            let answered = open.ask(shot, began)?;
            connection = Some(open);
            Ok(answered)
        });
        volley.requests += 1;
        match answered {
            Ok(answered) if answered.status == 200 => {
                volley.whole.push(began.elapsed());
                volley.first.push(answered.first);
                volley.bytes += answered.bytes;
            }
            _ => volley.errors += 1,
        }
    }
    volley
}
