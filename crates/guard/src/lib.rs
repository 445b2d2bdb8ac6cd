//! Checks a model's tool calls against the tools that the client offered, and stores error results
//! ("guard answers") for the calls that are wrong.
//!
//! A [`CallChecker`] checks each finished call of a reply: does the tool exist, are the arguments
//! JSON, do they fit the tool's schema. A wrong call gives a [`Finding`], which is observed,
//! answered or mended as the [`GuardMode`] demands. An answer is stored ([`AnswerStore`]) until the
//! client sends the conversation again, and then goes to the model as the result of its call
//! ([`find_guard_answers`]).
//!
//! Schemas come from clients and arguments from models: neither is trusted. Anything beyond the
//! [`ValidationLimits`] is reported as not checked. Only certain errors are findings.

#![deny(missing_docs)]

mod answers;
mod args;
mod call_checker;
mod canonical;
mod decimal;
mod error_text;
mod finding;
mod mend;
mod mode;
mod offered_tools;
pub mod schema;
mod tool_names;

pub use answers::{
    AnswerRecord, AnswerStore, AnswersFuture, MemoryAnswerStore, find_guard_answers,
};
pub use call_checker::CallChecker;
pub use canonical::fingerprint;
pub use finding::{Finding, FindingKind, GuardAction};
pub use mode::{GuardMode, GuardModes};
pub use offered_tools::{OfferedTools, ToolInput};
pub use schema::{SchemaCache, SkipReason, ValidationLimits, Violation};
