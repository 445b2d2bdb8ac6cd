//! One suite for all stores, and what only stores on disk can be held to.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod contract;
mod conversations;
mod counted;
mod crash;
mod disk;
mod killed;
mod memory;
mod postgres;
mod sealed;
mod sessions;
mod shared;
mod sqlite;
