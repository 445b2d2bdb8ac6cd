//! What each generation of models accepts, as rows.
//!
//! A model of no row has the newest shape of its server; what only some models refuse, such as a
//! temperature, is not refused for a name that nobody knows.

use crate::Request;

#[derive(Debug)]
pub(super) struct Profile {
    pub traits: &'static [Trait],
    pub thinks: Thinks,
    pub temperature: Temperature,
    pub tools_with_effort: ToolsWithEffort,
    /// The words of effort the model knows; `None` where that is not known.
    pub efforts: Option<&'static [&'static str]>,
    /// How long the id of a call may be.
    pub id_length: Option<usize>,
    /// How long the description of a tool may be.
    pub description_length: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trait {
    /// Reasons before it answers, and knows no parameters of those that do not.
    Reasons,
    /// Knows `reasoning_effort`.
    TakesEffort,
    /// Reasons only where an effort is asked for.
    RestsUnasked,
    /// Does not let anybody say whether calls are made side by side.
    ParallelRefused,
    StopRefused,
    /// Says `Unrecognized request argument supplied` of unknown parameters.
    OldWords,
    /// Takes `null` for a content.
    NullContent,
    /// Ignores images outside the user's messages rather than refuse them.
    ImagesAnywhere,
    CacheBreakpoints,
    /// Sees no images.
    TextOnly,
    /// Names the message that lacks its reasoning.
    OldThinkingWords,
    NineCharacterIds,
    /// An assistant message has text or calls, not both.
    TextOrCalls,
    /// Takes no reasoning back.
    ReasoningRefused,
    /// Signs the first call of a step and wants the signature back.
    SignedCalls,
    /// Cannot be made to call a tool.
    NoRequiredChoice,
}

/// When a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinks {
    Never,
    WhenAsked,
    UnlessTold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temperature {
    Any,
    /// Only 1, which is the default.
    Default,
    /// Not even the default.
    Never,
    /// From 0 to 1.
    UpToOne,
}

/// Whether function tools go with `reasoning_effort` here rather than in the newer API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolsWithEffort {
    Accepted,
    /// Refused if an effort is asked for.
    RefusedWhenSet,
    /// Refused even if none is asked for, unless it is `none`.
    RefusedUnlessNone,
}

struct Row {
    flavors: &'static [&'static str],
    /// How the model's name begins, its vendor aside; after `*` stands what it contains.
    models: &'static [&'static str],
    profile: Profile,
}

