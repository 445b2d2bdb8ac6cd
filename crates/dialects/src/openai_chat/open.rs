//! What is open while a stream is written.

use interlingua_model::{Block, Seal};
use interlingua_wire::Pieces;

/// The block that is open.
#[derive(Debug)]
pub(super) enum Open {
    Nothing,
    Text {
        seal: Option<Box<Seal>>,
    },
    Refusal,
    /// Gathered, because its seal comes last and its entry tells the text again.
    Thinking(Box<Block>, Pieces),
    /// Told as an entry from the beginning: plain reasoning is not known to be a summary.
    Summary(Box<Block>),
    Call {
        freeform: bool,
        /// No arguments were written yet.
        bare: bool,
    },
    Closed {
        was_text: bool,
    },
}
