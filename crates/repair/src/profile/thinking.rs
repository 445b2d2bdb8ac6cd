//! Reasoning and its seals: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Thinking {}

pub(super) static ROWS: &[(Scope, Thinking)] = &[
    (Scope::all("anthropic"), BASE),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), BASE),
];

const BASE: Thinking = Thinking {};
