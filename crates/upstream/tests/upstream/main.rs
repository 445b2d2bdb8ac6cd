//! Calls over real sockets, to the simulator and to servers that misbehave.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod addresses;
mod aws;
mod breaker;
mod dialects;
mod disconnect;
mod faults;
mod heads;
mod kept;
mod plain;
mod proxies;
mod retry;
mod secrets;
mod server;
mod spliced;
mod tls;
mod world;
