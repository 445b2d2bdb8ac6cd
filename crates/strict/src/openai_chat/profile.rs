//! Profiles of model generations: the settings and features that each accepts.
//!
//! An unknown model gets the newest profile of its server: features that only some models reject,
//! such as a temperature, are not rejected for unknown names.

use crate::Request;

#[derive(Debug)]
pub(super) struct Profile {
    pub flags: &'static [ModelFlag],
    pub thinking: ReasoningDefault,
    pub temperature: TemperatureSupport,
    pub tools_with_effort: ToolsWithEffort,
    /// Accepted effort levels; `None` if they are not known.
    pub efforts: Option<&'static [&'static str]>,
    /// Maximum length of a call id.
    pub max_call_id_length: Option<usize>,
    /// Maximum length of a tool description.
    pub max_description_length: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelFlag {
    /// Reasons before replying, and rejects the sampling parameters of other models.
    Reasoning,
    /// Accepts `reasoning_effort`.
    ReasoningEffort,
    /// Reasons only if an effort is set.
    ReasonsOnlyWithEffort,
    /// Rejects `parallel_tool_calls`.
    NoParallelToolCalls,
    NoStop,
    /// Rejects unknown parameters with `Unrecognized request argument supplied`.
    LegacyUnknownFieldError,
    /// Accepts `null` as content.
    NullContent,
    /// Ignores images outside user messages instead of rejecting them.
    ImagesInAnyRole,
    CacheBreakpoints,
    /// Rejects images.
    TextOnly,
    /// Error messages name the index of the message without reasoning.
    LegacyMissingReasoningError,
    NineCharacterIds,
    /// An assistant message has text or calls, not both.
    TextOrCalls,
    /// Rejects reasoning in messages.
    NoReasoningInput,
    /// Signs the first call of a step and requires the signature back.
    SignedCalls,
    /// Does not support forced tool calls.
    NoRequiredToolChoice,
}

/// Whether a model reasons by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningDefault {
    Never,
    OptIn,
    OptOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemperatureSupport {
    Any,
    /// Only 1, the default.
    DefaultOnly,
    /// The parameter is rejected, even with its default.
    Unsupported,
    /// From 0 to 1.
    UpToOne,
}

/// Whether function tools are supported together with `reasoning_effort`, or only in the Responses
/// API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolsWithEffort {
    Accepted,
    /// Rejected if an effort is set.
    RejectedWhenSet,
    /// Rejected unless the effort is `none`.
    RejectedUnlessNone,
}

struct ProfileRow {
    flavors: &'static [&'static str],
    /// Prefixes of model names without the vendor; after `*`, substrings.
    model_patterns: &'static [&'static str],
    profile: Profile,
}

impl Profile {
    pub(super) fn for_request(request: &Request<'_>) -> &'static Profile {
        let name = request.model.rsplit('/').next().unwrap_or_default();
        let flavor = super::flavor::canonical(request.flavor);
        let is_first_party = super::flavor::FIRST_PARTY.contains(&flavor);
        if let Some(generation) = generation(name).filter(|_| is_first_party) {
            let profile_row = OPENAI_GENERATIONS.iter().find(|(from, _)| *from <= generation);
            return profile_row.map_or(&NEWEST, |(_, profile)| profile);
        }
        let profile_row = PROFILES.iter().find(|row| {
            row.flavors.contains(&flavor)
                && (row.model_patterns.is_empty()
                    || row.model_patterns.iter().any(|model| matches_pattern(name, model)))
        });
        profile_row.map_or(&NEWEST, |row| &row.profile)
    }

    pub(super) fn has(&self, flag: ModelFlag) -> bool {
        self.flags.contains(&flag)
    }
}

fn matches_pattern(model: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(part) => model.contains(part),
        None => model.starts_with(pattern),
    }
}

/// The `5.4` of `gpt-5.4-mini`.
fn generation(model: &str) -> Option<(u32, u32)> {
    let rest = model.strip_prefix("gpt-")?;
    if rest.contains("-chat") {
        return Some((4, 1));
    }
    let count_digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (major, rest) = rest.split_at(count_digits(rest));
    let minor = rest.strip_prefix('.').map_or("", |rest| &rest[..count_digits(rest)]);
    let minor = if minor.is_empty() { "0" } else { minor };
    Some((major.parse().ok()?, minor.parse().ok()?))
}

