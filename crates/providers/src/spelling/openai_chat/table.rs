//! The flavor of each server.

use super::Capability::{
    AllowedTools, AssistantImages, AssistantParts, CustomTools, DeveloperRole, FileParts, FileUrls,
    GoogleSignature, JsonObject, JsonSchema, Metadata, MultipleChoices, NamedToolChoice,
    NonJsonArguments, ParallelToolCalls, Penalties, PresencePenalty, PromptCacheKey, RefusalField,
    Seed, ServiceTier, Store, StreamOptions, SystemParts, ThinkTags, ToolMedia, ToolMessageName,
    ToolParts, TopK, User, Verbosity, VideoParts,
};
use super::{
    CacheBreakpointSpelling, Capability, ContentWithoutText, Flavor, ReasoningControl,
    ReasoningHistory,
};

impl Flavor {
    /// The flavor with this name; the first row for no name or an unknown one.
    pub fn find(name: Option<&str>) -> &'static Flavor {
        let named = FLAVORS.iter().find(|flavor| Some(flavor.name) == name);
        named.unwrap_or(&FLAVORS[0])
    }
}

/// The names, in the order of the rows.
pub const NAMES: &[&str] = &{
    let mut names = [""; FLAVORS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = FLAVORS[at].name;
        at += 1;
    }
    names
};

/// The first row is the dialect as `OpenAI` defines it.
pub const FLAVORS: &[Flavor] = &[
    Flavor { name: "openai", capabilities: OPENAI_CAPABILITIES, ..OPENAI },
    Flavor {
        name: "openrouter",
        reasoning_history: ReasoningHistory::ReasoningDetails,
        reasoning_control: ReasoningControl::Object,
        cache_breakpoint: CacheBreakpointSpelling::CacheControl,
        capabilities: &[
            RefusalField,
            SystemParts,
            AssistantParts,
            ToolParts,
            ToolMedia,
            NamedToolChoice,
            NonJsonArguments,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            FileParts,
            FileUrls,
            VideoParts,
            AssistantImages,
            TopK,
            Seed,
            Penalties,
            Verbosity,
            User,
            PromptCacheKey,
        ],
        ..GENERIC
    },
    // DeepSeek treats "minimal" as low, "medium" and "xhigh" as high, "ultra" as max.
    Flavor {
        name: "deepseek",
        reasoning_history: ReasoningHistory::Field("reasoning_content"),
        reasoning_control: ReasoningControl::ThinkingAndEffort,
        effort_aliases: &[
            ("minimal", "low"),
            ("medium", "high"),
            ("xhigh", "high"),
            ("ultra", "max"),
        ],
        capabilities: &[
            NamedToolChoice,
            NonJsonArguments,
            StreamOptions,
            JsonObject,
            Penalties,
            User,
        ],
        ..GENERIC
    },
    // Answers 422 `extra_forbidden` to unknown fields, including `stream_options`.
    Flavor {
        name: "mistral",
        // "Unexpected role 'user' after role 'tool'"
        tool_to_user_filler: Some("Done."),
        seed_field: "random_seed",
        required_choice: "any",
        reasoning_history: ReasoningHistory::ThinkingParts,
        reasoning_control: ReasoningControl::None,
        capabilities: &[
            AssistantParts,
            ToolMessageName,
            NamedToolChoice,
            NonJsonArguments,
            ParallelToolCalls,
            JsonObject,
            JsonSchema,
            MultipleChoices,
            Seed,
            Penalties,
        ],
        ..GENERIC
    },
    // "property 'reasoning_content' is unsupported", and for most models "reasoning is not
    // supported with this model"; null values are rejected.
    Flavor {
        name: "groq",
        max_tokens_field: "max_completion_tokens",
        content_without_text: ContentWithoutText::Omitted,
        effort_aliases: &[
            ("minimal", "low"),
            ("xhigh", "high"),
            ("max", "high"),
            ("ultra", "high"),
        ],
        capabilities: &[
            NamedToolChoice,
            NonJsonArguments,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Seed,
            Penalties,
            User,
            ServiceTier,
        ],
        ..GENERIC
    },
    Flavor {
        name: "moonshot",
        reasoning_history: ReasoningHistory::Field("reasoning_content"),
        reasoning_control: ReasoningControl::Thinking,
        capabilities: &[
            NamedToolChoice,
            StreamOptions,
            JsonObject,
            MultipleChoices,
            Penalties,
            PromptCacheKey,
            User,
        ],
        ..GENERIC
    },
    // "Argument not supported on this model: presencePenalty", even when its value is 0.
    Flavor {
        name: "xai",
        effort_aliases: &[
            ("minimal", "low"),
            ("xhigh", "high"),
            ("max", "high"),
            ("ultra", "high"),
        ],
        capabilities: &[
            NamedToolChoice,
            NonJsonArguments,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            MultipleChoices,
            Seed,
            User,
        ],
        ..GENERIC
    },
    Flavor {
        name: "qwen",
        reasoning_history: ReasoningHistory::Field("reasoning_content"),
        reasoning_control: ReasoningControl::EnableThinking,
        capabilities: &[
            ToolMessageName,
            NamedToolChoice,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            VideoParts,
            MultipleChoices,
            TopK,
            Seed,
            Penalties,
        ],
        ..GENERIC
    },
    Flavor {
        name: "glm",
        reasoning_history: ReasoningHistory::Field("reasoning_content"),
        reasoning_control: ReasoningControl::Thinking,
        cache_breakpoint: CacheBreakpointSpelling::CacheControl,
        capabilities: &[SystemParts, NamedToolChoice, StreamOptions, JsonObject, VideoParts, User],
        ..GENERIC
    },
    // The server parses replayed arguments: a string that is not JSON raises an exception.
    Flavor {
        name: "vllm",
        content_without_text: ContentWithoutText::Null,
        reasoning_history: ReasoningHistory::Field("reasoning"),
        capabilities: &[
            NamedToolChoice,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            VideoParts,
            ThinkTags,
            MultipleChoices,
            TopK,
            Seed,
            Penalties,
            User,
        ],
        ..GENERIC
    },
    // "invalid message content type: <nil>" for a null content; "invalid tool call arguments".
    Flavor {
        name: "ollama",
        content_without_text: ContentWithoutText::Omitted,
        reasoning_history: ReasoningHistory::Field("reasoning"),
        capabilities: &[
            ToolMessageName,
            StreamOptions,
            JsonObject,
            JsonSchema,
            ThinkTags,
            Seed,
            Penalties,
        ],
        ..GENERIC
    },
    Flavor {
        name: "llama.cpp",
        content_without_text: ContentWithoutText::Null,
        reasoning_history: ReasoningHistory::Field("reasoning_content"),
        capabilities: &[
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            ThinkTags,
            MultipleChoices,
            TopK,
            Seed,
            Penalties,
        ],
        ..GENERIC
    },
    // "Invalid tool_choice type: 'object'"; "'response_format.type' must be 'json_schema' or 'text'".
    Flavor {
        name: "lm-studio",
        reasoning_history: ReasoningHistory::None,
        capabilities: &[StreamOptions, JsonSchema, ThinkTags, TopK, Seed, Penalties],
        ..GENERIC
    },
    Flavor { name: "azure", capabilities: OPENAI_CAPABILITIES, ..OPENAI },
    // "Unknown name \"frequency_penalty\": Cannot find field."
    Flavor {
        name: "gemini-compat",
        content_without_text: ContentWithoutText::Null,
        reasoning_history: ReasoningHistory::None,
        effort_aliases: &[("xhigh", "high"), ("max", "high"), ("ultra", "high")],
        capabilities: &[
            ToolMessageName,
            NamedToolChoice,
            ParallelToolCalls,
            StreamOptions,
            JsonObject,
            JsonSchema,
            GoogleSignature,
            MultipleChoices,
            PresencePenalty,
        ],
        ..GENERIC
    },
    Flavor {
        name: "cerebras",
        capabilities: &[
            DeveloperRole,
            ParallelToolCalls,
            StreamOptions,
            JsonSchema,
            ThinkTags,
            MultipleChoices,
            Seed,
            Penalties,
            User,
        ],
        ..GENERIC
    },
    // "messages.0.content: Input should be a valid string"
    Flavor { supports_user_parts: false, ..GENERIC },
];

