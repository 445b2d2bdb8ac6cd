//! What each generation of models accepts, as rows.
//!
//! A model of no row has the newest shape: it reasons when asked, and nothing that only some models
//! refuse is refused.

use serde_json::Value;

use crate::Request;

#[derive(Debug)]
pub(super) struct Profile {
    pub reasons: Reasons,
    /// The words of effort the model knows; `None` where that is not known.
    pub efforts: Option<&'static [&'static str]>,
}

/// When a model reasons before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reasons {
    Never,
    Always,
    /// Unless the effort is `none`.
    UnlessNone,
    /// If there is an effort, and it is not `none`.
    WhenAsked,
    /// Nobody knows.
    Perhaps,
}

/// The profile of a model, by how its name begins, its vendor aside.
pub(super) fn profile(model: &str) -> &'static Profile {
    let name = bare(model);
    ROWS.iter().find(|(begin, _)| names(name, begin)).map_or(&NEWEST, |(_, profile)| profile)
}

/// Whether the model reasons in this request, as far as is known.
pub(super) fn reasons(request: &Request<'_>) -> bool {
    match profile(request.model).reasons {
        Reasons::Never | Reasons::Perhaps => false,
        Reasons::Always => true,
        Reasons::UnlessNone => effort(request.body) != Some("none"),
        Reasons::WhenAsked => effort(request.body).is_some_and(|effort| effort != "none"),
    }
}

/// Whether the model knows but one verbosity.
pub(super) fn only_medium(model: &str) -> bool {
    let name = bare(model);
    profile(model).reasons == Reasons::Never || CALM.iter().any(|begin| names(name, begin))
}

pub(super) fn effort(body: &Value) -> Option<&str> {
    body.pointer("/reasoning/effort").and_then(Value::as_str)
}

/// The models that can read each other's encrypted reasoning: `gpt-5` for `gpt-5.4-mini`.
pub(super) fn family(model: &str) -> &str {
    let name = bare(model);
    FAMILIES.iter().copied().find(|family| begins(name, family)).unwrap_or(name)
}

fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or_default()
}

/// Whether the name begins so and goes on to a variant, not to a later generation.
fn names(name: &str, begin: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
    begins(name, begin) && !name[begin.len()..].strip_prefix('.').is_some_and(goes_on)
}

/// Whether the name begins so, and not only as a longer number does.
fn begins(name: &str, begin: &str) -> bool {
    name.strip_prefix(begin).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

const NEWEST: Profile = Profile { reasons: Reasons::Perhaps, efforts: None };
const PLAIN: Profile = Profile { reasons: Reasons::Never, efforts: None };

/// The more special beginnings stand first.
const ROWS: &[(&str, Profile)] = &[
    ("gpt-3.5", PLAIN),
    ("gpt-4", PLAIN),
    ("gpt-4.1", PLAIN),
    ("gpt-4.5", PLAIN),
    ("chatgpt-4o", PLAIN),
    ("gpt-5-chat", PLAIN),
    ("gpt-5-codex", Profile { reasons: Reasons::Always, efforts: None }),
    ("gpt-5-pro", always(&["high"])),
    ("gpt-5", always(&["minimal", "low", "medium", "high"])),
    ("gpt-5.1-chat", always(&["medium"])),
    ("gpt-5.1-codex", Profile { reasons: Reasons::WhenAsked, efforts: None }),
    ("gpt-5.1", when_asked(&["none", "low", "medium", "high"])),
    ("gpt-5.2-chat", always(&["medium"])),
    ("gpt-5.2-pro", always(PRO)),
    ("gpt-5.2", when_asked(TO_XHIGH)),
    ("gpt-5.3-chat", always(&["medium"])),
    ("gpt-5.3", when_asked(TO_XHIGH)),
    ("gpt-5.4-pro", always(PRO)),
    ("gpt-5.4", when_asked(TO_XHIGH)),
    ("gpt-5.5-pro", Profile { reasons: Reasons::Always, efforts: None }),
    ("gpt-5.5", Profile { reasons: Reasons::UnlessNone, efforts: None }),
    ("gpt-5.6", unless_none(TO_MAX)),
    ("gpt-6-astra", always(&["low", "medium", "high", "xhigh", "max"])),
    ("gpt-6", unless_none(TO_MAX)),
    ("o1", always(&["low", "medium", "high"])),
    ("o3", always(&["low", "medium", "high"])),
    ("o4", always(&["low", "medium", "high"])),
];
/// Reason, and are not to be made longer or shorter.
const CALM: &[&str] = &["gpt-5.1-codex", "gpt-5.2-codex"];
const PRO: &[&str] = &["medium", "high", "xhigh"];
const TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];
const FAMILIES: &[&str] = &["gpt-5", "gpt-6", "gpt-oss", "o1", "o3", "o4"];

const fn always(efforts: &'static [&'static str]) -> Profile {
    Profile { reasons: Reasons::Always, efforts: Some(efforts) }
}

const fn unless_none(efforts: &'static [&'static str]) -> Profile {
    Profile { reasons: Reasons::UnlessNone, efforts: Some(efforts) }
}

const fn when_asked(efforts: &'static [&'static str]) -> Profile {
    Profile { reasons: Reasons::WhenAsked, efforts: Some(efforts) }
}
