//! What each provider refuses, as code, with the provider's own words.
//!
//! A [`Judge`] holds the ordered [`Rule`]s of one provider's API. It reads plain JSON and shares no
//! code with whatever made the request: it is an independent judge. The first [`Violation`] is what
//! the provider would answer; the others are there for whoever mends the request.
//!
//! Where providers are known to differ over time, the behaviour is a switch ([`Switches`]) whose
//! default follows the newest evidence.

mod carried;
pub mod docs;
mod image;
mod judge;
mod known;
mod openai_context;
mod rule;
pub mod seal;
mod switches;

pub mod anthropic;
pub mod bedrock;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

pub use carried::{Carried, Decoded};
pub use judge::{Judge, Request, Verdict, Violation};
pub use known::{Kept, Known, Next};
pub use rule::{Evidence, Findings, Rule};
pub use switches::{EmptyText, Switches};

/// Every judge. Documents, corpus and tests walk this list.
pub static ALL: &[&Judge] = &[
    &anthropic::JUDGE,
    &openai_chat::JUDGE,
    &openai_responses::JUDGE,
    &gemini::JUDGE,
    &bedrock::JUDGE,
];

/// The judge of a dialect.
pub fn find(dialect: &str) -> Option<&'static Judge> {
    ALL.iter().copied().find(|judge| judge.dialect == dialect)
}
