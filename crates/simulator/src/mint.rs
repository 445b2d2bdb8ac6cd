//! Opaque reasoning, sealed so that the judge can verify it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interlingua_strict::seal::Bound;
use serde_json::Value;

use crate::speak::Voice;

/// The seal of a block of reasoning that stands after `before` in the message.
pub(crate) fn seal(voice: &Voice<'_>, kind: &str, text: &str, before: &[Value]) -> String {
    let neighbours = serde_json::to_string(before).unwrap_or_default();
    voice.key.seal(&Bound {
        provider: voice.api.dialect(),
        model: voice.model,
        kind,
        contents: text,
        position: before.len(),
        neighbours: &neighbours,
        ..Bound::default()
    })
}

/// Reasoning that nobody can read: the seal, and the text scrambled by it.
pub(crate) fn encrypted(voice: &Voice<'_>, kind: &str, text: &str, before: &[Value]) -> String {
    let seal = seal(voice, kind, text, before);
    let pad = seal.as_bytes();
    let scrambled: Vec<u8> =
        text.bytes().enumerate().map(|(at, byte)| byte ^ pad[at % pad.len().max(1)]).collect();
    let sealed = STANDARD.decode(&seal).unwrap_or_default();
    STANDARD.encode([sealed, scrambled].concat())
}
