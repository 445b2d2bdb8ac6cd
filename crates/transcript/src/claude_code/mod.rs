//! Claude Code session files: `~/.claude/projects/<project>/<session>.jsonl`.
//!
//! One entry per line. Entries of the conversation have a `uuid` and the `parentUuid` of the entry
//! they follow, so that a file is a tree: edited prompts and parallel tool calls are branches. The
//! conversation is the path that ends in the newest message. A reply is split over several lines
//! with one block each, which share `message.id`; each tool result is its own line.

mod chain;
mod request;
mod write;

use bytes::Bytes;

use crate::{Format, Transcript, TranscriptFile};

#[derive(Debug)]
pub(crate) struct ClaudeCode;

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "a Claude Code transcript"
    }

    fn read(&self, source: &TranscriptFile) -> Option<Transcript> {
        request::read(source, &ClaudeCode)
    }

    fn write(&self, source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}
