//! Describes which texts and contents each target accepts.

use interlingua_model::EmptyTextHandling;
use interlingua_wire::JsonString;

use super::TargetSelector;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
pub struct TextProfile {
    /// Minimum for a text of a turn.
    pub min_text: TextMinimum,
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

/// Whether an assistant turn may have reasoning only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningOnlyTurn {
    Accepted,
    /// If the next assistant turn has more.
    BeforeAssistant,
    Rejected,
}

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

pub(super) static ROWS: &[(TargetSelector, TextProfile)] = &[
    (
        TargetSelector::flavors("anthropic", &["deepseek"]),
        TextProfile { string_results: true, ..BASE },
    ),
    (TargetSelector::dialect("anthropic"), CLAUDE),
    // Null is accepted since gpt-5.6.
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: CHAT_TUNED_MODELS,
        },
        TextProfile { missing_content: MissingContent::Rejected, ..BASE },
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["^gpt-5-6", "^gpt-5-7", "^gpt-5-8", "^gpt-5-9"],
        },
        BASE,
    ),
    (
        TargetSelector {
            dialect: "openai-chat",
            flavors: FIRST_PARTY,
            model_patterns: &["^gpt-3", "^gpt-4", "^gpt-5", "^o1", "^o3", "^o4"],
        },
        TextProfile { missing_content: MissingContent::Rejected, ..BASE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["deepseek"]),
        TextProfile {
            string_content: StringContent::Replies,
            missing_content: MissingContent::AbsentRejected,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["llama.cpp"]),
        TextProfile {
            string_content: StringContent::Instructions,
            missing_content: MissingContent::AbsentRejected,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["vllm", "lm-studio"]),
        TextProfile { string_content: StringContent::Instructions, ..BASE },
    ),
    (
        TargetSelector::flavors("openai-chat", &["groq"]),
        TextProfile {
            missing_content: MissingContent::NullOnlyFromAssistant,
            rejects_null_fields: true,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["ollama"]),
        TextProfile {
            string_content: StringContent::Instructions,
            missing_content: MissingContent::Rejected,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["generic"]),
        TextProfile {
            string_content: StringContent::AllMessages,
            missing_content: MissingContent::Rejected,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["moonshot"]),
        TextProfile {
            reasoning_only_turn: ReasoningOnlyTurn::Rejected,
            missing_content: MissingContent::EmptyAssistantRejected,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["mistral"]),
        TextProfile {
            missing_content: MissingContent::EmptyAssistantRejected,
            reasoning_in_content: true,
            ..BASE
        },
    ),
    (
        TargetSelector::flavors("openai-chat", &["xai"]),
        TextProfile {
            min_text: TextMinimum::NonEmpty,
            checks_whole_message: true,
            reasoning_only_turn: ReasoningOnlyTurn::Rejected,
            missing_content: MissingContent::EmptyAssistantRejected,
            ..BASE
        },
    ),
    (TargetSelector::dialect("openai-chat"), BASE),
    (
        TargetSelector::flavors("openai-responses", &["llama.cpp"]),
        TextProfile { string_content: StringContent::Instructions, ..BASE },
    ),
    (TargetSelector::dialect("openai-responses"), BASE),
    (
        TargetSelector::dialect("gemini"),
        TextProfile {
            min_text: TextMinimum::NonEmpty,
            min_system_text: TextMinimum::NonEmpty,
            empty_text_sealer: Some("google"),
            reasoning_issuer: Some("google"),
            ..BASE
        },
    ),
    (
        TargetSelector::models("bedrock", BEDROCK_OTHER_VENDORS),
        TextProfile {
            min_result_text: TextMinimum::Empty,
            reasoning_only_turn: ReasoningOnlyTurn::Accepted,
            ..CONVERSE
        },
    ),
    (TargetSelector::dialect("bedrock"), CONVERSE),
];

/// Accepts everything.
const BASE: TextProfile = TextProfile {
    min_text: TextMinimum::Empty,
    checks_whole_message: false,
    min_result_text: TextMinimum::Empty,
    min_system_text: TextMinimum::Empty,
    empty_between_reasoning: EmptyTextHandling::Drop,
    empty_text_sealer: None,
    reasoning_issuer: None,
    reasoning_only_turn: ReasoningOnlyTurn::Accepted,
    reasoning_in_content: false,
    string_results: false,
    failed_result_needs_content: false,
    empty_result_unreliable: false,
    string_content: StringContent::NotRequired,
    missing_content: MissingContent::Accepted,
    rejects_null_fields: false,
};

const CLAUDE: TextProfile = TextProfile {
    min_text: TextMinimum::NonBlank,
    min_result_text: TextMinimum::NonEmpty,
    min_system_text: TextMinimum::NonEmpty,
    empty_between_reasoning: EmptyTextHandling::ReplaceWithSpace,
    reasoning_issuer: Some("anthropic"),
    reasoning_only_turn: ReasoningOnlyTurn::BeforeAssistant,
    string_results: true,
    empty_result_unreliable: true,
    ..BASE
};

const CONVERSE: TextProfile =
    TextProfile { string_results: false, failed_result_needs_content: true, ..CLAUDE };

/// Models tuned for chat, of any generation.
const CHAT_TUNED_MODELS: &[&str] = &[
    "^gpt-4-chat",
    "^gpt-5-chat",
    "^gpt-5-1-chat",
    "^gpt-5-2-chat",
    "^gpt-5-3-chat",
    "^gpt-5-4-chat",
    "^gpt-5-5-chat",
    "^gpt-5-6-chat",
    "^gpt-6-chat",
];

pub(super) const FIRST_PARTY: &[&str] = &["", "openai", "azure"];

/// Converse models other than Claude.
pub(super) const BEDROCK_OTHER_VENDORS: &[&str] = &[
    "amazon-",
    "meta-",
    "mistral-",
    "cohere-",
    "deepseek-",
    "qwen-",
    "openai-",
    "moonshot",
    "minimax-",
    "ai21-",
    "writer-",
    "zai-",
    "google-",
    "nvidia-",
    "twelvelabs-",
    "xai-",
];
