//! Tests reading, changing and writing agents' session files.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bodies;
mod claude_code;
mod codex;
mod diff;
mod edits;
mod file;
mod opencode;
mod session;
mod torn_line;
