//! Calls over real sockets, to the simulator and to servers that misbehave.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod aws;
mod breaker;
mod cached_heads;
mod connection_reuse;
mod dialects;
mod disconnect;
mod faults;
mod http1;
mod mock_server;
mod proxies;
mod request_urls;
mod retry;
mod secrets;
mod spliced;
mod support;
mod tls;
