//! Codex session files: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
//!
//! One `{"timestamp","type","payload"}` per line. `response_item` lines are the items of the
//! conversation, `turn_context` names the model, `compacted` replaces all earlier items, and the
//! event `thread_rolled_back` removes the user's last prompts. Older files hold items without the
//! envelope.

mod request;
mod write;

use bytes::Bytes;

use crate::{Format, Transcript, TranscriptFile};

#[derive(Debug)]
pub(crate) struct Codex;

impl Format for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "a Codex rollout"
    }

    fn read(&self, source: &TranscriptFile) -> Option<Transcript> {
        request::read(source, &Codex)
    }

    fn write(&self, source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}
