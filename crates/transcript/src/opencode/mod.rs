//! opencode: what `opencode export <session>` prints.
//!
//! One object: `info` about the session, and `messages` with `info` and `parts` each. A tool's run is
//! one part: the call, and its result once there is one. The provider's signatures are in the parts'
//! `metadata`. Which dialect the agent speaks depends on the provider of the last reply.

mod blocks;
mod contents;
mod items;
mod parts;
mod spell;
mod write;

use bytes::Bytes;

use crate::{Format, Source, Transcript};

#[derive(Debug)]
pub(crate) struct Opencode;

impl Format for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "an opencode export"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        let root = source.whole()?;
        root.get("info").filter(|info| info.is_object())?;
        let messages = root.get("messages").filter(|messages| messages.is_array())?;
        let is_ours = |message: interlingua::wire::Node<'_>| {
            message.get("info").is_some() && message.get("parts").is_some()
        };
        messages.items().next().filter(|first| is_ours(*first))?;
        spell::read(&parts::read(messages), messages, source)
    }

    fn write(&self, source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}
