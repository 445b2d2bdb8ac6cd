//! The configuration: files, mistakes, routes, secrets.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod docs;
mod doubts;
mod good;
mod mistakes;
mod mutations;
mod nothing;
mod reload;
mod routes;
mod secrets;
mod source;
mod telemetry;
