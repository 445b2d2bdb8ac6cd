//! Tool calls, checked against what the client offered; and what the model is told of its mistakes.
//!
//! A [`Watch`] looks at each finished call of a reply: is there such a tool, are its arguments JSON,
//! do they fit the tool's schema. What it finds is a [`Finding`]: observed, answered or mended, as the
//! [`Mode`] says. An answer is kept ([`Answers`]) until the client sends the conversation again, and
//! then goes to the model as the result of its call ([`recall`]).
//!
//! Schemas come from clients, and arguments from models: neither is trusted. What is beyond the
//! [`Limits`] is not checked, and that is noted. Only what is certainly wrong is a finding.

mod answers;
mod arguments;
mod cache;
mod canonical;
mod finding;
mod in_memory;
mod mend;
mod message;
mod mode;
mod names;
mod offer;
pub mod schema;
mod watch;

pub use answers::{Answer, Answers, Search, answer_of, recall};
pub use cache::Schemas;
pub use canonical::fingerprint;
pub use finding::{Done, Finding, Kind};
pub use in_memory::InMemory;
pub use mode::{Mode, Modes};
pub use offer::{Offer, Takes};
pub use schema::{Beyond, Limits, Violation};
pub use watch::Watch;
