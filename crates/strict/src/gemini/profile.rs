//! Profiles of Gemini generations: the settings and features that each accepts.

/// A row of models with equal behaviour.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a data row of independent flags")]
pub(super) struct Profile {
    /// Substrings of model names.
    name_parts: &'static [&'static str],
    /// The first call of each step must be signed.
    pub(super) requires_signed_calls: bool,
    /// Signs the first part of a reply of any type, instead of the first call or last part.
    pub(super) signs_first_part: bool,
    /// On Vertex, a response must have the name of its call.
    pub(super) checks_response_names: bool,
    /// Accepts a thinking config.
    pub(super) has_thinking_config: bool,
    /// Accepted thinking levels.
    pub(super) thinking_levels: &'static [&'static str],
    /// Minimum and maximum of the budget, besides 0 (off) and -1 (automatic).
    pub(super) thinking_budget: Option<(i64, i64)>,
    /// Whether thinking can be disabled.
    pub(super) can_disable_thinking: bool,
    /// Whether built-in tools and functions can be combined.
    pub(super) mixes_builtin_tools: bool,
    /// Whether functions and a JSON response type can be combined.
    pub(super) json_with_tools: bool,
    /// On Vertex, the maximum output tokens and stop sequences.
    pub(super) vertex_max_output_tokens: u32,
    pub(super) vertex_max_stop_sequences: u32,
    /// Whether function responses may have media.
    pub(super) media_in_responses: bool,
    /// Whether calls and responses may have ids on the older backends of Vertex.
    pub(super) accepts_call_ids: bool,
    pub(super) context_window: u64,
}

/// The profile of a model; unknown models get the newest generation's.
pub(super) fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase();
    let found = PROFILES.iter().find(|row| row.name_parts.iter().any(|part| model.contains(part)));
    found.unwrap_or(&NEWEST)
}

/// The model name in a seal: the name without its path, version and stage.
pub(super) fn family(model: &str) -> String {
    let model = model.to_lowercase();
    let name = model.rsplit('/').next().unwrap_or_default();
    let parts: Vec<_> = name.split(['-', ':', '@']).collect();
    let is_ignored = |part: &&str| {
        IGNORED_NAME_SUFFIXES.contains(part)
            || part.len() > 1 && part.chars().all(|c| c.is_ascii_digit())
    };
    let count = parts.len() - parts.iter().rev().take_while(|part| is_ignored(part)).count();
    parts[..count.max(1)].join("-")
}

static PROFILES: &[Profile] = &[
    Profile {
        name_parts: &["gemini-3-pro-image", "gemini-3.1-flash-image", "gemini-3.1-pro-image"],
        requires_signed_calls: false,
        ..NEWEST
    },
    Profile { name_parts: &["gemini-3.7-flash-lite", "gemini-3.8-flash-lite"], ..NEWEST },
    Profile {
        name_parts: &["gemini-3.1-pro", "gemini-3.7-flash", "gemini-3.8-flash"],
        thinking_levels: &["LOW", "MEDIUM", "HIGH"],
        ..NEWEST
    },
    Profile { name_parts: &["gemini-3-pro"], thinking_levels: &["LOW", "HIGH"], ..NEWEST },
    Profile { name_parts: &["gemini-2.5-computer-use"], media_in_responses: true, ..GEMINI_2_5 },
    Profile {
        name_parts: &["gemini-2.5-pro"],
        thinking_budget: Some((128, 32_768)),
        can_disable_thinking: false,
        ..GEMINI_2_5
    },
    Profile {
        name_parts: &["gemini-2.5-flash-lite"],
        thinking_budget: Some((512, 24_576)),
        ..GEMINI_2_5
    },
    GEMINI_2_5,
    Profile {
        name_parts: &["flash-thinking"],
        thinking_budget: None,
        accepts_call_ids: false,
        ..GEMINI_2_5
    },
    Profile {
        name_parts: &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"],
        has_thinking_config: false,
        vertex_max_output_tokens: 8_192,
        vertex_max_stop_sequences: 16,
        thinking_budget: None,
        accepts_call_ids: false,
        ..GEMINI_2_5
    },
    Profile {
        name_parts: &["gemma"],
        requires_signed_calls: false,
        can_disable_thinking: true,
        ..NEWEST
    },
];

/// The Gemini 3 generation.
const NEWEST: Profile = Profile {
    name_parts: &[],
    requires_signed_calls: true,
    signs_first_part: false,
    checks_response_names: true,
    has_thinking_config: true,
    thinking_levels: &["MINIMAL", "LOW", "MEDIUM", "HIGH"],
    thinking_budget: None,
    can_disable_thinking: false,
    mixes_builtin_tools: true,
    json_with_tools: true,
    vertex_max_output_tokens: 65_536,
    vertex_max_stop_sequences: 5,
    media_in_responses: true,
    accepts_call_ids: true,
    context_window: 1_048_575,
};

const GEMINI_2_5: Profile = Profile {
    name_parts: &["gemini-2.5"],
    requires_signed_calls: false,
    signs_first_part: true,
    checks_response_names: false,
    has_thinking_config: true,
    thinking_levels: &[],
    thinking_budget: Some((0, 24_576)),
    can_disable_thinking: true,
    mixes_builtin_tools: false,
    json_with_tools: false,
    vertex_max_output_tokens: 65_535,
    vertex_max_stop_sequences: 5,
    media_in_responses: false,
    accepts_call_ids: true,
    context_window: 1_048_575,
};

/// Suffixes of names that do not distinguish models.
const IGNORED_NAME_SUFFIXES: &[&str] =
    &["preview", "latest", "exp", "experimental", "customtools", "stable"];
