//! A server that plays the model providers, as strict as they are.
//!
//! Every request is judged first, by the judge of its API ([`interlingua_strict`]): what the
//! provider would refuse is refused, in its own words. What is accepted is answered by a model: a
//! [script](brain::script), or an [agent](brain::agent) that thinks, calls tools and proves that it
//! read their results. Reasoning is sealed so that the judge can tell whether it comes back
//! unchanged. [Faults](fault) break what can break on the way.
//!
//! It shares no code with the translators, so that no mistake of theirs is mirrored here. Nothing
//! depends on time or chance: the same request gets the same reply, ids included.

mod answer;
mod api;
mod asked;
pub mod brain;
mod carriage;
mod connection;
mod delivery;
pub mod fault;
pub mod hear;
mod log;
mod memory;
mod refuse;
pub mod route;
mod seed;
pub mod server;
mod simulator;
pub mod speak;
pub mod turn;

pub use answer::Answer;
pub use api::Api;
pub use brain::script::Script;
pub use connection::Performance;
pub use delivery::Step;
pub use fault::Fault;
pub use log::Log;
pub use seed::Seed;
pub use server::Running;
pub use simulator::{Options, Simulator};