impl Profile {
    pub(super) fn of(request: &Request<'_>) -> &'static Profile {
        let named = request.model.rsplit('/').next().unwrap_or_default();
        let flavor = super::flavor::canonical(request.flavor);
        let inventors = super::flavor::INVENTOR.contains(&flavor);
        if let Some(generation) = generation(named).filter(|_| inventors) {
            let found = GENERATIONS.iter().find(|(from, _)| *from <= generation);
            return found.map_or(&NEWEST, |(_, profile)| profile);
        }
        let found = ROWS.iter().find(|row| {
            row.flavors.contains(&flavor)
                && (row.models.is_empty() || row.models.iter().any(|model| fits(named, model)))
        });
        found.map_or(&NEWEST, |row| &row.profile)
    }

    pub(super) fn has(&self, one: Trait) -> bool {
        self.traits.contains(&one)
    }
}

fn fits(model: &str, pattern: &str) -> bool {
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
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (major, rest) = rest.split_at(digits(rest));
    let minor = rest.strip_prefix('.').map_or("", |rest| &rest[..digits(rest)]);
    let minor = if minor.is_empty() { "0" } else { minor };
    Some((major.parse().ok()?, minor.parse().ok()?))
}

const NEWEST: Profile = Profile {
    traits: &[
        Trait::NullContent,
        Trait::ImagesAnywhere,
        Trait::CacheBreakpoints,
        Trait::TakesEffort,
        Trait::SignedCalls,
    ],
    thinks: Thinks::WhenAsked,
    temperature: Temperature::Any,
    tools_with_effort: ToolsWithEffort::Accepted,
    efforts: None,
    id_length: Some(64),
    description_length: None,
};

/// Reasons, and is not the newest.
const REASONING: Profile = Profile {
    traits: &[Trait::Reasons, Trait::TakesEffort, Trait::StopRefused],
    temperature: Temperature::Default,
    id_length: Some(40),
    ..NEWEST
};
const SEEING: &[Trait] =
    &[Trait::Reasons, Trait::TakesEffort, Trait::StopRefused, Trait::ImagesAnywhere];
const SEEING_AT_REST: &[Trait] = &[
    Trait::Reasons,
    Trait::RestsUnasked,
    Trait::TakesEffort,
    Trait::StopRefused,
    Trait::ImagesAnywhere,
];

/// The inventor's models, the newest first.
static GENERATIONS: &[((u32, u32), Profile)] = &[
    (
        (5, 6),
        Profile {
            traits: &[
                Trait::Reasons,
                Trait::TakesEffort,
                Trait::StopRefused,
                Trait::ImagesAnywhere,
                Trait::NullContent,
                Trait::CacheBreakpoints,
            ],
            tools_with_effort: ToolsWithEffort::RefusedUnlessNone,
            efforts: Some(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
            id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 5),
        Profile {
            traits: SEEING,
            tools_with_effort: ToolsWithEffort::RefusedWhenSet,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 4),
        Profile {
            traits: SEEING_AT_REST,
            tools_with_effort: ToolsWithEffort::RefusedWhenSet,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 2),
        Profile {
            traits: SEEING_AT_REST,
            efforts: Some(&["none", "low", "medium", "high", "xhigh"]),
            id_length: Some(64),
            ..REASONING
        },
    ),
    (
        (5, 1),
        Profile {
            traits: &[Trait::Reasons, Trait::RestsUnasked, Trait::TakesEffort, Trait::StopRefused],
            efforts: Some(&["none", "low", "medium", "high"]),
            ..REASONING
        },
    ),
    ((5, 0), Profile { efforts: Some(&["minimal", "low", "medium", "high"]), ..REASONING }),
    ((4, 1), Profile { traits: &[Trait::OldWords], id_length: Some(40), ..NEWEST }),
    (
        (0, 0),
        Profile {
            traits: &[Trait::OldWords],
            id_length: Some(40),
            description_length: Some(1024),
            ..NEWEST
        },
    ),
];

const PLAIN: Profile = Profile { traits: &[Trait::NullContent], id_length: None, ..NEWEST };

/// All other models; the first row that fits counts.
static ROWS: &[Row] = &[
    Row {
        flavors: super::flavor::INVENTOR,
        models: &["o1", "o3", "o4"],
        profile: Profile {
            traits: &[
                Trait::Reasons,
                Trait::TakesEffort,
                Trait::StopRefused,
                Trait::ParallelRefused,
            ],
            temperature: Temperature::Never,
            efforts: Some(&["low", "medium", "high"]),
            ..REASONING
        },
    },
    Row {
        flavors: &["generic"],
        models: &[],
        profile: Profile { traits: &[], id_length: Some(40), ..NEWEST },
    },
    Row {
        flavors: &["deepseek"],
        models: &["deepseek-vl", "deepseek-ocr", "*vision"],
        profile: Profile { thinks: Thinks::UnlessTold, ..PLAIN },
    },
    Row {
        flavors: &["deepseek"],
        models: &["deepseek-chat", "deepseek-v3"],
        profile: Profile { traits: &[Trait::TextOnly, Trait::OldThinkingWords], ..PLAIN },
    },
    Row {
        flavors: &["deepseek"],
        models: &["deepseek-reasoner"],
        profile: Profile {
            traits: &[Trait::TextOnly, Trait::OldThinkingWords],
            thinks: Thinks::UnlessTold,
            ..PLAIN
        },
    },
    Row {
        flavors: &["deepseek"],
        models: &[],
        profile: Profile { traits: &[Trait::TextOnly], thinks: Thinks::UnlessTold, ..PLAIN },
    },
    Row {
        flavors: &["mistral"],
        models: &["open-mistral", "open-mixtral", "mistral-tiny", "*-2402", "*-2403"],
        profile: Profile { traits: &[Trait::NineCharacterIds, Trait::TextOrCalls], ..PLAIN },
    },
    Row {
        flavors: &["mistral"],
        models: &[
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
        profile: Profile { traits: &[Trait::NineCharacterIds], ..PLAIN },
    },
    Row {
        flavors: &["groq"],
        models: &["qwen3"],
        profile: Profile { efforts: Some(&["none", "default"]), ..NEWEST },
    },
    Row {
        flavors: &["groq"],
        models: &["gpt-oss"],
        profile: Profile { efforts: Some(&["low", "medium", "high"]), ..NEWEST },
    },
    Row {
        flavors: &["groq"],
        models: &[
            "llama",
            "meta-llama",
            "gemma",
            "mixtral",
            "mistral",
            "allam",
            "kimi-k2-instruct",
        ],
        profile: Profile { traits: &[Trait::NullContent, Trait::ReasoningRefused], ..PLAIN },
    },
    Row {
        flavors: &["moonshot"],
        models: &["moonshot-v1", "kimi-k2-0", "kimi-k2-turbo", "kimi-latest"],
        profile: Profile {
            traits: &[Trait::NullContent, Trait::NoRequiredChoice],
            thinks: Thinks::Never,
            temperature: Temperature::UpToOne,
            ..PLAIN
        },
    },
    Row {
        flavors: &["moonshot"],
        models: &[],
        profile: Profile { thinks: Thinks::UnlessTold, temperature: Temperature::Default, ..PLAIN },
    },
    Row {
        flavors: &["qwen"],
        models: &["*-instruct", "qwen3-coder"],
        profile: Profile { thinks: Thinks::Never, ..PLAIN },
    },
    Row {
        flavors: &["qwen"],
        models: &[
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
        profile: Profile { thinks: Thinks::UnlessTold, ..PLAIN },
    },
    Row {
        flavors: &["xai"],
        models: &["grok-3-mini", "grok-4.3", "grok-4.5", "grok-4.6", "grok-4.20-multi-agent"],
        profile: Profile {
            traits: &[Trait::NullContent, Trait::Reasons, Trait::TakesEffort],
            ..PLAIN
        },
    },
    Row { flavors: &["xai"], models: &["grok-2", "grok-3", "*non-reasoning"], profile: PLAIN },
    Row {
        flavors: &["xai"],
        models: &[],
        profile: Profile { traits: &[Trait::NullContent, Trait::Reasons], ..PLAIN },
    },
    Row {
        flavors: &["gemini-compat", "openrouter"],
        models: &["gemini-1", "gemini-2", "gemma", "gemini-3-pro-image"],
        profile: PLAIN,
    },
    Row {
        flavors: &["gemini-compat", "openrouter"],
        models: &[],
        profile: Profile { traits: &[Trait::NullContent, Trait::SignedCalls], ..PLAIN },
    },
];
