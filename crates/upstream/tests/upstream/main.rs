//! Calls over real sockets, to the simulator and to servers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dialects;
mod world;
