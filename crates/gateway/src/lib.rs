//! The gateway server: any agent can use it as its base URL, with any provider behind it.
//!
//! ```text
//! connection ─▶ front (host, key, endpoint) ─▶ turn ─route─▶ attempt ─▶ provider
//!                                               ▲               │
//!                                               └── next route ─┤ failed before its first content
//!                                                               ▼
//! client ◀──────────────── out: whole, or streamed event by event
//! ```
//!
//! The pipeline in [`interlingua`] translates and repairs requests and replies. This crate routes
//! requests, retries them, and delivers the responses.

mod access;
mod affinity;
mod answered;
mod asking;
mod attempt;
mod awaited;
mod balance;
mod billed;
mod body_budget;
mod box_in_place;
mod builtin_models;
mod captured;
mod catalogue;
mod client_name;
mod client_stream;
pub mod config;
mod count;
mod crowd;
mod endpoint;
mod excess;
mod front;
mod guarding;
mod heard;
mod key_policy;
mod keyring;
mod keys;
mod learned;
mod limited;
mod meters;
mod models;
mod offload;
mod otel;
mod out;
mod pages;
mod paused;
mod quota;
mod reading;
mod recent;
mod refusal;
mod refused;
mod remembered;
mod responses;
mod server;
mod sessions;
mod sharing;
mod state;
mod tale;
mod talks;
mod taught;
mod telemetry;
mod turn;
mod ui;
mod unread_body;
mod vault;

pub use remembered::open as open_store;
pub use server::ServerHandle;
pub use state::{Gateway, KeysRemovedError};
