//! The files in which agents keep their conversations: read as the request the agent would send next,
//! and written back after that request was repaired.
//!
//! Each file format is one room and one line in [`FORMATS`]. Reading finds the conversation and keeps,
//! for each part of the request, where in the file it stands ([`Unit`]). Writing takes a repaired
//! request and changes only what differs: every other byte of the file stays.

mod align;
mod body;
mod claude_code;
mod codex;
mod ids;
mod opencode;
mod patch;
mod session;
mod source;
mod torn;
mod unit;

use bytes::Bytes;
use interlingua::{Dialect, Text};

pub use align::{Edits, Fate, Insert, align};
pub use source::{Line, Source};
pub use unit::{Origin, Unit, place, units};

/// Every format, in the order they are tried.
pub const FORMATS: &[&dyn Format] =
    &[&claude_code::ClaudeCode, &codex::Codex, &opencode::Opencode, &session::Session, &body::Body];

/// One kind of file.
pub trait Format: Sync {
    /// In kebab case, for machines.
    fn name(&self) -> &'static str;

    /// What a file of this kind is called in a sentence.
    fn title(&self) -> &'static str;

    /// The conversation in the file, if it is of this format.
    fn read(&self, source: &Source) -> Option<Transcript>;

    /// The file with its conversation changed to that of `repaired`, a request in the dialect of the
    /// transcript.
    fn write(&self, source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes;
}

/// A conversation that was found in a file.
pub struct Transcript {
    pub format: &'static dyn Format,
    /// The dialect of the request.
    pub dialect: &'static dyn Dialect,
    /// The request that the agent would send next.
    pub body: Bytes,
    /// The parts of the request, in order.
    pub units: Vec<Unit>,
    /// What was found on the way that is not in the request.
    pub notes: Vec<Note>,
    /// The model that the file names.
    pub model: Option<Text>,
    /// The last turn of the request is not in the file: it stands for the user's next words.
    pub stands_in: bool,
}

/// Something about the file that its user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// From 1; none where it is about the whole file.
    pub line: Option<usize>,
    pub what: String,
    /// Writing the file mends this.
    pub mends: bool,
}

/// The conversation in a file, in whichever format it is.
pub fn read(source: &Source) -> Option<Transcript> {
    FORMATS.iter().find_map(|format| format.read(source))
}

impl Transcript {
    /// The first part at this place of the request; of a whole turn its first part.
    pub fn unit(&self, turn: usize, block: Option<usize>) -> Option<&Unit> {
        let first = self.units.partition_point(|unit| unit.turn < turn);
        let turn = self.units[first..].iter().take_while(|unit| unit.turn == turn);
        match block {
            Some(block) => {
                turn.clone().find(|unit| unit.block == Some(block)).or_else(|| turn.clone().next())
            }
            None => turn.clone().next(),
        }
    }
}

impl Note {
    const SPOKEN_LAST: &str =
        "the model has spoken last; for the check, the user says \"Continue.\" next";

    fn of_file(what: impl Into<String>) -> Self {
        Self { line: None, what: what.into(), mends: false }
    }

    fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), what: what.into(), mends: false }
    }

    fn mended(line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), what: what.into(), mends: true }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::fmt::Debug for Transcript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transcript")
            .field("format", &self.format.name())
            .field("dialect", &self.dialect.id())
            .field("units", &self.units.len())
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
