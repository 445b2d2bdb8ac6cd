//! Fields of the body and of what it holds: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Fields {}

pub(super) static ROWS: &[(Scope, Fields)] = &[
    (Scope::all("anthropic"), BASE),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), BASE),
];

const BASE: Fields = Fields {};
