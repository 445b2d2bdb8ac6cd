//! The server any agent can use as its base URL, with any provider behind it.

pub mod config;
