//! What each generation of models accepts: data rows.

use crate::Request;

/// One generation, or several that accept the same.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Profile {
    /// Parts of model names, with dashes for dots. The first row that has one in the name wins.
    models: &'static [&'static str],
    /// What the model does when `thinking` is not given.
    pub unasked: Thinking,
    /// Accepts a budget of thinking.
    pub manual: bool,
    pub adaptive: bool,
    pub disabled: Disabled,
    /// Refuses the highest efforts while thinking is off.
    pub calm_when_off: bool,
    /// Accepted efforts; none where the parameter itself is refused.
    pub efforts: &'static [&'static str],
    /// The tool choice may force a call.
    pub forced_tools: bool,
    pub sampling: Sampling,
    /// The conversation may end with the assistant's words.
    pub prefill: bool,
    /// Instructions may stand among the messages.
    pub system_messages: bool,
    /// Signatures are bound to everything before them.
    pub prefix_binding: bool,
    /// Thinking of other models is left out in silence instead of refused.
    pub drops_strangers: bool,
    pub max_output: u64,
    pub context: u64,
    /// Refuses a request whose input and largest output together exceed the context.
    pub counts_output: bool,
    /// How many tools a summary can record.
    pub compaction_tools: usize,
    /// How many tools may be available at once where messages change them.
    pub available_tools: usize,
}

/// How a request thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    Off,
    Manual,
    Adaptive,
    BetweenTools,
}

/// What becomes of a request that turns thinking off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disabled {
    Accepted,
    /// Refused, pointing to a budget.
    Refused,
    /// Refused, pointing to the effort.
    RefusedForEffort,
    /// Refused, pointing to thinking between tools.
    BetweenTools,
}

/// Which of `temperature`, `top_p` and `top_k` may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    Free,
    /// Not `temperature` and `top_p` together.
    NotBoth,
    /// Only to their defaults.
    Fixed,
}

/// The profile of a model; what is not known has the newest shape.
pub fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase().replace('.', "-");
    let known = PROFILES.iter().find(|row| row.models.iter().any(|part| model.contains(part)));
    known.unwrap_or(&NEWEST)
}

impl Profile {
    /// Whether thinking is shown to who does not say otherwise; newer models omit its text.
    pub fn shows_thinking(&self) -> bool {
        self.manual
    }
}

/// What a seal names as its model: the part of the name that is known, or else the name.
pub fn family(model: &str) -> String {
    let model = model.to_lowercase().replace('.', "-");
    let known = families().find(|part| model.contains(part));
    known.map_or(model, str::to_owned)
}

/// The known parts of model names, the more telling first.
pub fn families() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().flat_map(|row| row.models.iter().copied())
}

/// Whether the API knows the model: another vendor's is not found.
pub(super) fn is_known(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    !name.is_empty() && !ELSEWHERE.iter().any(|start| name.starts_with(start))
}

/// How this request thinks, whether it says so or leaves it to the model.
pub fn thinking(request: &Request<'_>) -> Thinking {
    match request.body.pointer("/thinking/type").and_then(|kind| kind.as_str()) {
        Some("enabled") => Thinking::Manual,
        Some("adaptive") => Thinking::Adaptive,
        Some("between_tools") => Thinking::BetweenTools,
        Some(_) => Thinking::Off,
        None => profile(request.model).unasked,
    }
}

const NEWEST: Profile = Profile { models: &[], ..OPUS_5_5 };

static PROFILES: &[Profile] = &[
    Profile { models: &["fable-5-2", "mythos-5-2"], ..FABLE_5_1 },
    FABLE_5_1,
    OPUS_5_5,
    Profile {
        models: &["sonnet-5-5"],
        disabled: Disabled::BetweenTools,
        calm_when_off: true,
        ..OPUS_5_5
    },
    Profile {
        models: &["haiku-5-5"],
        disabled: Disabled::Accepted,
        calm_when_off: true,
        forced_tools: true,
        ..OPUS_5_5
    },
    Profile { models: &["mythos-preview"], forced_tools: false, ..FABLE_5 },
    FABLE_5,
    Profile { models: &["opus-5"], disabled: Disabled::Accepted, calm_when_off: true, ..FABLE_5 },
    Profile {
        models: &["sonnet-5"],
        disabled: Disabled::Accepted,
        system_messages: false,
        ..FABLE_5
    },
    Profile { models: &["opus-4-8"], system_messages: true, ..OPUS_4_7 },
    OPUS_4_7,
    Profile {
        models: &["opus-4-6", "sonnet-4-6"],
        manual: true,
        efforts: &["low", "medium", "high", "max"],
        sampling: Sampling::NotBoth,
        ..OPUS_4_7
    },
    Profile { models: &["opus-4-5"], efforts: &["low", "medium", "high"], ..OLD },
    Profile { models: &["sonnet-4-5", "haiku-4-5"], ..OLD },
    Profile {
        models: &["opus-4", "4-opus"],
        sampling: Sampling::Free,
        max_output: 32_000,
        counts_output: true,
        ..OLD
    },
    Profile {
        models: &["sonnet-4", "4-sonnet", "3-7-sonnet"],
        sampling: Sampling::Free,
        counts_output: true,
        ..OLD
    },
    Profile {
        models: &["3-5-sonnet", "3-5-haiku"],
        sampling: Sampling::Free,
        max_output: 8_192,
        counts_output: true,
        ..OLD
    },
    Profile {
        models: &["claude-3-"],
        sampling: Sampling::Free,
        max_output: 4_096,
        counts_output: true,
        ..OLD
    },
];

const OPUS_5_5: Profile = Profile {
    models: &["opus-5-5"],
    disabled: Disabled::RefusedForEffort,
    forced_tools: false,
    prefix_binding: true,
    drops_strangers: true,
    ..FABLE_5
};

const FABLE_5_1: Profile = Profile {
    models: &["fable-5-1", "mythos-5-1"],
    forced_tools: false,
    prefix_binding: true,
    drops_strangers: true,
    ..FABLE_5
};

const FABLE_5: Profile = Profile {
    models: &["fable-5", "mythos-5"],
    unasked: Thinking::Adaptive,
    disabled: Disabled::Refused,
    system_messages: true,
    ..OPUS_4_7
};

const OPUS_4_7: Profile = Profile {
    models: &["opus-4-7"],
    manual: false,
    adaptive: true,
    efforts: &["low", "medium", "high", "xhigh", "max"],
    sampling: Sampling::Fixed,
    prefill: false,
    max_output: 128_000,
    context: 1_000_000,
    ..OLD
};

/// The shape of the 4.5 generation, from which the others differ.
const OLD: Profile = Profile {
    models: &[],
    unasked: Thinking::Off,
    manual: true,
    adaptive: false,
    disabled: Disabled::Accepted,
    calm_when_off: false,
    efforts: &[],
    forced_tools: true,
    sampling: Sampling::NotBoth,
    prefill: true,
    system_messages: false,
    prefix_binding: false,
    drops_strangers: false,
    max_output: 64_000,
    context: 200_000,
    counts_output: false,
    compaction_tools: 1_000,
    available_tools: 10_000,
};

/// How the names of models begin that are found elsewhere, or no more.
const ELSEWHERE: &[&str] = &[
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
