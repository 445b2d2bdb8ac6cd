//! The binary, as a shell runs it.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod access;
mod bad_input;
mod case;
mod chat;
mod check;
mod command;
mod config;
mod doctor;
mod doctor_growth;
mod doctor_seals;
#[cfg(unix)]
mod operations;
mod providers;
mod pty;
mod run;
mod serve;
mod simulate;
#[cfg(unix)]
mod terminal;
mod translate;
