//! Describes which roles each target accepts and in which order.

use super::TargetSelector;
use super::texts::{BEDROCK_OTHER_VENDORS, FIRST_PARTY};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstRole {
    Any,
    /// User or instructions.
    NotAssistant,
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastRole {
    Any,
    /// An assistant turn is continued as prefill, unless the model reasons.
    PrefillUnlessReasoning,
    /// A user turn, or an assistant turn in which this field is true.
    UserUnlessField(&'static str),
    User,
}

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

pub(super) static ROWS: &[(TargetSelector, RoleProfile)] = &[
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        RoleProfile {
            empty_conversation: EmptyConversation::Rejected,
            separate_leading_instructions: true,
            encodes_empty: false,
            ..BASE
        },
    ),
    (TargetSelector::models("anthropic", CLAUDE_MID_INSTRUCTIONS), CLAUDE),
    (
        TargetSelector::models("anthropic", CLAUDE_NO_MID_INSTRUCTIONS),
        RoleProfile { instruction_placement: InstructionPlacement::SeparateField, ..CLAUDE },
    ),
    (TargetSelector::models("anthropic", CLAUDE_WITH_PREFILL), CLAUDE_PREFILL),
    (TargetSelector::dialect("anthropic"), CLAUDE),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: &["mistral"],
            model_patterns: &["^open-mistral", "^open-mixtral", "^mistral-tiny", "-2402", "-2403"],
        },
        RoleProfile { allows_text_with_calls: false, ..MISTRAL },
    ),
    (TargetSelector::flavors("openai-chat", &["mistral"]), MISTRAL),
    (
        TargetSelector::flavors("openai-chat", FIRST_PARTY),
        RoleProfile { empty_conversation: EmptyConversation::Rejected, ..BASE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["openrouter"]),
        RoleProfile { empty_conversation: EmptyConversation::Rejected, ..BASE },
    ),
    (TargetSelector::flavors("openai-chat", &["deepseek"]), NO_DEVELOPER),
    (TargetSelector::flavors("openai-chat", &["vllm", "lm-studio", "qwen"]), CHAT_TEMPLATE),
    (
        TargetSelector::flavors("openai-chat", &["generic"]),
        RoleProfile {
            empty_conversation: EmptyConversation::Rejected,
            merge_policy: MergePolicy::AtEnd,
            ..CHAT_TEMPLATE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["llama.cpp"]),
        RoleProfile {
            merge_policy: MergePolicy::AtEnd,
            accepts_any_role: true,
            has_developer_role: true,
            ..CHAT_TEMPLATE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["ollama"]),
        RoleProfile { accepts_any_role: true, has_developer_role: true, ..CHAT_TEMPLATE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["moonshot"]),
        RoleProfile {
            allows_empty_assistant: false,
            allows_empty_last_assistant: false,
            ..NO_DEVELOPER
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["xai"]),
        RoleProfile {
            allows_empty_user: false,
            allows_empty_assistant: false,
            allows_empty_last_assistant: false,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["glm"]),
        RoleProfile { empty_conversation: EmptyConversation::UserRequired, ..NO_DEVELOPER },
    ),
    (TargetSelector::dialect("openai-chat"), BASE),
    (
        TargetSelector::flavors("openai-responses", &["llama.cpp"]),
        RoleProfile {
            separate_leading_instructions: true,
            messages_field: "input",
            has_items: true,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-responses", &["codex"]),
        RoleProfile {
            requires_instructions: true,
            has_system_role: false,
            accepts_string_input: false,
            empty_conversation: EmptyConversation::AcceptedWithState(&["conversation", "prompt"]),
            ..RESPONSES
        },
    ),
    (TargetSelector::dialect("openai-responses"), RESPONSES),
    (
        TargetSelector::flavors("gemini", &["vertex"]),
        RoleProfile { role_names: &["user", "model"], ..GEMINI },
    ),
    (TargetSelector::dialect("gemini"), GEMINI),
    (TargetSelector::models("bedrock", CLAUDE_MID_INSTRUCTIONS), CONVERSE),
    (TargetSelector::models("bedrock", CLAUDE_NO_MID_INSTRUCTIONS), CONVERSE),
    (
        TargetSelector::models("bedrock", CLAUDE_WITH_PREFILL),
        RoleProfile { last_role: LastRole::PrefillUnlessReasoning, ..CONVERSE },
    ),
    (TargetSelector::models("bedrock", &["claude"]), CONVERSE),
    (
        TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS),
        RoleProfile { last_role: LastRole::Any, ..CONVERSE },
    ),
    (TargetSelector::dialect("bedrock"), CONVERSE),
];

/// Accepts everything.
const BASE: RoleProfile = RoleProfile {
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
const NO_DEVELOPER: RoleProfile = RoleProfile { has_developer_role: false, ..BASE };

/// Servers that apply the chat template of the model: "system message must be at the beginning".
const CHAT_TEMPLATE: RoleProfile =
    RoleProfile { instruction_placement: InstructionPlacement::Leading, ..NO_DEVELOPER };

const MISTRAL: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::NotAfterReplies,
    first_role: FirstRole::NotAssistant,
    last_role: LastRole::UserUnlessField("prefix"),
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    allows_user_after_results: false,
    ..NO_DEVELOPER
};

const CLAUDE: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::BeforeReplies,
    last_role: LastRole::User,
    resumable_block_suffixes: &["server_tool_use", "_tool_result"],
    allows_empty_user: false,
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    ..BASE
};

const CLAUDE_PREFILL: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::SeparateField,
    last_role: LastRole::PrefillUnlessReasoning,
    allows_empty_last_assistant: true,
    ..CLAUDE
};

const RESPONSES: RoleProfile = RoleProfile {
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

const GEMINI: RoleProfile = RoleProfile {
    messages_field: "contents",
    instruction_placement: InstructionPlacement::SeparateField,
    merge_policy: MergePolicy::BeforeCalls,
    last_role: LastRole::User,
    allows_empty_user: false,
    allows_empty_assistant: false,
    allows_empty_last_assistant: false,
    empty_conversation: EmptyConversation::Rejected,
    ..BASE
};

const CONVERSE: RoleProfile = RoleProfile {
    instruction_placement: InstructionPlacement::SeparateField,
    merge_policy: MergePolicy::All,
    first_role: FirstRole::User,
    text_before_calls: true,
    ..CONVERSE_BASE
};

const CONVERSE_BASE: RoleProfile = RoleProfile { resumable_block_suffixes: &[], ..CLAUDE };

/// Generations of Claude: with instructions among the messages, without them, and with prefill.
const CLAUDE_MID_INSTRUCTIONS: &[&str] =
    &["fable-5", "mythos-5", "opus-5", "sonnet-5-5", "haiku-5-5", "mythos-preview", "opus-4-8"];
const CLAUDE_NO_MID_INSTRUCTIONS: &[&str] = &["sonnet-5", "opus-4-7", "opus-4-6", "sonnet-4-6"];
const CLAUDE_WITH_PREFILL: &[&str] = &[
    "opus-4",
    "4-opus",
    "sonnet-4",
    "4-sonnet",
    "haiku-4-5",
    "3-7-sonnet",
    "3-5-sonnet",
    "3-5-haiku",
    "claude-3-",
];
