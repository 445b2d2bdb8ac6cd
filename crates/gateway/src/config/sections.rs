//! Sections of plain values: limits, timeouts, capture, with their defaults.

use std::time::Duration;

/// `[limits]`: sizes and counts above which a request or reply is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's head.
    pub head: usize,
    pub headers: usize,
    /// Bytes of a request's body, after any decompression.
    pub body: usize,
    /// Bytes of the bodies of all requests in progress.
    pub in_flight: usize,
    /// Nesting of JSON.
    pub depth: usize,
    /// JSON values in a body, keys included.
    pub values: usize,
    pub messages: usize,
    /// Blocks of all messages.
    pub blocks: usize,
    pub tools: usize,
    /// Bytes, nesting and compile steps of a tool's schema; calls of larger ones are not checked,
    /// and a schema of more bytes is sent as it is.
    pub schema: usize,
    pub schema_depth: usize,
    pub schema_cost: usize,
    /// Bytes of the arguments of one call.
    pub arguments: usize,
    /// Bytes and lines of one event of a provider's stream.
    pub event: usize,
    pub event_lines: usize,
    /// Bytes of a provider's whole reply.
    pub reply: usize,
    /// Bytes buffered for a client that reads slower than its provider writes.
    pub buffer: usize,
    /// Requests in progress at the same time.
    pub concurrent_requests: usize,
    pub connections: usize,
    /// Connections from one address that is not loopback.
    pub connections_per_address: usize,
    /// Wrong keys from one address: the burst, then the rate per minute.
    pub wrong_keys_burst: u32,
    pub wrong_keys_per_minute: u32,
    /// Retries of a request before its first content was sent.
    pub retries: u32,
}

/// `[timeouts]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the whole head of a request, from the first byte or the connection.
    pub head: Duration,
    /// Between two reads of a request's body.
    pub body: Duration,
    /// For the next request on a connection.
    pub keep_alive: Duration,
    /// For a client that does not read.
    pub write: Duration,
    /// Time without provider output after which the client gets a heartbeat.
    pub heartbeat: Duration,
    /// For responses in progress when the gateway stops.
    pub drain: Duration,
    /// For connecting to a provider.
    pub connect: Duration,
    /// For the head of a provider's response.
    pub answer: Duration,
    /// Between two reads of a provider's response.
    pub silence: Duration,
}

/// `[capture]`: what is stored of each turn for debugging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub enabled: bool,
    /// Also the bodies of all stages.
    pub stages: bool,
    pub max_age: Duration,
    /// Bytes of all captures.
    pub max_bytes: u64,
    /// Redact secrets of known forms.
    pub redact: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: 32 * KIB,
            headers: 100,
            body: 32 * MIB,
            in_flight: 1024 * MIB,
            depth: 128,
            values: 2_000_000,
            messages: 100_000,
            blocks: 100_000,
            tools: 512,
            schema: 256 * KIB,
            schema_depth: 64,
            schema_cost: 10_000,
            arguments: 4 * MIB,
            event: 8 * MIB,
            event_lines: 65_536,
            reply: 64 * MIB,
            buffer: 256 * KIB,
            concurrent_requests: 4096,
            connections: 10_000,
            connections_per_address: 1000,
            wrong_keys_burst: 20,
            wrong_keys_per_minute: 10,
            retries: 2,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            keep_alive: Duration::from_secs(75),
            write: Duration::from_mins(5),
            heartbeat: Duration::from_secs(15),
            drain: Duration::from_secs(30),
            connect: Duration::from_secs(10),
            answer: Duration::from_mins(10),
            silence: Duration::from_mins(5),
        }
    }
}

impl Default for Capture {
    fn default() -> Self {
        Self {
            enabled: true,
            stages: false,
            max_age: Duration::from_hours(7 * 24),
            max_bytes: 1024 * MIB as u64,
            redact: true,
        }
    }
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
