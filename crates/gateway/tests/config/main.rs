//! Tests of the configuration: parsing, errors, routes, secrets, reload.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod docs;
mod errors;
mod from_env;
mod keys;
mod mutations;
mod reload;
mod routes;
mod secrets;
mod source;
mod telemetry;
mod valid;
mod warnings;
