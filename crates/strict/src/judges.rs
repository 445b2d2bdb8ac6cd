//! All judges, by their dialects.

use crate::judge::Judge;
use crate::{anthropic, bedrock, gemini, openai_chat, openai_responses};

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
