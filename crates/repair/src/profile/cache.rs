//! Cache marks: what each target takes.

use super::Scope;
use super::texts::OTHER_VENDORS;

#[derive(Clone, Copy, Debug)]
pub struct Cache {
    /// There are marks at all.
    pub any: bool,
    /// How many marks there may be, one for the whole request included; `None` where nobody counts.
    pub most: Option<usize>,
    /// The lifetimes that may be asked for, the longest first, and each mark lasts at most as long as
    /// the one before it. The last is what a mark has that does not say. Empty where nobody looks.
    pub lifetimes: &'static [&'static str],
    /// A mark stands beside what it marks, and is no part of it: the kind of block that it is.
    pub beside: Option<&'static str>,
    /// Reasoning carries no mark.
    pub not_on_reasoning: bool,
    /// The field of the body that marks the whole request.
    pub whole: Option<&'static str>,
}

pub(super) static ROWS: &[(Scope, Cache)] = &[
    (Scope::flavors("anthropic", &["deepseek"]), FREE),
    (
        Scope::all("anthropic"),
        Cache { whole: Some("cache_control"), not_on_reasoning: true, ..COUNTED },
    ),
    (Scope { flavors: &["", "openai", "azure"], ..Scope::models("openai-chat", OLD) }, NONE),
    (Scope::all("openai-chat"), FREE),
    (Scope::all("openai-responses"), FREE),
    (Scope::all("gemini"), FREE),
    (Scope::models("bedrock", OTHER_VENDORS), Cache { beside: Some("cachePoint"), ..FREE }),
    (Scope::all("bedrock"), Cache { beside: Some("cachePoint"), ..COUNTED }),
];

const COUNTED: Cache = Cache {
    any: true,
    most: Some(4),
    lifetimes: &["1h", "5m"],
    beside: None,
    not_on_reasoning: true,
    whole: None,
};
const FREE: Cache = Cache {
    any: true,
    most: None,
    lifetimes: &[],
    beside: None,
    not_on_reasoning: false,
    whole: None,
};
const NONE: Cache = Cache { any: false, ..FREE };

/// Models that have no explicit marks.
pub(super) const OLD: &[&str] = &[
    "^gpt-3",
    "^gpt-4",
    "^gpt-5!",
    "^gpt-5.0",
    "^gpt-5.1",
    "^gpt-5.2",
    "^gpt-5.3",
    "^gpt-5.4",
    "^gpt-5.5",
    "^o1",
    "^o3",
    "^o4",
    "^gpt-5.6-chat",
    "^chatgpt",
];
