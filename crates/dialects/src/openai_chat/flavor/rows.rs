//! The rows.

use super::Skill::{
    AllowedTools, Answers, AnyArguments, AssistantImages, AssistantParts, CacheKey, CustomTools,
    Developer, FileUrls, Files, GoogleSignature, JsonObject, JsonSchema, Metadata, NamedChoice,
    Parallel, Penalties, PresencePenalty, Refusal, Seed, ServiceTier, Store, StreamOptions,
    SystemParts, ThinkTags, ToolMedia, ToolName, ToolParts, TopK, User, Verbosity, Video,
};
use super::{CacheMark, Control, Flavor, NoText, Reasoning, Skill};

/// The first row is the dialect as its inventor speaks it.
pub const FLAVORS: &[Flavor] = &[
    Flavor { name: "openai", skills: INVENTOR, ..BASE },
    Flavor {
        name: "openrouter",
        reasoning: Reasoning::Details,
        control: Control::Object,
        cache: CacheMark::Control,
        skills: &[
            Refusal,
            SystemParts,
            AssistantParts,
            ToolParts,
            ToolMedia,
            NamedChoice,
            AnyArguments,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Files,
            FileUrls,
            Video,
            AssistantImages,
            TopK,
            Seed,
            Penalties,
            Verbosity,
            User,
            CacheKey,
        ],
        ..COMPATIBLE
    },
    // "minimal" is read as low there, "medium" and "xhigh" as high, "ultra" as max.
    Flavor {
        name: "deepseek",
        reasoning: Reasoning::Field("reasoning_content"),
        control: Control::ThinkingAndEffort,
        efforts: &[("minimal", "low"), ("medium", "high"), ("xhigh", "high"), ("ultra", "max")],
        skills: &[NamedChoice, AnyArguments, StreamOptions, JsonObject, Penalties, User],
        ..COMPATIBLE
    },
    // Answers 422 `extra_forbidden` to fields it does not know, `stream_options` among them.
    Flavor {
        name: "mistral",
        // "Unexpected role 'user' after role 'tool'"
        bridge: Some("Done."),
        seed: "random_seed",
        required: "any",
        reasoning: Reasoning::Content,
        control: Control::None,
        skills: &[
            AssistantParts,
            ToolName,
            NamedChoice,
            AnyArguments,
            Parallel,
            JsonObject,
            JsonSchema,
            Answers,
            Seed,
            Penalties,
        ],
        ..COMPATIBLE
    },
    // "property 'reasoning_content' is unsupported", and for most models "reasoning is not supported
    // with this model"; null values are refused.
    Flavor {
        name: "groq",
        max_tokens: "max_completion_tokens",
        no_text: NoText::Omitted,
        efforts: &[("minimal", "low"), ("xhigh", "high"), ("max", "high"), ("ultra", "high")],
        skills: &[
            NamedChoice,
            AnyArguments,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Seed,
            Penalties,
            User,
            ServiceTier,
        ],
        ..COMPATIBLE
    },
    Flavor {
        name: "moonshot",
        reasoning: Reasoning::Field("reasoning_content"),
        control: Control::Thinking,
        skills: &[NamedChoice, StreamOptions, JsonObject, Answers, Penalties, CacheKey, User],
        ..COMPATIBLE
    },
    // "Argument not supported on this model: presencePenalty", even when its value is 0.
    Flavor {
        name: "xai",
        efforts: &[("minimal", "low"), ("xhigh", "high"), ("max", "high"), ("ultra", "high")],
        skills: &[
            NamedChoice,
            AnyArguments,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Answers,
            Seed,
            User,
        ],
        ..COMPATIBLE
    },
    Flavor {
        name: "qwen",
        reasoning: Reasoning::Field("reasoning_content"),
        control: Control::Enable,
        skills: &[
            ToolName,
            NamedChoice,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Video,
            Answers,
            TopK,
            Seed,
            Penalties,
        ],
        ..COMPATIBLE
    },
    Flavor {
        name: "glm",
        reasoning: Reasoning::Field("reasoning_content"),
        control: Control::Thinking,
        cache: CacheMark::Control,
        skills: &[SystemParts, NamedChoice, StreamOptions, JsonObject, Video, User],
        ..COMPATIBLE
    },
    // Replayed arguments are parsed there: a string that is not JSON raises.
    Flavor {
        name: "vllm",
        no_text: NoText::Null,
        reasoning: Reasoning::Field("reasoning"),
        skills: &[
            SystemParts,
            NamedChoice,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            Video,
            ThinkTags,
            Answers,
            TopK,
            Seed,
            Penalties,
            User,
        ],
        ..COMPATIBLE
    },
    // "invalid message content type: <nil>" for a null content; "invalid tool call arguments".
    Flavor {
        name: "ollama",
        no_text: NoText::Omitted,
        reasoning: Reasoning::Field("reasoning"),
        skills: &[ToolName, StreamOptions, JsonObject, JsonSchema, ThinkTags, Seed, Penalties],
        ..COMPATIBLE
    },
    Flavor {
        name: "llama.cpp",
        no_text: NoText::Null,
        reasoning: Reasoning::Field("reasoning_content"),
        skills: &[
            SystemParts,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            ThinkTags,
            Answers,
            TopK,
            Seed,
            Penalties,
        ],
        ..COMPATIBLE
    },
    // "Invalid tool_choice type: 'object'"; "'response_format.type' must be 'json_schema' or 'text'".
    Flavor {
        name: "lm-studio",
        reasoning: Reasoning::Nowhere,
        skills: &[StreamOptions, JsonSchema, ThinkTags, TopK, Seed, Penalties],
        ..COMPATIBLE
    },
    Flavor { name: "azure", skills: INVENTOR, ..BASE },
    // "Unknown name \"frequency_penalty\": Cannot find field."
    Flavor {
        name: "gemini-compat",
        no_text: NoText::Null,
        reasoning: Reasoning::Nowhere,
        efforts: &[("xhigh", "high"), ("max", "high"), ("ultra", "high")],
        skills: &[
            ToolName,
            NamedChoice,
            Parallel,
            StreamOptions,
            JsonObject,
            JsonSchema,
            GoogleSignature,
            Answers,
            PresencePenalty,
        ],
        ..COMPATIBLE
    },
    Flavor {
        name: "cerebras",
        skills: &[
            Developer,
            Parallel,
            StreamOptions,
            JsonSchema,
            ThinkTags,
            Answers,
            Seed,
            Penalties,
            User,
        ],
        ..COMPATIBLE
    },
    // "messages.0.content: Input should be a valid string"
    Flavor { lists: false, ..COMPATIBLE },
];

