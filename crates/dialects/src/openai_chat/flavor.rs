//! How each server that speaks this dialect speaks it, as data: one row per server.

/// The quirks of one server. A quirk is a field here, never a name asked for elsewhere.
#[derive(Debug)]
pub struct Flavor {
    pub name: &'static str,
    /// The field that limits the length of the answer.
    pub max_tokens: &'static str,
    pub seed: &'static str,
    /// The word of `tool_choice` for "some tool must be called".
    pub required: &'static str,
    /// The content of an assistant message that has calls and no text.
    pub no_text: NoText,
    pub reasoning: Reasoning,
    pub control: Control,
    /// Words of effort the server has other words for; the rest pass.
    pub efforts: &'static [(&'static str, &'static str)],
    pub cache: CacheMark,
    pub skills: &'static [Skill],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoText {
    Null,
    Empty,
    Omitted,
}

/// Where an assistant message of the history carries reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasoning {
    Nowhere,
    /// A string field of this name.
    Field(&'static str),
    /// The list `reasoning_details`, which carries seals of any issuer.
    Details,
    /// Chunks of type `thinking` in the content.
    Content,
}

/// How reasoning is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
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
    Enable,
}

/// How a cache breakpoint is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMark {
    None,
    /// `cache_control{type: ephemeral, ttl}`
    Control,
    /// `prompt_cache_breakpoint{mode: explicit, ttl}`, which only the newest models know: it is
    /// written for clients that wrote it.
    Breakpoint,
}

/// What a server can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skill {
    /// The role `developer`.
    Developer,
    /// Lists of parts where a string would do, by role.
    SystemParts,
    AssistantParts,
    ToolParts,
    /// `name` on tool messages.
    ToolName,
    /// `tool_choice` with the name of one tool, or with a list of them.
    NamedChoice,
    AllowedTools,
    CustomTools,
    /// Arguments in the history that are not JSON.
    AnyArguments,
    Parallel,
    StreamOptions,
    JsonObject,
    JsonSchema,
    /// `file` parts; file data given by its URL.
    Files,
    FileUrls,
    Video,
    /// `refusal` on assistant messages, and `images`.
    Refusal,
    AssistantImages,
    /// `extra_content.google.thought_signature`
    GoogleSignature,
    /// Replies may begin with reasoning in `<think>` tags.
    ThinkTags,
    Answers,
    TopK,
    Seed,
    Penalties,
    Verbosity,
    Metadata,
    User,
    ServiceTier,
    CacheKey,
    Store,
}

impl Flavor {
    /// The row of this name; the first row for none, and for a name nobody knows.
    pub fn find(name: Option<&str>) -> &'static Flavor {
        let found = FLAVORS.iter().find(|flavor| Some(flavor.name) == name);
        found.unwrap_or(&FLAVORS[0])
    }

    pub fn can(&self, skill: Skill) -> bool {
        self.skills.contains(&skill)
    }

    /// The server's word for an effort.
    pub fn effort(&self, word: &str) -> Option<&'static str> {
        self.efforts.iter().find(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours)
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

use Skill::{
    AllowedTools, Answers, AnyArguments, AssistantImages, AssistantParts, CacheKey, CustomTools,
    Developer, FileUrls, Files, GoogleSignature, JsonObject, JsonSchema, Metadata, NamedChoice,
    Parallel, Penalties, Refusal, Seed, ServiceTier, Store, StreamOptions, SystemParts, ThinkTags,
    ToolName, ToolParts, TopK, User, Verbosity, Video,
};

/// The first row is the dialect as its inventor speaks it.
pub static FLAVORS: &[Flavor] = ROWS;

const ROWS: &[Flavor] = &[
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
    // "property 'reasoning_content' is unsupported": only `reasoning`; null values are refused.
    Flavor {
        name: "groq",
        max_tokens: "max_completion_tokens",
        no_text: NoText::Omitted,
        reasoning: Reasoning::Field("reasoning"),
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
        no_text: NoText::Null,
        reasoning: Reasoning::Field("reasoning_content"),
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
            Seed,
            Penalties,
        ],
        ..COMPATIBLE
    },
    COMPATIBLE,
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
    reasoning: Reasoning::Nowhere,
    control: Control::Effort,
    efforts: &[("ultra", "max")],
    cache: CacheMark::Breakpoint,
    skills: &[],
};

/// What servers that copy the dialect mostly agree on.
const COMPATIBLE: Flavor = Flavor {
    name: "generic",
    max_tokens: "max_tokens",
    no_text: NoText::Empty,
    reasoning: Reasoning::Nowhere,
    cache: CacheMark::None,
    efforts: &[],
    skills: &[
        NamedChoice,
        AnyArguments,
        Parallel,
        StreamOptions,
        JsonObject,
        JsonSchema,
        Files,
        ThinkTags,
        Answers,
        Seed,
        Penalties,
        User,
    ],
    ..BASE
};
