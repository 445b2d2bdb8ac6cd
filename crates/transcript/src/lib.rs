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
mod note;
mod opencode;
mod patch;
mod request_body;
mod request_part;
mod source_file;
mod stored_session;
mod torn_line;
mod transcript;

pub use diff::{Insertion, PartChange, PartEdits, diff};
pub use note::Note;
pub use request_part::{FileLocation, RequestPart, parse_part_path, request_parts};
pub use source_file::{Line, TranscriptFile};
pub use transcript::{Format, Transcript};

/// All formats, in the order in which they are tried.
pub const FORMATS: &[&dyn Format] = &[
    &claude_code::ClaudeCode,
    &codex::Codex,
    &opencode::Opencode,
    &stored_session::StoredSession,
    &request_body::RequestBody,
];

/// Reads the conversation in a file of any format.
pub fn read(source: &TranscriptFile) -> Option<Transcript> {
    FORMATS.iter().find_map(|format| format.read(source))
}
