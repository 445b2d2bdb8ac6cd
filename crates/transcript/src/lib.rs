//! Reads coding agents' session files as the request that the agent would send next, and writes a
//! repaired request back into the file.
//!
//! Each file format is one module and one entry in [`FORMATS`]. Reading finds the conversation and
//! records where in the file each part of the request is ([`RequestPart::location`]). Writing takes
//! a repaired request and changes only what differs: every other byte of the file stays.

mod claude_code;
mod codex;
mod diff;
mod ids;
mod opencode;
mod patch;
mod request_body;
mod request_part;
mod source_file;
mod stored_session;
mod torn_line;

use bytes::Bytes;
use interlingua::{Dialect, JsonString};

pub use diff::{Insertion, PartChange, PartEdits, diff};
pub use request_part::{FileLocation, RequestPart, parse_part_path, request_parts};
pub use source_file::{Line, TranscriptFile};

/// All formats, in the order in which they are tried.
pub const FORMATS: &[&dyn Format] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &opencode::Opencode,
    &stored_session::StoredSession,
    &request_body::RequestBody,
];

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

/// A finding about the file for its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Line number from 1; `None` for a finding about the whole file.
    pub line: Option<usize>,
    pub message: String,
    /// Writing the file fixes it.
    pub is_fixed: bool,
}

/// Reads the conversation in a file of any format.
pub fn read(source: &TranscriptFile) -> Option<Transcript> {
    FORMATS.iter().find_map(|format| format.read(source))
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

impl Note {
    const PLACEHOLDER_ADDED: &str =
        "the last turn is the model's; for the check, a user turn \"Continue.\" is added";

    fn for_file(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), is_fixed: false }
    }

    fn at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into(), is_fixed: false }
    }

    fn fixed_at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into(), is_fixed: true }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} {}", self.message),
            None => f.write_str(&self.message),
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
