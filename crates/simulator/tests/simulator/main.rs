//! Tests of the simulator, in process and over TCP sockets.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod access;
mod apis;
mod arguments;
mod client;
mod corpus;
mod docs;
mod envelope;
mod faults;
mod load;
mod log;
mod made_up_provider;
mod misbehaviors;
mod reply_store;
mod routes;
mod script;
mod seals;
mod tokens;
