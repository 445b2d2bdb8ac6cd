//! Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
//!
//! One `{"timestamp","type","payload"}` per line. `response_item` lines are the items of the
//! conversation, `turn_context` names the model, `compacted` replaces what came before, and a roll-back
//! event takes back the user's last words. Older files hold bare items.

mod history;
mod write;

use bytes::Bytes;

use crate::{Format, Source, Transcript};

#[derive(Debug)]
pub(crate) struct Codex;

impl Format for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "a Codex rollout"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        history::read(source)
    }

    fn write(&self, source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        write::write(source, transcript, repaired)
    }
}
