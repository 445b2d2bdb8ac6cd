//! Everyone a request can be sent to: every flavor of every judge, with models of each generation.

use interlingua::{Dialect, Target, Text};
use interlingua_strict::Judge;

use crate::laws::Case;
use crate::rng::Rng;

/// A provider, and models of it that differ in what they accept.
#[derive(Clone, Copy)]
pub struct Provider {
    pub to: &'static dyn Dialect,
    pub judge: &'static Judge,
    /// As the judge calls it.
    pub flavor: &'static str,
    pub models: &'static [&'static str],
}

/// A provider and one of its models.
#[derive(Clone)]
pub struct Aim {
    pub provider: Provider,
    pub model: String,
}

/// All providers, in the order of the judges and their flavors.
pub fn providers() -> Vec<Provider> {
    let mut providers = Vec::new();
    for judge in interlingua_strict::ALL {
        let Some(to) = interlingua::find(judge.dialect) else { continue };
        let flavors = judge.flavors.iter().copied();
        providers.extend(flavors.map(|flavor| Provider {
            to,
            judge,
            flavor,
            models: models(judge.dialect, flavor),
        }));
    }
    providers
}

/// Servers whose models have names of their own: whoever routes to them names one of these.
const NAMED: &[(&str, &str)] = &[("anthropic", "deepseek")];

impl Provider {
    /// This provider with one of its models. A client of the same dialect often gets the model it
    /// asks for.
    pub fn aim(self, case: &Case, rng: &mut Rng) -> Aim {
        let drawn = rng.pick(self.models);
        let same = rng.once_in(2);
        let model = self.asked(case).filter(|_| same).unwrap_or(drawn);
        Aim { provider: self, model: model.to_owned() }
    }

    /// The model that a client of the same dialect asks for, if it has one of that name.
    pub fn asked<'c>(&self, case: &'c Case) -> Option<&'c str> {
        let own = case.from.id() == self.to.id();
        let named = !NAMED.contains(&(self.judge.dialect, self.flavor));
        case.model().filter(|_| own && named)
    }

    pub fn name(&self) -> String {
        match self.judge.flavors.len() {
            1 => self.judge.dialect.to_owned(),
            _ => format!("{}/{}", self.judge.dialect, self.flavor),
        }
    }
}

impl Aim {
    /// What the road is told. The inventor's flavor has no name there.
    pub fn target(&self) -> Target {
        let inventor = self.provider.judge.flavors.first() == Some(&self.provider.flavor);
        Target {
            model: Some(Text::new(&self.model)),
            flavor: (!inventor).then_some(self.provider.flavor),
            ..Target::default()
        }
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl std::fmt::Debug for Aim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.provider.name(), self.model)
    }
}

/// One model for each row of what the judge knows about a provider, and one nobody knows.
fn models(dialect: &str, flavor: &str) -> &'static [&'static str] {
    let row =
        MODELS.iter().find(|(of, name, _)| *of == dialect && (name.is_empty() || *name == flavor));
    row.map_or(&["some-model"], |(_, _, models)| models)
}

type Models = &'static [&'static str];

/// Dialect, flavor (any if empty), models.
const MODELS: &[(&str, &str, Models)] = &[
    ("anthropic", "deepseek", &["deepseek-v4-pro", "deepseek-chat", "claude-sonnet-4-5"]),
    (
        "anthropic",
        "",
        &[
            "claude-sonnet-4-5",
            "claude-opus-4-8",
            "claude-opus-5-5",
            "claude-opus-4-5",
            "claude-sonnet-4-6",
            "claude-opus-4-7",
            "claude-sonnet-5",
            "claude-opus-5",
            "claude-fable-5",
            "claude-sonnet-5-5",
            "claude-haiku-5-5",
            "claude-fable-5-1",
            "claude-opus-4-20250514",
            "claude-3-7-sonnet-20250219",
            "claude-3-5-haiku-20241022",
            "claude-3-haiku-20240307",
            "claude-of-the-future",
        ],
    ),
    (
        "openai-chat",
        "openrouter",
        &[
            "openai/gpt-5.1",
            "anthropic/claude-sonnet-4.5",
            "anthropic/claude-opus-5.5",
            "google/gemini-2.5-pro",
            "google/gemini-3-pro-preview",
            "deepseek/deepseek-v3.2",
            "mistralai/mistral-large-2512",
            "moonshotai/kimi-k2-thinking",
            "some/model",
        ],
    ),
    (
        "openai-chat",
        "deepseek",
        &["deepseek-chat", "deepseek-reasoner", "deepseek-v4-pro", "deepseek-vl2"],
    ),
    (
        "openai-chat",
        "mistral",
        &["mistral-large-2512", "mistral-large-2411", "open-mixtral-8x7b", "magistral-medium-2509"],
    ),
    (
        "openai-chat",
        "groq",
        &[
            "openai/gpt-oss-120b",
            "llama-3.3-70b-versatile",
            "moonshotai/kimi-k2-instruct",
            "some-model",
        ],
    ),
    (
        "openai-chat",
        "moonshot",
        &["kimi-k2-0905-preview", "kimi-k2-thinking", "kimi-k2.5", "moonshot-v1-128k"],
    ),
    (
        "openai-chat",
        "xai",
        &["grok-4", "grok-4.5", "grok-3", "grok-3-mini", "grok-4-fast-non-reasoning"],
    ),
    (
        "openai-chat",
        "qwen",
        &["qwen3-max", "qwen3-coder-plus", "qwen3-32b", "qwen-plus", "qwq-plus"],
    ),
    ("openai-chat", "glm", &["glm-4.6", "glm-5"]),
    (
        "openai-chat",
        "gemini-compat",
        &["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.1-flash", "gemma-3-27b-it"],
    ),
    (
        "openai-chat",
        "openai",
        &[
            "gpt-4.1",
            "gpt-5.1",
            "gpt-5.6",
            "gpt-5",
            "gpt-5.2",
            "gpt-5.4",
            "gpt-4o",
            "o3",
            "some-model",
        ],
    ),
    (
        "openai-chat",
        "azure",
        &[
            "gpt-4.1",
            "gpt-5.1",
            "gpt-5.6",
            "gpt-5",
            "gpt-5.2",
            "gpt-5.4",
            "gpt-4o",
            "o3",
            "some-model",
        ],
    ),
    ("openai-chat", "", &["some-model", "gpt-oss-120b", "qwen3-32b"]),
    (
        "openai-responses",
        "",
        &[
            "gpt-4.1",
            "gpt-5.1",
            "gpt-5.6",
            "gpt-5",
            "gpt-5-pro",
            "gpt-5.2-codex",
            "gpt-5.5",
            "gpt-6",
            "o3",
            "some-model",
        ],
    ),
    (
        "gemini",
        "",
        &[
            "gemini-2.5-flash",
            "gemini-3-pro-preview",
            "gemini-2.5-pro",
            "gemini-2.5-flash-lite",
            "gemini-2.0-flash",
            "gemini-3.1-flash-image",
            "gemma-3-27b-it",
            "gemini-of-the-future",
        ],
    ),
    (
        "bedrock",
        "",
        &[
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "us.anthropic.claude-opus-4-8",
            "us.anthropic.claude-opus-5-5-v1:0",
            "anthropic.claude-3-haiku-20240307-v1:0",
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
            "amazon.nova-pro-v1:0",
            "openai.gpt-5.4",
            "openai.gpt-oss-120b-1:0",
            "us.meta.llama3-3-70b-instruct-v1:0",
            "some-model",
        ],
    ),
];