const NEWEST: Profile = Profile {
    flags: &[
        ModelFlag::NullContent,
        ModelFlag::ImagesInAnyRole,
        ModelFlag::CacheBreakpoints,
        ModelFlag::ReasoningEffort,
        ModelFlag::SignedCalls,
    ],
    thinking: ReasoningDefault::OptIn,
    temperature: TemperatureSupport::Any,
    tools_with_effort: ToolsWithEffort::Accepted,
    efforts: None,
    max_call_id_length: Some(64),
    max_description_length: None,
};

/// Reasoning models before the newest.
const REASONING: Profile = Profile {
    flags: &[ModelFlag::Reasoning, ModelFlag::ReasoningEffort, ModelFlag::NoStop],
    temperature: TemperatureSupport::DefaultOnly,
    max_call_id_length: Some(40),
    ..NEWEST
};
const REASONING_WITH_IMAGES: &[ModelFlag] = &[
    ModelFlag::Reasoning,
    ModelFlag::ReasoningEffort,
    ModelFlag::NoStop,
    ModelFlag::ImagesInAnyRole,
];
const OPT_IN_REASONING_WITH_IMAGES: &[ModelFlag] = &[
    ModelFlag::Reasoning,
    ModelFlag::ReasonsOnlyWithEffort,
    ModelFlag::ReasoningEffort,
    ModelFlag::NoStop,
    ModelFlag::ImagesInAnyRole,
];

