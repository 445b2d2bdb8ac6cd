//! An HTTP server that simulates the model providers, with their strictness and error messages.
//!
//! The judge of the API ([`interlingua_strict`]) checks every request first: a request that the
//! provider would reject gets the provider's error. An accepted request is answered by a simulated
//! model: a [script](model::script), or an [agent](model::agent) that thinks, calls tools and
//! quotes the digests of their results. Reasoning is sealed, so that the judge notices any change
//! when it comes back. [Faults](fault) break replies and connections.
//!
//! The crate shares no code with the dialects, so that it cannot repeat their bugs. Nothing depends
//! on time or randomness: the same request gets the same reply, ids included.

mod access;
mod connection;
mod content_encoding;
mod delivery;
mod error_responses;
pub mod fault;
mod log;
pub mod model;
pub mod parse;
pub mod render;
mod reply_store;
mod request;
mod response;
pub mod route;
mod seed;
pub mod server;
mod simulator;
pub mod turn;

pub use connection::TimedBody;
pub use fault::Fault;
pub use log::Log;
pub use model::script::Script;
pub use response::{Headers, SimulatedResponse, TimedAction};
pub use route::Api;
pub use seed::IdSeed;
pub use server::ServerHandle;
pub use simulator::{Options, Simulator};