const INVENTOR: &[Skill] = &[
    Developer,
    Refusal,
    SystemParts,
    AssistantParts,
    ToolParts,
    NamedChoice,
    AllowedTools,
    CustomTools,
    AnyArguments,
    Parallel,
    StreamOptions,
    JsonObject,
    JsonSchema,
    Files,
    Answers,
    Seed,
    Penalties,
    Verbosity,
    Metadata,
    User,
    ServiceTier,
    CacheKey,
    Store,
];

const BASE: Flavor = Flavor {
    name: "",
    max_tokens: "max_completion_tokens",
    seed: "seed",
    required: "required",
    no_text: NoText::Null,
    lists: true,
    bridge: None,
    reasoning: Reasoning::Nowhere,
    control: Control::Effort,
    efforts: &[("ultra", "max")],
    cache: CacheMark::Breakpoint,
    skills: &[],
};

/// What servers that copy the dialect agree on. Who is not known may be any of them: one refuses a
/// named choice and `json_object`, others arguments that are not JSON, most of them files.
const COMPATIBLE: Flavor = Flavor {
    name: "generic",
    max_tokens: "max_tokens",
    no_text: NoText::Empty,
    reasoning: Reasoning::Nowhere,
    cache: CacheMark::None,
    efforts: &[],
    skills: &[Parallel, StreamOptions, JsonSchema, ThinkTags, Answers, Seed, Penalties, User],
    ..BASE
};
