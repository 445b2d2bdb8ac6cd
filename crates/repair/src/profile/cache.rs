//! Cache marks: what each target takes.

use super::Scope;

#[derive(Clone, Copy, Debug)]
pub struct Cache {
    /// How many marks there may be, one for the whole request included; `None` where nobody counts.
    pub most: Option<usize>,
    /// The lifetimes that may be asked for, the longest first, and each mark lasts at most as long as
    /// the one before it. The last is what a mark has that does not say. Empty where nobody looks.
    pub lifetimes: &'static [&'static str],
    /// Reasoning carries no mark.
    pub not_on_reasoning: bool,
    /// The field of the body that marks the whole request.
    pub whole: Option<&'static str>,
}

pub(super) static ROWS: &[(Scope, Cache)] = &[
    (
        Scope::all("anthropic"),
        Cache { whole: Some("cache_control"), not_on_reasoning: true, ..COUNTED },
    ),
    (Scope::all("openai-chat"), FREE),
    (Scope::all("openai-responses"), FREE),
    (Scope::all("gemini"), FREE),
    (Scope::all("bedrock"), COUNTED),
];

const COUNTED: Cache =
    Cache { most: Some(4), lifetimes: &["1h", "5m"], not_on_reasoning: true, whole: None };
const FREE: Cache = Cache { most: None, lifetimes: &[], not_on_reasoning: false, whole: None };
