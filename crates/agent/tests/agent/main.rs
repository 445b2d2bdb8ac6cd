//! Tests the agent loop over real sockets, with the simulator as every provider.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod crash;
mod import;
mod mcp;
mod silence;
mod steps;
mod support;
mod switch;
mod tools;
