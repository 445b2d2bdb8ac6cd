//! Stored data that is applied to a conversation before it is sent.

use std::ops::Range;

use interlingua_wire::JsonString;

use crate::{ToolCall, Turn};

/// Guard answers and restored turns to apply to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationPatch {
    /// Results of tool calls, which replace the client's results or are added to them.
    pub guard_answers: Vec<GuardAnswer>,
    /// Assistant turns to put back as they were, in order.
    pub restored_turns: Vec<RestoredTurn>,
}

/// An assistant turn that replaces a range of turns in the client's conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct RestoredTurn {
    /// Indices in the conversation that the client wrote.
    pub replaced: Range<usize>,
    /// The turn as it was stored.
    pub turn: Turn,
}

/// An error result that the gateway inserts for a tool call in the history that the guard found
/// wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardAnswer {
    /// The call as it is in the conversation that the client wrote.
    pub call: ToolCall,
    /// The text that the model gets as the result of the call.
    pub message: JsonString,
}
