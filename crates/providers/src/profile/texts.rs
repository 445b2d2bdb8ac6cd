//! Describes which texts and contents each target accepts.

use crate::facts::{facts, words};
use interlingua_model::EmptyTextHandling;
use interlingua_wire::JsonString;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct TextProfile {
    /// Minimum for a text of a turn.
    pub min_text: TextMinimum,
    /// A text of an assistant turn may be blank beside a call or a cited text.
    pub accepts_blank_beside_call: bool,
    /// The minimum applies to a message as a whole: a shorter text is accepted next to sufficient
    /// content. Calls in user turns do not count.
    pub checks_whole_message: bool,
    /// Minimum for a text in the content list of a tool result.
    pub min_result_text: TextMinimum,
    /// Minimum for a text of the instructions.
    pub min_system_text: TextMinimum,
    /// Handling of an empty text between two blocks of reasoning.
    pub empty_between_reasoning: EmptyTextHandling,
    /// An empty text with a seal of this issuer is sent back unchanged.
    pub empty_text_sealer: Option<&'static str>,
    /// Only reasoning of this issuer is encoded; other reasoning is dropped.
    pub reasoning_issuer: Option<&'static str>,
    pub reasoning_only_turn: ReasoningOnlyTurn,
    /// Reasoning is encoded as part of the content.
    pub reasoning_in_content: bool,
    /// A result may be a string, which may be empty.
    pub string_results: bool,
    /// A failed result must have content.
    pub failed_result_needs_content: bool,
    /// Some users report that results without content are rejected.
    pub empty_result_unreliable: bool,
    /// Messages that must have a string as content.
    pub string_content: StringContent,
    pub missing_content: MissingContent,
    /// Fields of a message must not be null, except the content of an assistant message.
    pub rejects_null_fields: bool,
}
}

words! {
/// Minimum content of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMinimum {
    /// An empty text is accepted.
    Empty,
    /// At least one character, possibly white space.
    NonEmpty,
    /// More than white space.
    NonBlank,
}
}

impl TextMinimum {
    /// Whether the text has less than the minimum.
    pub fn rejects(self, text: &JsonString) -> bool {
        match self {
            Self::Empty => false,
            Self::NonEmpty => text.is_empty(),
            Self::NonBlank => text.is_blank(),
        }
    }
}

words! {
/// Whether an assistant turn may have reasoning only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningOnlyTurn {
    Accepted,
    /// If the next assistant turn has more.
    BeforeAssistant,
    Rejected,
}
}

words! {
/// Messages that must have a string as content, where the dialect also has lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringContent {
    NotRequired,
    /// Instructions of several texts. No server rejects the list, but chat templates may read only
    /// its first text.
    Instructions,
    /// Assistant messages and tool results.
    Replies,
    AllMessages,
}
}

words! {
/// Handling of messages with null or absent content. A message with calls needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingContent {
    Accepted,
    /// Null is rejected, except in assistant messages.
    NullOnlyFromAssistant,
    /// Null is accepted, absence is rejected.
    AbsentRejected,
    Rejected,
    /// Assistant messages need content; their other fields do not count.
    EmptyAssistantRejected,
}
}
