//! Behaviours on which the evidence changes.

/// `None` leaves a behaviour to the model's profile, whose default follows the newest evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// What is accepted as the empty text between signed thinking blocks. Default: `Space`.
    pub empty_text: Option<EmptyText>,
    /// Whether signatures are bound to the whole prefix of the conversation.
    pub prefix_binding: Option<bool>,
    /// Whether instructions may stand among the messages.
    pub system_messages: Option<bool>,
    /// Whether the conversation may end with the assistant's words.
    pub prefill: Option<bool>,
    /// Whether roles must alternate, and the user speaks first.
    pub alternation: Option<bool>,
}

/// The empty text between two signed thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyText {
    /// `""` must stay where it was.
    Keep,
    /// `""` is refused, a blank is accepted in its place.
    Space,
    /// Neither is accepted; leaving the block out is.
    Drop,
}
