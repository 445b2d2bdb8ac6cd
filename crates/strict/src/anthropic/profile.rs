//! Profiles of Claude generations: the settings and features that each accepts.

use crate::Request;

/// One generation, or several with equal behaviour.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a data row of independent flags")]
pub struct Profile {
    /// Substrings of model names, with dashes for dots. The first matching row wins.
    name_parts: &'static [&'static str],
    /// The model's behaviour if `thinking` is not set.
    pub default_thinking: ThinkingMode,
    /// Accepts a thinking budget.
    pub manual_thinking: bool,
    pub adaptive_thinking: bool,
    pub disabled_thinking: DisabledThinking,
    /// Rejects the highest efforts while thinking is off.
    pub caps_effort_when_off: bool,
    /// Accepted efforts; empty if the parameter itself is rejected.
    pub efforts: &'static [&'static str],
    /// Whether `tool_choice` may force a call.
    pub forced_tool_choice: bool,
    pub sampling: SamplingSupport,
    /// Rejects calls and results in a request without tools.
    pub calls_need_tools: bool,
    /// Whether the conversation may end with an assistant message.
    pub prefill: bool,
    /// Whether `messages` may contain system messages.
    pub system_messages: bool,
    /// Whether signatures are bound to everything before them.
    pub prefix_binding: bool,
    /// Whether other models' thinking is dropped silently instead of rejected.
    pub drops_foreign_thinking: bool,
    pub max_output_tokens: u64,
    pub context_window: u64,
    /// Rejects a request if its input and `max_tokens` together exceed the context window.
    pub context_includes_output: bool,
    /// How many tools a compaction summary can record.
    pub compaction_tools: usize,
    /// How many tools may be available at the same time where messages change them.
    pub available_tools: usize,
}

/// The thinking mode of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingMode {
    Off,
    Manual,
    Adaptive,
    BetweenTools,
}

/// How a model handles a request that turns thinking off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledThinking {
    Accepted,
    /// The error points to a thinking budget.
    RejectedForBudget,
    /// The error points to the effort.
    RejectedForEffort,
    /// The error points to thinking between tools.
    RejectedForBetweenTools,
}

/// Which of `temperature`, `top_p` and `top_k` may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingSupport {
    Any,
    /// Not `temperature` and `top_p` together.
    TemperatureOrTopP,
    /// Only to their defaults.
    DefaultsOnly,
}

/// The profile of a model; unknown models get the newest generation's.
pub fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase().replace('.', "-");
    let found = PROFILES.iter().find(|row| row.name_parts.iter().any(|part| model.contains(part)));
    found.unwrap_or(&NEWEST)
}

impl Profile {
    /// Whether thinking text is returned by default; newer models omit it.
    pub fn shows_thinking(&self) -> bool {
        self.manual_thinking
    }
}

/// The model name in a seal: the known part of the name, or else the whole name.
pub fn family(model: &str) -> String {
    let model = model.to_lowercase().replace('.', "-");
    let found = families().find(|part| model.contains(part));
    found.map_or(model, str::to_owned)
}

/// The known parts of model names, the more specific first.
pub fn families() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().flat_map(|row| row.name_parts.iter().copied())
}

