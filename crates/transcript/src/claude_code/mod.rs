//! Claude Code: `~/.claude/projects/<project>/<session>.jsonl`.
//!
//! One event per line. Events of the conversation have a `uuid` and the `parentUuid` of the event they
//! follow, so that a file is a tree: edits of earlier prompts and parallel tool runs are branches. The
//! conversation is the chain that ends in the newest message. A reply is split over several lines, one
//! block each, that share `message.id`; each tool result is a line of its own.

mod chain;
mod request;
mod write;

use bytes::Bytes;

use crate::{Format, Source, Transcript};

#[derive(Debug)]
pub(crate) struct ClaudeCode;

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "a Claude Code transcript"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        request::read(source)
    }

    fn write(&self, source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}
