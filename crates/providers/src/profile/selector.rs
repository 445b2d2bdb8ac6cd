//! Selects the profile rows for a target by dialect, flavor and model name.

use interlingua_model::DialectId;
use interlingua_wire::JsonString;

/// A target with normalized model names, as rows are matched with it.
#[derive(Debug)]
pub struct TargetKey {
    dialect: DialectId,
    flavor: &'static str,
    /// As given.
    model_as_given: String,
    /// In lower case.
    model_lower: String,
    /// In lower case, with dashes instead of dots.
    model_dashed: String,
}

/// Targets to which a row applies. An empty list matches all.
#[derive(Clone, Copy, Debug)]
pub struct TargetSelector {
    pub dialect: &'static str,
    /// `""` is the vendor's own API.
    pub flavors: &'static [&'static str],
    /// Substrings of model names, in lower case with dashes instead of dots. A pattern with a dot
    /// or slash is matched with the name including its dots; one that ends in a slash has to be a
    /// prefix. `^` matches the start of the name without its vendor; with `!` at the end, the
    /// version has to end there as well.
    pub model_patterns: &'static [&'static str],
}

impl TargetKey {
    pub fn new(
        dialect: DialectId,
        flavor: Option<&'static str>,
        model: Option<&JsonString>,
    ) -> Self {
        let model_as_given = model.map(|model| model.unescape().into_owned()).unwrap_or_default();
        let model_lower = model_as_given.to_lowercase();
        let model_dashed = model_lower.replace('.', "-");
        Self { dialect, flavor: flavor.unwrap_or(""), model_as_given, model_lower, model_dashed }
    }

    fn matches_model(&self, pattern: &str) -> bool {
        let Some(start) = pattern.strip_prefix('^') else {
            // The vendor is a prefix.
            if pattern.ends_with('/') {
                return self.model_lower.starts_with(pattern);
            }
            let has_dots = pattern.contains(['.', '/']);
            return if has_dots {
                self.model_lower.contains(pattern)
            } else {
                self.model_dashed.contains(pattern)
            };
        };
        let without_vendor = |name: &'_ str| name.rsplit('/').next().unwrap_or_default().to_owned();
        match start.strip_suffix('!') {
            // A longer number is another version.
            Some(start) => {
                without_vendor(&self.model_as_given).strip_prefix(start).is_some_and(|rest| {
                    let rest = rest.strip_prefix('.').unwrap_or(rest);
                    !rest.starts_with(|c: char| c.is_ascii_digit())
                })
            }
            None if start.contains('.') => without_vendor(&self.model_as_given).starts_with(start),
            None => without_vendor(&self.model_dashed).starts_with(start),
        }
    }
}

impl TargetSelector {
    /// Every target of a dialect.
    pub const fn dialect(dialect: &'static str) -> Self {
        Self { dialect, flavors: &[], model_patterns: &[] }
    }

    pub const fn flavors(dialect: &'static str, flavors: &'static [&'static str]) -> Self {
        Self { dialect, flavors, model_patterns: &[] }
    }

    pub const fn models(dialect: &'static str, model_patterns: &'static [&'static str]) -> Self {
        Self { dialect, flavors: &[], model_patterns }
    }

    pub const fn new(
        dialect: &'static str,
        flavors: &'static [&'static str],
        model_patterns: &'static [&'static str],
    ) -> Self {
        Self { dialect, flavors, model_patterns }
    }

    fn matches(&self, target_key: &TargetKey) -> bool {
        (self.dialect == target_key.dialect.0
            || self.dialect == CLAUDE && CLAUDE_DIALECTS.contains(&target_key.dialect.0))
            && (self.flavors.is_empty() || self.flavors.contains(&target_key.flavor))
            && (self.model_patterns.is_empty()
                || self.model_patterns.iter().any(|pattern| target_key.matches_model(pattern)))
    }
}

/// The first row that matches the target. Specific rows come first; the last row of a dialect
/// matches all of its targets.
pub(super) fn find_row<R>(
    rows: &'static [(TargetSelector, R)],
    target_key: &TargetKey,
) -> Option<&'static R> {
    rows.iter().find(|(selector, _)| selector.matches(target_key)).map(|(_, row)| row)
}

/// Pseudo dialect of rows for every dialect that serves Claude models.
pub(super) const CLAUDE: &str = "claude";
const CLAUDE_DIALECTS: &[&str] = &["anthropic", "bedrock"];

/// Models on Groq that do not reason.
pub(super) const GROQ_NON_REASONING_MODELS: &[&str] =
    &["^llama", "^meta-llama", "^gemma", "^mixtral", "^mistral", "^allam", "^kimi-k2-instruct"];

/// Flavors of `OpenAI`'s own API.
pub(super) const FIRST_PARTY: &[&str] = &["", "openai", "azure"];

/// Models of `OpenAI` that do not reason.
pub(super) const CHAT_TUNED_MODELS: &[&str] = &[
    "^gpt-4-chat",
    "^gpt-5-chat",
    "^gpt-5.1-chat",
    "^gpt-5.2-chat",
    "^gpt-5.3-chat",
    "^gpt-5.4-chat",
    "^gpt-5.5-chat",
    "^gpt-5.6-chat",
    "^gpt-6-chat",
];

/// Prefixes of Converse models by vendors other than Anthropic.
pub(super) const BEDROCK_OTHER_VENDORS: &[&str] = &[
    "amazon.",
    "meta.",
    "mistral.",
    "cohere.",
    "deepseek.",
    "qwen.",
    "openai.",
    "moonshot",
    "minimax.",
    "ai21.",
    "writer.",
    "zai.",
    "google.",
    "nvidia.",
    "twelvelabs.",
    "xai.",
];
