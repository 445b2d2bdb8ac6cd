//! Sections of plain values. [`super::schema`] has the keys, units and defaults.

use std::time::Duration;

use super::ModelName;

/// `[limits]`: sizes in bytes and counts above which a request or reply is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub head: usize,
    pub headers: usize,
    pub body: usize,
    pub in_flight: usize,
    pub depth: usize,
    pub values: usize,
    pub messages: usize,
    pub blocks: usize,
    pub tools: usize,
    pub schema: usize,
    pub schema_depth: usize,
    pub schema_cost: usize,
    pub arguments: usize,
    pub event: usize,
    pub event_lines: usize,
    pub reply: usize,
    pub buffer: usize,
    /// `streams`
    pub concurrent_requests: usize,
    pub connections: usize,
    pub connections_per_address: usize,
    /// `failures`
    pub wrong_keys_burst: u32,
    /// `failures_per_minute`
    pub wrong_keys_per_minute: u32,
    pub retries: u32,
}

/// `[timeouts]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub head: Duration,
    pub body: Duration,
    pub keep_alive: Duration,
    pub write: Duration,
    pub heartbeat: Duration,
    pub drain: Duration,
    pub connect: Duration,
    pub answer: Duration,
    pub silence: Duration,
}

/// `[capture]`: what is stored of each turn for debugging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub enabled: bool,
    pub stages: bool,
    /// `keep`
    pub max_age: Duration,
    /// `size`, in bytes
    pub max_bytes: u64,
    pub redact: bool,
}

/// `[roles]`: models for what the gateway itself has a model do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// Writes the summary of a conversation that a client compacts; `None` for the model in use.
    pub compact: Option<ModelName>,
}
