//! How each server of this dialect differs, as data: one row per server.

use crate::facts::{facts, words};

facts! {
/// The quirks of one server. A quirk is a field here; no code compares flavor names.
#[derive(Clone, Copy, Debug)]
pub struct Flavor {
    pub name: &'static str,
    /// The field that limits the length of the reply.
    pub max_tokens_field: &'static str,
    pub seed_field: &'static str,
    /// The `tool_choice` value that requires a tool call.
    pub required_choice: &'static str,
    /// The content of an assistant message that has calls and no text.
    pub content_without_text: ContentWithoutText,
    /// User messages may have a list of parts; otherwise only a string.
    pub supports_user_parts: bool,
    /// Assistant text between a tool message and a user message, if the server does not accept them
    /// in sequence.
    pub tool_to_user_filler: Option<&'static str>,
    pub reasoning_history: ReasoningHistory,
    pub reasoning_control: ReasoningControl,
    /// Efforts that the server calls differently; other efforts are sent unchanged.
    pub effort_aliases: &'static [(&'static str, &'static str)],
    pub cache_breakpoint: CacheBreakpointSpelling,
    pub capabilities: &'static [Capability],
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentWithoutText {
    Null,
    Empty,
    Omitted,
}
}

words! {
/// Where an assistant message of the history carries reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningHistory {
    None,
    /// A string field with this name.
    Field(&'static str),
    /// The list `reasoning_details`, which carries seals of any issuer.
    ReasoningDetails,
    /// Content parts of type `thinking`.
    ThinkingParts,
}
}

words! {
/// How reasoning is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningControl {
    None,
    /// `reasoning_effort`
    Effort,
    /// `reasoning{effort, max_tokens, enabled, exclude}`
    Object,
    /// `thinking{type}`
    Thinking,
    /// `thinking{type}` and `reasoning_effort`
    ThinkingAndEffort,
    /// `enable_thinking` and `thinking_budget`
    EnableThinking,
}
}

words! {
/// How a cache breakpoint is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheBreakpointSpelling {
    None,
    /// `cache_control{type: ephemeral, ttl}`
    CacheControl,
    /// `prompt_cache_breakpoint{mode: explicit, ttl}`. Only the newest models have it, so it is
    /// written only for clients that sent it.
    PromptCacheBreakpoint,
}
}

words! {
/// An optional feature of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    DeveloperRole,
    /// Lists of parts instead of a string, by role.
    SystemParts,
    AssistantParts,
    ToolParts,
    /// Images and files in tool messages, if the client sent them there.
    ToolMedia,
    /// `name` in tool messages.
    ToolMessageName,
    CustomTools,
    /// Arguments in the history that are not JSON.
    NonJsonArguments,
    ParallelToolCalls,
    StreamOptions,
    /// `file` parts; files given by URL.
    FileParts,
    FileUrls,
    VideoParts,
    /// `refusal` in assistant messages, and `images`.
    RefusalField,
    AssistantImages,
    /// `extra_content.google.thought_signature`
    GoogleSignature,
    /// Replies may begin with reasoning in `<think>` tags.
    ThinkTags,
    MultipleChoices,
    TopK,
    Seed,
    /// Both penalties, or only the presence penalty.
    Penalties,
    PresencePenalty,
    Verbosity,
    Metadata,
    User,
    ServiceTier,
    PromptCacheKey,
    Store,
}
}

impl Flavor {
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&capability)
    }

    /// The server's name for an effort.
    pub fn effort_alias(&self, effort: &str) -> Option<&'static str> {
        self.effort_aliases.iter().find(|(name, _)| *name == effort).map(|(_, alias)| *alias)
    }
}

/// The dialect as its vendor defines it.
pub(crate) const OPENAI: Flavor = Flavor {
    name: "openai",
    max_tokens_field: "max_completion_tokens",
    seed_field: "seed",
    required_choice: "required",
    content_without_text: ContentWithoutText::Null,
    supports_user_parts: true,
    tool_to_user_filler: None,
    reasoning_history: ReasoningHistory::None,
    reasoning_control: ReasoningControl::Effort,
    effort_aliases: &[("ultra", "max")],
    cache_breakpoint: CacheBreakpointSpelling::PromptCacheBreakpoint,
    capabilities: OPENAI_CAPABILITIES,
};

/// The features that servers of this dialect have in common. An unknown server may be any of them:
/// some reject a named choice and `json_object`, others arguments that are not JSON, most of them
/// files.
pub(crate) const GENERIC: Flavor = Flavor {
    name: "generic",
    max_tokens_field: "max_tokens",
    content_without_text: ContentWithoutText::Empty,
    reasoning_history: ReasoningHistory::None,
    cache_breakpoint: CacheBreakpointSpelling::None,
    effort_aliases: &[],
    capabilities: &[
        Capability::ParallelToolCalls,
        Capability::StreamOptions,
        Capability::ThinkTags,
        Capability::MultipleChoices,
        Capability::Seed,
        Capability::Penalties,
        Capability::User,
    ],
    ..OPENAI
};

pub(crate) const OPENAI_CAPABILITIES: &[Capability] = &[
    Capability::DeveloperRole,
    Capability::RefusalField,
    Capability::SystemParts,
    Capability::AssistantParts,
    Capability::ToolParts,
    Capability::CustomTools,
    Capability::NonJsonArguments,
    Capability::ParallelToolCalls,
    Capability::StreamOptions,
    Capability::FileParts,
    Capability::MultipleChoices,
    Capability::Seed,
    Capability::Penalties,
    Capability::Verbosity,
    Capability::Metadata,
    Capability::User,
    Capability::ServiceTier,
    Capability::PromptCacheKey,
    Capability::Store,
];
