//! Images, documents and sounds: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Media {}

pub(super) static ROWS: &[(Scope, Media)] = &[
    (Scope::all("anthropic"), BASE),
    (Scope::all("openai-chat"), BASE),
    (Scope::all("openai-responses"), BASE),
    (Scope::all("gemini"), BASE),
    (Scope::all("bedrock"), BASE),
];

const BASE: Media = Media {};