/// Whether the API has the model: other vendors' models are not found.
pub(super) fn is_known(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    !name.is_empty() && !UNKNOWN_MODEL_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The thinking mode of this request, explicit or the model's default.
pub fn thinking_mode(request: &Request<'_>) -> ThinkingMode {
    match request.body.pointer("/thinking/type").and_then(|kind| kind.as_str()) {
        Some("enabled") => ThinkingMode::Manual,
        Some("adaptive") => ThinkingMode::Adaptive,
        Some("between_tools") => ThinkingMode::BetweenTools,
        Some(_) => ThinkingMode::Off,
        None => profile(request.model).default_thinking,
    }
}

const NEWEST: Profile = Profile { name_parts: &[], ..OPUS_5_5 };

static PROFILES: &[Profile] = &[
    Profile { name_parts: &["fable-5-2", "mythos-5-2"], ..FABLE_5_1 },
    FABLE_5_1,
    OPUS_5_5,
    Profile {
        name_parts: &["sonnet-5-5"],
        disabled_thinking: DisabledThinking::RejectedForBetweenTools,
        caps_effort_when_off: true,
        ..OPUS_5_5
    },
    Profile {
        name_parts: &["haiku-5-5"],
        disabled_thinking: DisabledThinking::Accepted,
        caps_effort_when_off: true,
        forced_tool_choice: true,
        ..OPUS_5_5
    },
    Profile { name_parts: &["mythos-preview"], forced_tool_choice: false, ..FABLE_5 },
    FABLE_5,
    Profile {
        name_parts: &["opus-5"],
        disabled_thinking: DisabledThinking::Accepted,
        caps_effort_when_off: true,
        ..FABLE_5
    },
    Profile {
        name_parts: &["sonnet-5"],
        disabled_thinking: DisabledThinking::Accepted,
        system_messages: false,
        ..FABLE_5
    },
    Profile { name_parts: &["opus-4-8"], system_messages: true, ..OPUS_4_7 },
    OPUS_4_7,
    Profile {
        name_parts: &["opus-4-6", "sonnet-4-6"],
        manual_thinking: true,
        efforts: &["low", "medium", "high", "max"],
        sampling: SamplingSupport::TemperatureOrTopP,
        ..OPUS_4_7
    },
    Profile { name_parts: &["opus-4-5"], efforts: &["low", "medium", "high"], ..CLAUDE_4_5 },
    Profile { name_parts: &["sonnet-4-5", "haiku-4-5"], ..CLAUDE_4_5 },
    Profile {
        name_parts: &["opus-4", "4-opus"],
        calls_need_tools: true,
        sampling: SamplingSupport::Any,
        max_output_tokens: 32_000,
        context_includes_output: true,
        ..CLAUDE_4_5
    },
    Profile {
        name_parts: &["sonnet-4", "4-sonnet", "3-7-sonnet"],
        calls_need_tools: true,
        sampling: SamplingSupport::Any,
        context_includes_output: true,
        ..CLAUDE_4_5
    },
    Profile {
        name_parts: &["3-5-sonnet", "3-5-haiku"],
        calls_need_tools: true,
        sampling: SamplingSupport::Any,
        max_output_tokens: 8_192,
        context_includes_output: true,
        ..CLAUDE_4_5
    },
    Profile {
        name_parts: &["claude-3-"],
        calls_need_tools: true,
        sampling: SamplingSupport::Any,
        max_output_tokens: 4_096,
        context_includes_output: true,
        ..CLAUDE_4_5
    },
];

const OPUS_5_5: Profile = Profile {
    name_parts: &["opus-5-5"],
    disabled_thinking: DisabledThinking::RejectedForEffort,
    forced_tool_choice: false,
    prefix_binding: true,
    drops_foreign_thinking: true,
    ..FABLE_5
};

const FABLE_5_1: Profile = Profile {
    name_parts: &["fable-5-1", "mythos-5-1"],
    forced_tool_choice: false,
    prefix_binding: true,
    drops_foreign_thinking: true,
    ..FABLE_5
};

const FABLE_5: Profile = Profile {
    name_parts: &["fable-5", "mythos-5"],
    default_thinking: ThinkingMode::Adaptive,
    disabled_thinking: DisabledThinking::RejectedForBudget,
    system_messages: true,
    ..OPUS_4_7
};

const OPUS_4_7: Profile = Profile {
    name_parts: &["opus-4-7"],
    manual_thinking: false,
    adaptive_thinking: true,
    efforts: &["low", "medium", "high", "xhigh", "max"],
    sampling: SamplingSupport::DefaultsOnly,
    prefill: false,
    max_output_tokens: 128_000,
    context_window: 1_000_000,
    ..CLAUDE_4_5
};

/// The 4.5 generation, from which the other profiles are derived.
const CLAUDE_4_5: Profile = Profile {
    name_parts: &[],
    default_thinking: ThinkingMode::Off,
    manual_thinking: true,
    adaptive_thinking: false,
    disabled_thinking: DisabledThinking::Accepted,
    caps_effort_when_off: false,
    efforts: &[],
    forced_tool_choice: true,
    calls_need_tools: false,
    sampling: SamplingSupport::TemperatureOrTopP,
    prefill: true,
    system_messages: false,
    prefix_binding: false,
    drops_foreign_thinking: false,
    max_output_tokens: 64_000,
    context_window: 200_000,
    context_includes_output: false,
    compaction_tools: 1_000,
    available_tools: 10_000,
};

/// Prefixes of other vendors' and retired models.
const UNKNOWN_MODEL_PREFIXES: &[&str] = &[
    "gpt-",
    "chatgpt-",
    "o1",
    "o3",
    "o4-",
    "gemini-",
    "gemma-",
    "mistral-",
    "codestral-",
    "llama-",
    "deepseek-",
    "qwen",
    "kimi-",
    "glm-",
    "grok-",
    "claude-1",
    "claude-2",
    "claude-instant",
];
