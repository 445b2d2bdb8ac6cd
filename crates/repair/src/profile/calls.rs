//! Calls and their results: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Calls {}

pub(super) static ROWS: &[(Scope, Calls)] = &[
    (Scope::all("anthropic"), BASE),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), BASE),
];

const BASE: Calls = Calls {};
