//! Profiles of model generations: the settings and features that each accepts.
//!
//! An unknown model gets its provider's own profile, which is that of its newest models: features
//! that only some models reject, such as a temperature, are not rejected for unknown names.

use serde::Deserialize;
use toml::{Table, Value};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Profile {
    #[serde(default)]
    flags: Vec<ModelFlag>,
    pub thinking: ReasoningDefault,
    #[serde(default)]
    pub temperature: TemperatureSupport,
    #[serde(default)]
    pub tools_with_effort: ToolsWithEffort,
    /// Accepted effort levels; `None` if they are not known.
    pub efforts: Option<Vec<String>>,
    /// Maximum length of a call id.
    pub max_call_id_length: Option<usize>,
    /// Maximum length of a tool description.
    pub max_description_length: Option<usize>,
}

/// The profile of some of a provider's models.
#[derive(Debug)]
pub(super) struct ModelRow {
    /// Prefixes of model names without the vendor; after `*`, substrings.
    patterns: Vec<String>,
    /// Or all of `OpenAI`'s generations from this one on.
    from: Option<(u32, u32)>,
    pub profile: Profile,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
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
    /// Mistral's first validator: the roles have a stricter order.
    OlderValidator,
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
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ReasoningDefault {
    Never,
    OptIn,
    OptOut,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TemperatureSupport {
    #[default]
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
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ToolsWithEffort {
    #[default]
    Accepted,
    /// Rejected if an effort is set.
    RejectedWhenSet,
    /// Rejected unless the effort is `none`.
    RejectedUnlessNone,
}

impl Profile {
    pub(super) fn has(&self, flag: ModelFlag) -> bool {
        self.flags.contains(&flag)
    }
}

impl ModelRow {
    /// Whether the row is for a model of this name, without the vendor.
    pub(super) fn is_for(&self, model: &str) -> bool {
        let generation = generation(model);
        self.from.zip(generation).is_some_and(|(from, generation)| from <= generation)
            || self.patterns.iter().any(|pattern| matches_pattern(model, pattern))
    }

    /// Reads a row: patterns or a generation, and what differs from the provider's profile.
    pub(super) fn parse(provider_profile: Option<&Value>, row: Value) -> Result<Self, String> {
        let map_error = |error: toml::de::Error| error.to_string();
        let mut row: Table = row.try_into().map_err(map_error)?;
        let patterns = row.remove("match").map(Value::try_into).transpose().map_err(map_error)?;
        let from = row.remove("from").map(Value::try_into).transpose().map_err(map_error)?;
        let mut profile = provider_profile.and_then(Value::as_table).cloned().unwrap_or_default();
        merge(&mut profile, row);
        let profile = profile.try_into().map_err(map_error)?;
        Ok(Self { patterns: patterns.unwrap_or_default(), from, profile })
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

/// Merges tables recursively; other values replace those in `base`.
pub(super) fn merge(base: &mut Table, table: Table) {
    for (key, value) in table {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(table)) => merge(base, table),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
