//! Profiles of model generations: reasoning and efforts.
//!
//! An unknown model gets the newest profile: features that only some models reject are not
//! rejected.

use serde_json::Value;

use crate::Request;

#[derive(Debug)]
pub(super) struct Profile {
    pub reasoning: ReasoningDefault,
    /// Accepted effort levels; `None` if they are not known.
    pub efforts: Option<&'static [&'static str]>,
}

/// Whether a model reasons by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningDefault {
    Never,
    Always,
    /// Reasons unless the effort is `none`.
    OptOut,
    /// Reasons if an effort is set that is not `none`.
    OptIn,
    Unknown,
}

/// The profile of a model, by prefix of its name without the vendor.
pub(super) fn profile(model: &str) -> &'static Profile {
    let name = without_vendor(model);
    PROFILES
        .iter()
        .find(|(prefix, _)| matches_generation(name, prefix))
        .map_or(&NEWEST, |(_, profile)| profile)
}

/// Whether the model is known to reason in this request.
pub(super) fn is_reasoning(request: &Request<'_>) -> bool {
    match profile(request.model).reasoning {
        ReasoningDefault::Never | ReasoningDefault::Unknown => false,
        ReasoningDefault::Always => true,
        ReasoningDefault::OptOut => effort(request.body) != Some("none"),
        ReasoningDefault::OptIn => effort(request.body).is_some_and(|effort| effort != "none"),
    }
}

/// Whether the model only supports the verbosity `medium`.
pub(super) fn is_medium_verbosity_only(model: &str) -> bool {
    let name = without_vendor(model);
    profile(model).reasoning == ReasoningDefault::Never
        || MEDIUM_VERBOSITY_MODELS.iter().any(|prefix| matches_generation(name, prefix))
}

pub(super) fn effort(body: &Value) -> Option<&str> {
    body.pointer("/reasoning/effort").and_then(Value::as_str)
}

/// Models of one family can read each other's encrypted reasoning: `gpt-5` for `gpt-5.4-mini`.
pub(super) fn family(model: &str) -> &str {
    let name = without_vendor(model);
    MODEL_FAMILIES.iter().copied().find(|family| starts_with_version(name, family)).unwrap_or(name)
}

fn without_vendor(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or_default()
}

/// Whether the name is of this generation or a variant of it, not of a later minor version.
fn matches_generation(name: &str, prefix: &str) -> bool {
    let has_minor_version = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
    starts_with_version(name, prefix)
        && !name[prefix.len()..].strip_prefix('.').is_some_and(has_minor_version)
}

/// Whether the name begins with a version, and not with a longer number.
fn starts_with_version(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

const NEWEST: Profile = Profile { reasoning: ReasoningDefault::Unknown, efforts: None };
const NON_REASONING: Profile = Profile { reasoning: ReasoningDefault::Never, efforts: None };

/// Sorted by generation; `matches_generation` distinguishes prefixes.
const PROFILES: &[(&str, Profile)] = &[
    ("gpt-3.5", NON_REASONING),
    ("gpt-4", NON_REASONING),
    ("gpt-4.1", NON_REASONING),
    ("gpt-4.5", NON_REASONING),
    ("chatgpt-4o", NON_REASONING),
    ("gpt-5-chat", NON_REASONING),
    ("gpt-5-codex", Profile { reasoning: ReasoningDefault::Always, efforts: None }),
    ("gpt-5-pro", always_reasoning(&["high"])),
    ("gpt-5", always_reasoning(&["minimal", "low", "medium", "high"])),
    ("gpt-5.1-chat", always_reasoning(&["medium"])),
    ("gpt-5.1-codex", Profile { reasoning: ReasoningDefault::OptIn, efforts: None }),
    ("gpt-5.1", opt_in(&["none", "low", "medium", "high"])),
    ("gpt-5.2-chat", always_reasoning(&["medium"])),
    ("gpt-5.2-pro", always_reasoning(PRO_EFFORTS)),
    ("gpt-5.2", opt_in(EFFORTS_TO_XHIGH)),
    ("gpt-5.3-chat", always_reasoning(&["medium"])),
    ("gpt-5.3", opt_in(EFFORTS_TO_XHIGH)),
    ("gpt-5.4-pro", always_reasoning(PRO_EFFORTS)),
    ("gpt-5.4", opt_in(EFFORTS_TO_XHIGH)),
    ("gpt-5.5-pro", Profile { reasoning: ReasoningDefault::Always, efforts: None }),
    ("gpt-5.5", Profile { reasoning: ReasoningDefault::OptOut, efforts: None }),
    ("gpt-5.6", opt_out(EFFORTS_TO_MAX)),
    ("gpt-6-astra", always_reasoning(&["low", "medium", "high", "xhigh", "max"])),
    ("gpt-6", opt_out(EFFORTS_TO_MAX)),
    ("o1", always_reasoning(&["low", "medium", "high"])),
    ("o3", always_reasoning(&["low", "medium", "high"])),
    ("o4", always_reasoning(&["low", "medium", "high"])),
];
/// Reasoning models that only support the verbosity `medium`.
const MEDIUM_VERBOSITY_MODELS: &[&str] = &["gpt-5.1-codex", "gpt-5.2-codex"];
const PRO_EFFORTS: &[&str] = &["medium", "high", "xhigh"];
const EFFORTS_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const EFFORTS_TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];
const MODEL_FAMILIES: &[&str] = &["gpt-5", "gpt-6", "gpt-oss", "o1", "o3", "o4"];

const fn always_reasoning(efforts: &'static [&'static str]) -> Profile {
    Profile { reasoning: ReasoningDefault::Always, efforts: Some(efforts) }
}

const fn opt_out(efforts: &'static [&'static str]) -> Profile {
    Profile { reasoning: ReasoningDefault::OptOut, efforts: Some(efforts) }
}

const fn opt_in(efforts: &'static [&'static str]) -> Profile {
    Profile { reasoning: ReasoningDefault::OptIn, efforts: Some(efforts) }
}
