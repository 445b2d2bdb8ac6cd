//! HTTP client for model providers: URLs, authentication, connections, timeouts and retries.
//!
//! A [`Provider`] is one configured upstream; [`ProviderFromEnv`] makes those that are
//! known by name.
//! [`UpstreamClient::call`] sends an [`UpstreamRequest`] and returns an [`UpstreamResponse`].
//! Bodies are passed through without being parsed; only the provider's own secrets are overwritten
//! in them.
//!
//! - A response with any status is an [`UpstreamResponse`]. An [`ApiError`] means that there is no
//!   readable response: no connection, a timeout, a redirect, or a compressed body.
//! - A body owns its connection: dropping it closes the connection, or resets the HTTP/2 stream.
//! - API keys are sent only in headers, only to their provider, and are never logged.

mod aws;
pub mod breaker;
mod client;
mod client_pool;
mod connect;
mod endpoints;
mod env;
mod error;
mod http1;
mod idle_timer;
mod preset;
mod provider;
mod redaction;
mod request;
mod request_head;
mod response;
mod response_headers;
pub mod retry;

pub use aws::AwsCredentials;
pub use client::{Timeouts, UpstreamClient};
pub use connect::{CaBundle, InvalidCaBundle, Proxies};
pub use endpoints::Operation;
pub use env::Env;
pub use idle_timer::IdleTimer;
pub use interlingua::ApiError;
pub use preset::{PresetError, ProviderFromEnv};
pub use provider::Provider;
pub use request::UpstreamRequest;
pub use response::{UpstreamBody, UpstreamResponse};
pub use response_headers::ResponseHeaders;