/// `OpenAI`'s models, the newest first.
static OPENAI_GENERATIONS: &[((u32, u32), Profile)] = &[
    (
        (5, 6),
        Profile {
            flags: &[
                ModelFlag::Reasoning,
                ModelFlag::ReasoningEffort,
                ModelFlag::NoStop,
                ModelFlag::ImagesInAnyRole,
                ModelFlag::NullContent,
                ModelFlag::CacheBreakpoints,
            ],
            tools_with_effort: ToolsWithEffort::RejectedUnlessNone,
            efforts: Some(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
            max_call_id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 5),
        Profile {
            flags: REASONING_WITH_IMAGES,
            tools_with_effort: ToolsWithEffort::RejectedWhenSet,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            max_call_id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 4),
        Profile {
            flags: OPT_IN_REASONING_WITH_IMAGES,
            tools_with_effort: ToolsWithEffort::RejectedWhenSet,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            max_call_id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 2),
        Profile {
            flags: OPT_IN_REASONING_WITH_IMAGES,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            max_call_id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 1),
        Profile {
            flags: &[
                ModelFlag::Reasoning,
                ModelFlag::ReasonsOnlyWithEffort,
                ModelFlag::ReasoningEffort,
                ModelFlag::NoStop,
            ],
            efforts: Some(&["none", "low", "medium", "high"]),
            ..REASONING
        },
    ),
    ((5, 0), Profile { efforts: Some(&["minimal", "low", "medium", "high"]), ..REASONING }),
    (
        (4, 1),
        Profile {
            flags: &[ModelFlag::LegacyUnknownFieldError],
            max_call_id_length: Some(40),
            ..NEWEST
        },
    ),
    (
        (0, 0),
        Profile {
            flags: &[ModelFlag::LegacyUnknownFieldError],
            max_call_id_length: Some(40),
            max_description_length: Some(1024),
            ..NEWEST
        },
    ),
];

const THIRD_PARTY: Profile =
    Profile { flags: &[ModelFlag::NullContent], max_call_id_length: None, ..NEWEST };

/// All other models; the first matching row counts.
static PROFILES: &[ProfileRow] = &[
    ProfileRow {
        flavors: super::flavor::FIRST_PARTY,
        model_patterns: &["o1", "o3", "o4"],
        profile: Profile {
            flags: &[
                ModelFlag::Reasoning,
                ModelFlag::ReasoningEffort,
                ModelFlag::NoStop,
                ModelFlag::NoParallelToolCalls,
            ],
            temperature: TemperatureSupport::Unsupported,
            efforts: Some(&["low", "medium", "high"]),
            ..REASONING
        },
    },
    ProfileRow {
        flavors: &["generic"],
        model_patterns: &[],
        profile: Profile { flags: &[], max_call_id_length: Some(40), ..NEWEST },
    },
    ProfileRow {
        flavors: &["deepseek"],
        model_patterns: &["deepseek-vl", "deepseek-ocr", "*vision"],
        profile: Profile { thinking: ReasoningDefault::OptOut, ..THIRD_PARTY },
    },
    ProfileRow {
        flavors: &["deepseek"],
        model_patterns: &["deepseek-chat", "deepseek-v3"],
        profile: Profile {
            flags: &[ModelFlag::TextOnly, ModelFlag::LegacyMissingReasoningError],
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["deepseek"],
        model_patterns: &["deepseek-reasoner"],
        profile: Profile {
            flags: &[ModelFlag::TextOnly, ModelFlag::LegacyMissingReasoningError],
            thinking: ReasoningDefault::OptOut,
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["deepseek"],
        model_patterns: &[],
        profile: Profile {
            flags: &[ModelFlag::TextOnly],
            thinking: ReasoningDefault::OptOut,
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["mistral"],
        model_patterns: &["open-mistral", "open-mixtral", "mistral-tiny", "*-2402", "*-2403"],
        profile: Profile {
            flags: &[ModelFlag::NineCharacterIds, ModelFlag::TextOrCalls],
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["mistral"],
        model_patterns: &[
            "*-2405",
            "*-2407",
            "*-2409",
            "*-2410",
            "*-2411",
            "*-2501",
            "*-2503",
            "*-2505",
            "pixtral",
            "codestral-mamba",
        ],
        profile: Profile { flags: &[ModelFlag::NineCharacterIds], ..THIRD_PARTY },
    },
    ProfileRow {
        flavors: &["groq"],
        model_patterns: &["qwen3"],
        profile: Profile { efforts: Some(&["none", "default"]), ..NEWEST },
    },
    ProfileRow {
        flavors: &["groq"],
        model_patterns: &["gpt-oss"],
        profile: Profile { efforts: Some(&["low", "medium", "high"]), ..NEWEST },
    },
    ProfileRow {
        flavors: &["groq"],
        model_patterns: &[
            "llama",
            "meta-llama",
            "gemma",
            "mixtral",
            "mistral",
            "allam",
            "kimi-k2-instruct",
        ],
        profile: Profile {
            flags: &[ModelFlag::NullContent, ModelFlag::NoReasoningInput],
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["moonshot"],
        model_patterns: &["moonshot-v1", "kimi-k2-0", "kimi-k2-turbo", "kimi-latest"],
        profile: Profile {
            flags: &[ModelFlag::NullContent, ModelFlag::NoRequiredToolChoice],
            thinking: ReasoningDefault::Never,
            temperature: TemperatureSupport::UpToOne,
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["moonshot"],
        model_patterns: &[],
        profile: Profile {
            thinking: ReasoningDefault::OptOut,
            temperature: TemperatureSupport::DefaultOnly,
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["qwen"],
        model_patterns: &["*-instruct", "qwen3-coder"],
        profile: Profile { thinking: ReasoningDefault::Never, ..THIRD_PARTY },
    },
    ProfileRow {
        flavors: &["qwen"],
        model_patterns: &[
            "*-thinking",
            "qwq",
            "qwen3-0.6b",
            "qwen3-1.7b",
            "qwen3-4b",
            "qwen3-8b",
            "qwen3-14b",
            "qwen3-32b",
            "qwen3-30b",
            "qwen3-235b",
        ],
        profile: Profile { thinking: ReasoningDefault::OptOut, ..THIRD_PARTY },
    },
    ProfileRow {
        flavors: &["xai"],
        model_patterns: &[
            "grok-3-mini",
            "grok-4.3",
            "grok-4.5",
            "grok-4.6",
            "grok-4.20-multi-agent",
        ],
        profile: Profile {
            flags: &[ModelFlag::NullContent, ModelFlag::Reasoning, ModelFlag::ReasoningEffort],
            ..THIRD_PARTY
        },
    },
    ProfileRow {
        flavors: &["xai"],
        model_patterns: &["grok-2", "grok-3", "*non-reasoning"],
        profile: THIRD_PARTY,
    },
    ProfileRow {
        flavors: &["xai"],
        model_patterns: &[],
        profile: Profile { flags: &[ModelFlag::NullContent, ModelFlag::Reasoning], ..THIRD_PARTY },
    },
    ProfileRow {
        flavors: &["gemini-compat", "openrouter"],
        model_patterns: &["gemini-1", "gemini-2", "gemma", "gemini-3-pro-image"],
        profile: THIRD_PARTY,
    },
    ProfileRow {
        flavors: &["gemini-compat", "openrouter"],
        model_patterns: &[],
        profile: Profile {
            flags: &[ModelFlag::NullContent, ModelFlag::SignedCalls],
            ..THIRD_PARTY
        },
    },
];
