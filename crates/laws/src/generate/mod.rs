//! Request bodies by chance, from tidy to very messy: a function of the seed and a number.
//!
//! A script in no dialect is made first, upset as interrupted agents, compaction and other
//! programs upset it, then written in a dialect with the habits and faults of its clients.

mod anthropic;
mod bedrock;
mod chat;
mod flow;
mod gemini;
mod media;
mod native;
mod responses;
mod script;
mod tools;
mod upset;
mod words;

use serde_json::Value;

use crate::rng::Rng;

/// A request body in a dialect.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The dialect.
    pub from: &'static str,
    pub body: Value,
    pub level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing in it is meant to be wrong.
    Tidy,
    Odd,
    Messy,
    Wild,
}

/// Writes one conversation.
#[derive(Debug)]
pub(crate) struct Writer {
    rng: Rng,
    level: Level,
    marks: usize,
    calls: usize,
    /// The model thinks, and says so.
    thinks: bool,
}

/// A conversation in this dialect. In one that `thinks` the model certainly does.
pub fn generate(mut rng: Rng, from: &'static str, level: Level, thinks: bool) -> Generated {
    let thinks = thinks || rng.once_in(3);
    let mut writer = Writer { rng, level, marks: 0, calls: 0, thinks };
    let mut script = writer.flow();
    writer.upset(&mut script);
    let body = match from {
        "anthropic" => anthropic::body(&mut writer, &script),
        "openai-chat" => chat::body(&mut writer, &script),
        "openai-responses" => responses::body(&mut writer, &script),
        "gemini" => gemini::body(&mut writer, &script),
        "bedrock" => bedrock::body(&mut writer, &script),
        _ => native::body(&mut writer, &script),
    };
    Generated { from, body, level }
}

impl Level {
    pub(crate) fn any(rng: &mut Rng) -> Self {
        rng.pick(&[Self::Tidy, Self::Odd, Self::Odd, Self::Messy, Self::Messy, Self::Wild])
    }
}

impl Writer {
    /// Whether something odd happens here.
    pub(crate) fn odd(&mut self) -> bool {
        match self.level {
            Level::Tidy => false,
            Level::Odd => self.rng.once_in(70),
            Level::Messy => self.rng.once_in(20),
            Level::Wild => self.rng.once_in(6),
        }
    }

    /// A word that no other text of the conversation has in it.
    pub(crate) fn mark(&mut self) -> String {
        self.marks += 1;
        crate::marks::mark(self.marks)
    }

    /// An unknown field on an object, now and then.
    pub(crate) fn strew(&mut self, object: &mut Value) {
        if self.odd() {
            let (key, value) = self.odd_field();
            object[key] = value;
        }
    }

    /// The value, or now and then something else in its place.
    pub(crate) fn or_odd(&mut self, value: Value) -> Value {
        if self.odd() { self.odd_value() } else { value }
    }
}

/// Every dialect that can be generated.
pub const DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"];
