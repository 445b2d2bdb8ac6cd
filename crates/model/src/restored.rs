//! The original of a turn of which the client lost a part.

use std::ops::Range;

use crate::Turn;

/// An assistant turn that replaces a range of turns in the client's conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct RestoredTurn {
    /// Indices in the conversation that the client wrote.
    pub replaced: Range<usize>,
    /// The turn as it was stored.
    pub turn: Turn,
}
