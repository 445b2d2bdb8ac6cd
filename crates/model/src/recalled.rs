//! Stored data that is applied to a conversation before it is sent.

use crate::{GuardAnswer, RestoredTurn};

/// Guard answers and restored turns to apply to a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationPatch {
    /// Results of tool calls, which replace the client's results or are added to them.
    pub guard_answers: Vec<GuardAnswer>,
    /// Assistant turns to put back as they were, in order.
    pub restored_turns: Vec<RestoredTurn>,
}
