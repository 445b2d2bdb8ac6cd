//! Describes which roles each target accepts and in which order.

use crate::facts::{facts, words};

facts! {
#[derive(Clone, Copy, Debug)]
pub struct RoleProfile {
    /// Position of instructions among the turns.
    pub instruction_placement: InstructionPlacement,
    /// Leading instructions from another dialect go into a separate field.
    pub separate_leading_instructions: bool,
    /// Has the role developer.
    pub has_developer_role: bool,
    /// Has the role system among the turns.
    pub has_system_role: bool,
    /// Required names of roles; empty if a turn needs no role.
    pub role_names: &'static [&'static str],
    /// Accepts turns with any role name.
    pub accepts_any_role: bool,
    /// Instructions are required.
    pub requires_instructions: bool,
    pub merge_policy: MergePolicy,
    pub first_role: FirstRole,
    pub last_role: LastRole,
    /// Suffixes of the kinds of final assistant blocks after which the provider continues by
    /// itself.
    pub resumable_block_suffixes: &'static [&'static str],
    /// User and instruction turns may be empty.
    pub allows_empty_user: bool,
    /// Assistant turns may have neither content nor calls.
    pub allows_empty_assistant: bool,
    /// Empty turns from another dialect are encoded.
    pub encodes_empty: bool,
    /// The final assistant turn may be empty.
    pub allows_empty_last_assistant: bool,
    pub empty_conversation: EmptyConversation,
    /// The field with the turns.
    pub messages_field: &'static str,
    /// The turns may be one string.
    pub accepts_string_input: bool,
    /// The field lists items instead of turns: an empty turn disappears.
    pub has_items: bool,
    /// User turns may directly follow tool results.
    pub allows_user_after_results: bool,
    /// Assistant turns may have both text and calls.
    pub allows_text_with_calls: bool,
    /// Text has to precede calls, according to reports.
    pub text_before_calls: bool,
}
}

words! {
/// Position of instructions among the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionPlacement {
    Anywhere,
    /// Right behind a user turn, and before an assistant turn or at the end.
    BeforeReplies,
    /// Not behind an assistant turn or tool result, and not at the end.
    NotAfterReplies,
    /// In one leading message, if they come from another dialect.
    Leading,
    /// Only in a field of their own.
    SeparateField,
}
}

impl InstructionPlacement {
    /// Whether mid-conversation instructions become user text.
    pub fn must_move(self, crosses: bool) -> bool {
        match self {
            Self::SeparateField | Self::BeforeReplies => true,
            Self::Leading => crosses,
            Self::Anywhere | Self::NotAfterReplies => false,
        }
    }
}

words! {
/// Which neighbouring turns of one role are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergePolicy {
    Never,
    /// Assistant turns before a call.
    BeforeCalls,
    /// Assistant turns at the end.
    AtEnd,
    /// All turns without results, also from another dialect.
    WithoutResults,
    All,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRole {
    Any,
    /// User or instructions.
    NotAssistant,
    User,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastRole {
    Any,
    /// An assistant turn is continued as prefill, unless the model reasons.
    PrefillUnlessReasoning,
    /// A user turn, or an assistant turn in which this field is true.
    UserUnlessField(&'static str),
    User,
}
}

words! {
/// Handling of a conversation without turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyConversation {
    /// Accepted, if the list is present.
    Accepted,
    Rejected,
    /// Accepted, if one of these fields refers to a stored conversation.
    AcceptedWithState(&'static [&'static str]),
    /// Rejected, and so is a conversation without a user turn.
    UserRequired,
}
}
