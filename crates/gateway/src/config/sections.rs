//! The sections that are plain values: their types and their defaults.

use std::time::Duration;

/// What is refused before it costs too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's head.
    pub head: usize,
    pub headers: usize,
    /// Bytes of a request's body, as it is after any decompression.
    pub body: usize,
    /// How deep JSON may nest.
    pub depth: usize,
    pub messages: usize,
    pub tools: usize,
    /// Bytes, nesting and steps of a tool's schema; beyond them its calls are not checked.
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
    /// Bytes held for a client that reads slower than its provider writes.
    pub buffer: usize,
    /// Requests that are answered at the same time.
    pub streams: usize,
    pub connections: usize,
    /// Connections from one address that is not loopback.
    pub connections_per_address: usize,
    /// Wrong keys from one address: at once, then per minute.
    pub failures: u32,
    pub failures_per_minute: u32,
    /// How often a request is tried again before anything was answered.
    pub retries: u32,
}

/// How long is waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the whole head of a request, from the first byte or the connection.
    pub head: Duration,
    /// Between two reads of a request's body.
    pub body: Duration,
    /// For the next request on a connection.
    pub keep_alive: Duration,
    /// For a client that reads nothing.
    pub write: Duration,
    /// Silence of a provider after which the client gets a sign of life.
    pub heartbeat: Duration,
    /// For running answers when the gateway stops.
    pub drain: Duration,
    /// For the connection to a provider.
    pub connect: Duration,
    /// For the head of a provider's answer.
    pub answer: Duration,
    /// Between two reads of a provider's answer.
    pub silence: Duration,
}

/// What is kept of each turn, for looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub enabled: bool,
    /// Also what is said at every stage.
    pub stages: bool,
    pub keep: Duration,
    /// Bytes of all captures.
    pub size: u64,
    /// Known forms of secrets are blacked out.
    pub redact: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: 32 * KIB,
            headers: 100,
            body: 32 * MIB,
            depth: 128,
            messages: 100_000,
            tools: 512,
            schema: 256 * KIB,
            schema_depth: 64,
            schema_cost: 10_000,
            arguments: 4 * MIB,
            event: 8 * MIB,
            event_lines: 65_536,
            reply: 64 * MIB,
            buffer: 256 * KIB,
            streams: 4096,
            connections: 10_000,
            connections_per_address: 1000,
            failures: 20,
            failures_per_minute: 10,
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
            keep: Duration::from_hours(7 * 24),
            size: 1024 * MIB as u64,
            redact: true,
        }
    }
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
