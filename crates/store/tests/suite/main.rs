//! One suite for all stores, and what only stores on disk can be held to.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod contract;
mod crash;
mod disk;
mod memory;

mod sealed;
mod shared;
mod sqlite;
