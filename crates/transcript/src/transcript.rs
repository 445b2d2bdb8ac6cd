//! A conversation that was read from a file, and the formats of files.

use bytes::Bytes;
use interlingua::{Dialect, JsonString};

use crate::{Note, RequestPart, TranscriptFile};

/// A file format.
pub trait Format: Sync {
    /// The name in kebab case, for machines.
    fn name(&self) -> &'static str;

    /// The name for use in a sentence, with its article.
    fn title(&self) -> &'static str;

    /// Reads the conversation; `None` if the file is not of this format.
    fn read(&self, source: &TranscriptFile) -> Option<Transcript>;

    /// Returns the file with its conversation changed to that of `repaired`, a request in the
    /// transcript's dialect.
    fn write(&self, source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes;
}

/// A conversation that was read from a file.
pub struct Transcript {
    pub format: &'static dyn Format,
    /// The dialect of the request.
    pub dialect: &'static dyn Dialect,
    /// The request that the agent would send next.
    pub body: Bytes,
    /// The parts of the request, in order.
    pub parts: Vec<RequestPart>,
    /// Findings about the file that do not show in the request.
    pub notes: Vec<Note>,
    /// The model named in the file.
    pub model: Option<JsonString>,
    /// The last turn of the request is a placeholder for the user's next prompt, which is not in
    /// the file.
    pub has_placeholder: bool,
}

impl Transcript {
    /// Returns the part at this turn and block; without such a block, the turn's first part.
    pub fn part(&self, turn: usize, block: Option<usize>) -> Option<&RequestPart> {
        let first = self.parts.partition_point(|part| part.turn < turn);
        // The parts of most turns are all of its blocks.
        let part = block.and_then(|block| self.parts.get(first.checked_add(block)?));
        if let Some(part) = part.filter(|part| part.turn == turn && part.block == block) {
            return Some(part);
        }
        let turn = self.parts[first..].iter().take_while(|part| part.turn == turn);
        match block {
            Some(block) => {
                turn.clone().find(|part| part.block == Some(block)).or_else(|| turn.clone().next())
            }
            None => turn.clone().next(),
        }
    }
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcript")
            .field("format", &self.format.name())
            .field("dialect", &self.dialect.id())
            .field("parts", &self.parts.len())
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
