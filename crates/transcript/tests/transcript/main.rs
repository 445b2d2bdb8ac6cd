//! Files as agents write them: read, changed and written back.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod align;
mod bodies;
mod claude_code;
mod codex;
mod edits;
mod file;
mod opencode;
mod session;
mod torn;
