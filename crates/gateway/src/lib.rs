//! The server any agent can use as its base URL, with any provider behind it.
//!
//! ```text
//! connection ─▶ front (host, key, endpoint) ─▶ turn ─route─▶ attempt ─▶ provider
//!                                               ▲               │
//!                                               └── next route ─┤ failed before its first content
//!                                                               ▼
//! client ◀──────────────── out: whole, or streamed event by event
//! ```
//!
//! What a client sends is translated and repaired on the way, what a provider answers on the way back;
//! all of that is the road's ([`interlingua`]) business. This crate decides where a request goes, how
//! often it is tried, and how its answer reaches the client.

mod access;
mod affinity;
mod answered;
mod asking;
mod attempt;
mod awaited;
mod billed;
mod builtin;
mod captured;
mod catalogue;
pub mod config;
mod count;
mod crew;
mod crowd;
mod endpoint;
mod excess;
mod front;
mod guarding;
mod heard;
mod heavy;
mod keyring;
mod keys;
mod learned;
mod limited;
mod meters;
mod models;
mod otel;
mod out;
mod pages;
mod patient;
mod paused;
mod placed;
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
mod vault;

pub use remembered::open as open_store;
pub use server::Running;
pub use state::Gateway;
