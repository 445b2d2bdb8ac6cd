//! What the vendors' own APIs, and careful copies, accept of roles.

use crate::profile::roles::{
    EmptyConversation, FirstRole, InstructionPlacement, LastRole, MergePolicy, RoleProfile,
};

/// Accepts everything.
pub(crate) const BASE: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::Anywhere,
    separate_leading_instructions: false,
    has_developer_role: true,
    has_system_role: true,
    role_names: &[],
    accepts_any_role: false,
    requires_instructions: false,
    merge_policy: MergePolicy::Never,
    first_role: FirstRole::Any,
    last_role: LastRole::Any,
    resumable_block_suffixes: &[],
    allows_empty_user: true,
    allows_empty_assistant: true,
    encodes_empty: true,
    allows_empty_last_assistant: true,
    empty_conversation: EmptyConversation::Accepted,
    messages_field: "messages",
    accepts_string_input: true,
    has_items: false,
    allows_user_after_results: true,
    allows_text_with_calls: true,
    text_before_calls: false,
};

/// Servers without the role developer.
pub(crate) const NO_DEVELOPER: RoleProfile = RoleProfile { has_developer_role: false, ..BASE };

/// Servers that apply the chat template of the model: "system message must be at the beginning".
pub(crate) const CHAT_TEMPLATE: RoleProfile =
    RoleProfile { instruction_placement: InstructionPlacement::Leading, ..NO_DEVELOPER };

pub(crate) const MISTRAL: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::NotAfterReplies,
    last_role: LastRole::UserUnlessField("prefix"),
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    ..NO_DEVELOPER
};

pub(crate) const CLAUDE: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::BeforeReplies,
    last_role: LastRole::User,
    resumable_block_suffixes: &["server_tool_use", "_tool_result"],
    allows_empty_user: false,
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    ..BASE
};

pub(crate) const RESPONSES: RoleProfile = RoleProfile {
    messages_field: "input",
    empty_conversation: EmptyConversation::AcceptedWithState(&[
        "previous_response_id",
        "conversation",
        "prompt",
    ]),
    separate_leading_instructions: true,
    has_items: true,
    ..BASE
};

pub(crate) const GEMINI: RoleProfile = RoleProfile {
    messages_field: "contents",
    instruction_placement: InstructionPlacement::SeparateField,
    merge_policy: MergePolicy::BeforeCalls,
    allows_empty_user: false,
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    ..BASE
};

pub(crate) const CONVERSE: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::SeparateField,
    merge_policy: MergePolicy::All,
    first_role: FirstRole::User,
    text_before_calls: true,
    ..CONVERSE_BASE
};

pub(crate) const CONVERSE_BASE: RoleProfile =
    RoleProfile { resumable_block_suffixes: &[], ..CLAUDE };
