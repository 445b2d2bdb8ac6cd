//! The simulator, over real sockets and without.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod apis;
mod arguments;
mod client;
mod corpus;
mod docs;
mod envelope;
mod faults;
mod load;
mod log;
mod memory;
mod misdeeds;
mod routes;
mod script;
mod seals;
mod tokens;
