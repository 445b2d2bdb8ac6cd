//! What a turn was before a client lost a part of it.

use std::ops::Range;

use crate::Turn;

/// Turns of a model in a conversation, and the one turn that they are to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// As they stand in the conversation that the client wrote.
    pub turns: Range<usize>,
    pub turn: Turn,
}
