//! The gateway server: any agent can use it as its base URL, with any provider behind it.
//!
//! ```text
//! connection    server/     accepts it, checks host and key, finds the endpoint
//!     │
//!     ├──▶      api/        endpoints that call no provider
//!     ▼
//! a turn        proxy/      routes ─▶ attempt ─▶ provider ─▶ reply: whole, or event by event
//!     │
//!     ▼
//! Gateway       state.rs    knows every service; builtin_models, offload, box_in_place beside it
//!     │
//!     ├──▶      services/   keys, quotas, lessons, conversations, stored replies
//!     ├──▶      telemetry/  metrics, traces, recent turns, captured stages
//!     ├──▶      http_util/  endpoints, bodies, errors
//!     └──▶      config/     client_name, which it shares with all of them
//! ```
//!
//! Imports point downward only. Within `proxy/`, each stage is a file, and what follows a failed attempt
//! is decided in `retry_plan`.
//!
//! The pipeline in [`interlingua`] translates and repairs requests and replies. This crate routes
//! requests, retries them, and delivers the responses.

mod api;
mod box_in_place;
mod builtin_models;
mod client_name;
pub mod config;
mod http_util;
mod offload;
mod proxy;
mod server;
mod services;
mod state;
mod telemetry;

pub use self::server::listener::ServerHandle;
pub use self::services::recording::DivergedReply;
pub use self::services::store::open as open_store;
pub use state::{Gateway, KeysRemovedError};
