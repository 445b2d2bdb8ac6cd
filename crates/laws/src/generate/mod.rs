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
mod generator;
mod media;
mod native;
mod reply;
mod responses;
mod tools;
mod values;
mod well_formed;

pub use generator::Messiness;
pub use reply::{GeneratedReply, generate_reply};
use serde_json::Value;

use self::generator::Generator;
use crate::rng::Rng;

/// A request body in a dialect.
#[derive(Clone, Debug)]
pub struct GeneratedBody {
    pub dialect: &'static str,
    pub body: Value,
    pub level: Messiness,
}

/// Generates a conversation in this dialect; with `thinks`, it always has thinking.
pub fn generate(mut rng: Rng, from: &'static str, level: Messiness, thinks: bool) -> GeneratedBody {
    let thinks = thinks || rng.one_in(3);
    let mut generator = Generator::new(rng, level, thinks);
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

/// All dialects of [`generate`].
pub const DIALECTS: &[&str] =
    &["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"];
