//! Generates random request bodies, from tidy to very messy, and replies; the same `Rng` gives the
//! same ones.
//!
//! A dialect-neutral draft is generated first, then damaged as interrupted agents, compaction and
//! other programs do, and encoded in a dialect with the oddities of its clients.

mod anthropic;
mod bedrock;
mod chat;
mod damage;
mod draft;
mod gemini;
mod media;
mod native;
mod reply;
mod responses;
mod tools;
mod values;
mod well_formed;

pub use reply::{GeneratedReply, generate_reply};
use serde_json::Value;

use crate::rng::Rng;

/// A request body in a dialect.
#[derive(Clone, Debug)]
pub struct GeneratedBody {
    pub dialect: &'static str,
    pub body: Value,
    pub level: Messiness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messiness {
    /// Contains no deliberate errors.
    Tidy,
    Odd,
    Messy,
    Wild,
}

/// The random state that generates one conversation.
#[derive(Debug)]
pub(crate) struct Generator {
    rng: Rng,
    level: Messiness,
    canary_count: usize,
    call_count: usize,
    /// The assistant turns have thinking blocks.
    thinks: bool,
}

/// Generates a conversation in this dialect; with `thinks`, it always has thinking.
pub fn generate(mut rng: Rng, from: &'static str, level: Messiness, thinks: bool) -> GeneratedBody {
    let thinks = thinks || rng.one_in(3);
    let mut generator = Generator { rng, level, canary_count: 0, call_count: 0, thinks };
    let mut draft = generator.well_formed();
    generator.damage(&mut draft);
    let body = match from {
        "anthropic" => anthropic::body(&mut generator, &draft),
        "openai-chat" => chat::body(&mut generator, &draft),
        "openai-responses" => responses::body(&mut generator, &draft),
        "gemini" => gemini::body(&mut generator, &draft),
        "bedrock" => bedrock::body(&mut generator, &draft),
        _ => native::body(&mut generator, &draft),
    };
    GeneratedBody { dialect: from, body, level }
}

impl Messiness {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        rng.pick(&[Self::Tidy, Self::Odd, Self::Odd, Self::Messy, Self::Messy, Self::Wild])
    }
}

impl Generator {
    /// Decides randomly whether something odd happens here.
    pub(crate) fn roll_odd(&mut self) -> bool {
        match self.level {
            Messiness::Tidy => false,
            Messiness::Odd => self.rng.one_in(70),
            Messiness::Messy => self.rng.one_in(20),
            Messiness::Wild => self.rng.one_in(6),
        }
    }

    /// The next unused canary.
    pub(crate) fn canary(&mut self) -> String {
        self.canary_count += 1;
        crate::canary::canary(self.canary_count)
    }

    /// Sometimes adds an unknown field.
    pub(crate) fn maybe_add_field(&mut self, object: &mut Value) {
        if self.roll_odd() {
            let (key, value) = self.odd_field();
            object[key] = value;
        }
    }

    /// The value, or sometimes an odd one in its place.
    pub(crate) fn or_odd_value(&mut self, value: Value) -> Value {
        if self.roll_odd() { self.odd_value() } else { value }
    }
}

/// All dialects of [`generate`].
pub const DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"];
