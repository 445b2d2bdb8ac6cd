//! What a store in a database can be told.

use std::time::Duration;

use crate::retention::Retention;
use crate::secret::Secret;

/// What a store in a database can be told.
#[derive(Debug)]
pub struct Options {
    pub retention: Retention,
    /// Bodies are sealed and keys hidden with it.
    pub secret: Option<Secret>,
    /// Bytes of each kind that are remembered in memory.
    pub cache: usize,
    /// Bytes that may wait to be written.
    pub queue: usize,
    /// How often what is too old, or too much, is looked for.
    pub tidy: Duration,
    /// Bytes that a file never exceeds, about: beyond them it is as if the disk were full. A server has
    /// limits of its own.
    pub limit: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            retention: Retention::default(),
            secret: None,
            cache: 64 << 20,
            queue: 64 << 20,
            tidy: Duration::from_mins(1),
            limit: None,
        }
    }
}
