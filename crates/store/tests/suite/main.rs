//! One suite for all stores, and tests for stores on disk only.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod crash;
mod disk;
mod encrypted;
mod kill_sessions;
mod large;
mod lost_files;
mod memory;
mod postgres;
mod records;
mod sessions;
mod sessions_on_disk;
mod sqlite;
mod support;
mod usage;
mod usage_on_disk;
