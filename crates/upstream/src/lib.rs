//! HTTP to model providers: addresses, keys, connections, time-outs, retries.
//!
//! A [`Provider`] is one configured upstream; those that are known by name are rows of
//! [`PROVIDERS`]. A [`Call`] asks something of a provider, [`Upstream::call`] brings its [`Answer`].
//! Bodies are passed as they are: what they say is the business of the road.
//!
//! - Whatever the provider answers, with any status, is an [`Answer`]; a [`Failure`] is that there is
//!   no answer that could be read: no connection, no reply in time, a redirect, a compressed body.
//! - A body owns its connection: dropping it closes the connection, or ends the stream on a shared one.
//! - Keys are sent in headers, to the one address they belong to, and are shown nowhere.

mod address;
mod aws;
mod body;
pub mod breaker;
mod call;
mod connect;
mod error;
mod headers;
mod idle;
mod lanes;
mod plain;
mod provider;
mod ready;
pub mod retry;
mod row;
mod rows;
mod upstream;
mod way;

pub use address::{Ask, Paths};
pub use aws::Signer;
pub use body::{Answer, Body};
pub use call::Call;
pub use connect::{Authority, NotAuthority, Proxies};
pub use headers::Headers;
pub use idle::Idle;
pub use interlingua::Failure;
pub use provider::{Auth, Provider};
pub use row::{Env, Place, Row, Surface, Unset};
pub use rows::PROVIDERS;
pub use upstream::{Timeouts, Upstream};
