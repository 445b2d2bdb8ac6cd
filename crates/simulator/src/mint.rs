//! Opaque reasoning, sealed so that the judge can verify it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interlingua_strict::Request;
use interlingua_strict::seal::Bound;
use interlingua_strict::seal::Key;
use serde_json::Value;

use crate::speak::Voice;

/// Where an Anthropic conversation has come to.
pub(crate) struct Trail {
    model: String,
    passed: Vec<Value>,
}

impl Trail {
    /// The end of a request's conversation: where the reply begins.
    pub(crate) fn of(request: &Request<'_>) -> Self {
        Self { model: request.model.to_owned(), passed: Vec::new() }
    }

    /// The signature of thinking with this text.
    pub(crate) fn think(&mut self, key: &Key, text: &str) -> String {
        self.sealed(key, "thinking", text)
    }

    /// The data of thinking that nobody may read.
    pub(crate) fn redact(&mut self, key: &Key) -> String {
        self.sealed(key, "redacted_thinking", "")
    }

    /// A block of the message passes.
    pub(crate) fn block(&mut self, block: &Value) {
        self.passed.push(block.clone());
    }

    fn sealed(&mut self, key: &Key, kind: &str, contents: &str) -> String {
        let neighbours = Value::from(self.passed.clone()).to_string();
        let seal = key.seal(&Bound {
            provider: "anthropic",
            model: &self.model,
            kind,
            contents,
            position: self.passed.len(),
            neighbours: &neighbours,
            ..Bound::default()
        });
        self.passed.push(Value::from(seal.as_str()));
        seal
    }
}

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
