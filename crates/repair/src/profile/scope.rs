//! Which target a row is for.

use interlingua_model::DialectId;
use interlingua_wire::Text;

/// A target as rows are matched with it.
#[derive(Debug)]
pub struct Aim {
    dialect: DialectId,
    flavor: &'static str,
    /// As it was said.
    said: String,
    /// In lower case.
    lower: String,
    /// In lower case, with dashes for dots.
    model: String,
}

/// What a row is for. An empty list means all.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub dialect: &'static str,
    /// `""` is the dialect as its inventor speaks it.
    pub flavors: &'static [&'static str],
    /// Parts of model names, in lower case with dashes for dots; a part with a dot or slash in it is
    /// looked for in the name with its dots, one that ends in a slash where the name begins. After `^`
    /// stands how the name begins, its vendor aside; with `!` at the end, the version ends there too.
    pub models: &'static [&'static str],
}

impl Aim {
    pub fn new(dialect: DialectId, flavor: Option<&'static str>, model: Option<&Text>) -> Self {
        let said = model.map(|model| model.contents().into_owned()).unwrap_or_default();
        let lower = said.to_lowercase();
        let model = lower.replace('.', "-");
        Self { dialect, flavor: flavor.unwrap_or(""), said, lower, model }
    }

    fn is_named(&self, part: &str) -> bool {
        let Some(start) = part.strip_prefix('^') else {
            // A house stands first.
            if part.ends_with('/') {
                return self.lower.starts_with(part);
            }
            let dotted = part.contains(['.', '/']);
            return if dotted { self.lower.contains(part) } else { self.model.contains(part) };
        };
        let bare = |name: &'_ str| name.rsplit('/').next().unwrap_or_default().to_owned();
        match start.strip_suffix('!') {
            // A longer number is another one.
            Some(start) => bare(&self.said).strip_prefix(start).is_some_and(|rest| {
                let rest = rest.strip_prefix('.').unwrap_or(rest);
                !rest.starts_with(|next: char| next.is_ascii_digit())
            }),
            None if start.contains('.') => bare(&self.said).starts_with(start),
            None => bare(&self.model).starts_with(start),
        }
    }
}

impl Scope {
    /// Every target of a dialect.
    pub const fn all(dialect: &'static str) -> Self {
        Self { dialect, flavors: &[], models: &[] }
    }

    pub const fn flavors(dialect: &'static str, flavors: &'static [&'static str]) -> Self {
        Self { dialect, flavors, models: &[] }
    }

    pub const fn models(dialect: &'static str, models: &'static [&'static str]) -> Self {
        Self { dialect, flavors: &[], models }
    }

    /// Some models of some flavors.
    pub const fn of(
        dialect: &'static str,
        flavors: &'static [&'static str],
        models: &'static [&'static str],
    ) -> Self {
        Self { dialect, flavors, models }
    }

    fn holds(&self, aim: &Aim) -> bool {
        (self.dialect == aim.dialect.0
            || self.dialect == CLAUDE && CLAUDES.contains(&aim.dialect.0))
            && (self.flavors.is_empty() || self.flavors.contains(&aim.flavor))
            && (self.models.is_empty() || self.models.iter().any(|part| aim.is_named(part)))
    }
}

/// The first row for this target: the more telling rows stand first, and the last row of a dialect
/// is for all of it.
pub(super) fn first<R>(rows: &'static [(Scope, R)], aim: &Aim) -> Option<&'static R> {
    rows.iter().find(|(scope, _)| scope.holds(aim)).map(|(_, row)| row)
}

/// A row of this name is for every dialect in which these models are asked.
pub(super) const CLAUDE: &str = "claude";
const CLAUDES: &[&str] = &["anthropic", "bedrock"];

/// Models of one server that do not reason.
pub(super) const GROQ_PLAIN: &[&str] =
    &["^llama", "^meta-llama", "^gemma", "^mixtral", "^mistral", "^allam", "^kimi-k2-instruct"];

/// Who serves the dialect as its inventor does.
pub(super) const INVENTOR: &[&str] = &["", "openai", "azure"];

/// Models of its inventor that do not reason.
pub(super) const CHAT_NAMES: &[&str] = &[
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

/// Houses behind Converse other than that of Claude.
pub(super) const BEDROCK_OTHERS: &[&str] = &[
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
