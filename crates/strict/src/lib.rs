//! Checks requests against the rules of each LLM provider, with the provider's own error messages.
//!
//! A [`Judge`] holds the ordered [`Rule`]s of one provider's API. It reads plain JSON and shares no
//! code with the gateway's encoders, so that it is an independent check of their output. The first
//! [`Violation`] is the provider's error; the others show what else is wrong with the request.
//!
//! Where a provider's behaviour differs over time, it is a switch ([`Switches`]) that defaults to
//! the newest evidence.

mod carried;
pub mod docs;
mod image;
mod judge;
mod known;
mod openai_context_window;
mod rule;
pub mod seal;
mod switches;

pub mod anthropic;
pub mod bedrock;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

pub use carried::{BodyEncoding, Decompression};
pub use judge::{Judge, Request, Verdict, Violation};
pub use known::{ContinuationState, StoredReplies, StoredReply};
pub use rule::{CheckContext, Evidence, Rule};
pub use switches::{EmptyText, Switches};

/// All judges. Documentation, corpus and tests iterate over them.
pub static ALL: &[&Judge] = &[
    &anthropic::JUDGE,
    &openai_chat::JUDGE,
    &openai_responses::JUDGE,
    &gemini::JUDGE,
    &bedrock::JUDGE,
];

/// Finds the judge of a dialect.
pub fn find(dialect: &str) -> Option<&'static Judge> {
    ALL.iter().copied().find(|judge| judge.dialect == dialect)
}
