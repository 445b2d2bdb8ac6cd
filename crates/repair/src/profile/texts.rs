//! Texts and contents: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Texts {}

pub(super) static ROWS: &[(Scope, Texts)] = &[
    (Scope::all("anthropic"), BASE),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), BASE),
];

const BASE: Texts = Texts {};