const OPENAI_CAPABILITIES: &[Capability] = &[
    DeveloperRole,
    RefusalField,
    SystemParts,
    AssistantParts,
    ToolParts,
    NamedToolChoice,
    AllowedTools,
    CustomTools,
    NonJsonArguments,
    ParallelToolCalls,
    StreamOptions,
    JsonObject,
    JsonSchema,
    FileParts,
    MultipleChoices,
    Seed,
    Penalties,
    Verbosity,
    Metadata,
    User,
    ServiceTier,
    PromptCacheKey,
    Store,
];

const OPENAI: Flavor = Flavor {
    name: "",
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
    capabilities: &[],
};

/// The features that servers of this dialect have in common. An unknown server may be any of them:
/// some reject a named choice and `json_object`, others arguments that are not JSON, most of them
/// files.
const GENERIC: Flavor = Flavor {
    name: "generic",
    max_tokens_field: "max_tokens",
    content_without_text: ContentWithoutText::Empty,
    reasoning_history: ReasoningHistory::None,
    cache_breakpoint: CacheBreakpointSpelling::None,
    effort_aliases: &[],
    capabilities: &[
        ParallelToolCalls,
        StreamOptions,
        JsonSchema,
        ThinkTags,
        MultipleChoices,
        Seed,
        Penalties,
        User,
    ],
    ..OPENAI
};
