//! Checks requests against the rules of each LLM provider, with the provider's own error messages.
//!
//! A [`Judge`] holds the ordered [`Rule`]s of one provider's API. It reads plain JSON and shares no
//! code with the gateway's encoders, so that it is an independent check of their output. The first
//! [`Violation`] is the provider's error; the others show what else is wrong with the request.
//!
//! Where a provider's behaviour differs over time, it is a switch ([`Switches`]) that defaults to
//! the newest evidence.

mod check_context;
pub mod docs;
mod field_path;
mod form;
mod image;
mod json;
mod json_schema;
mod judge;
mod judges;
mod messages;
mod openai_context_window;
mod request;
mod rule;
pub mod seal;
mod switches;

pub mod anthropic;
pub mod bedrock;
pub mod gemini;
pub mod openai_chat;
pub mod openai_responses;

pub use check_context::CheckContext;
pub use form::ObjectFields;
pub use judge::{Judge, Verdict};
pub use judges::{ALL, find};
pub use request::{
    BodyEncoding, ContinuationState, Decompression, Request, StoredReplies, StoredReply,
};
pub use rule::{Evidence, Rule, Violation};
pub use switches::{EmptyText, Switches};
