//! The binary, as a shell runs it.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod bad_input;
mod case;
mod chat;
mod check;
mod command;
mod config;
mod doctor;
mod run;
mod serve;
mod simulate;
mod translate;
