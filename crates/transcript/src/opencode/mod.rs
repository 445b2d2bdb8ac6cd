//! opencode sessions: the output of `opencode export <session>`.
//!
//! One object: `info` about the session, and `messages` with `info` and `parts` each. A tool run is
//! one part: the call, and its result once it has one. The providers' signatures are in the parts'
//! `metadata`. The dialect of the request depends on the provider of the last reply.

mod anthropic;
mod encoder;
mod gemini;
mod openai_responses;
mod parts;
mod request;
mod write;

use bytes::Bytes;

use self::encoder::RequestEncoder;
use crate::{Format, Transcript, TranscriptFile};

#[derive(Debug)]
pub(crate) struct Opencode;

impl Format for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "an opencode export"
    }

    fn read(&self, source: &TranscriptFile) -> Option<Transcript> {
        let root = source.single_value()?;
        root.get("info").filter(|info| info.is_object())?;
        let messages = root.get("messages").filter(|messages| messages.is_array())?;
        let has_opencode_fields = |message: interlingua_wire::JsonNode<'_>| {
            message.get("info").is_some() && message.get("parts").is_some()
        };
        messages.items().next().filter(|first| has_opencode_fields(*first))?;
        request::read(&parts::read(messages), messages, source, &Self, encoder_for)
    }

    fn write(&self, source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}

/// The encoder for a provider and model.
fn encoder_for(provider: &str, model: &str) -> &'static RequestEncoder {
    let is_named = |(provider_part, model_part): &(&str, &str)| {
        provider.contains(provider_part) && model.contains(model_part)
    };
    let entry = ENCODERS.iter().find(|(names, _)| names.iter().any(is_named));
    entry.map_or(&openai_responses::OPENAI_RESPONSES, |(_, encoder)| encoder)
}

/// Substrings of provider and model names, and the encoder for them. The first match wins.
const ENCODERS: &[(&[(&str, &str)], RequestEncoder)] = &[
    (&[("anthropic", ""), ("", "claude")], anthropic::ANTHROPIC),
    (&[("google", ""), ("opencode", "gemini")], gemini::GEMINI),
];
