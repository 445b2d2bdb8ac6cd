//! The targets of translation: every flavor of every judge, with models of each generation.

use interlingua::{Dialect, JsonString, Target};
use interlingua_strict::{Judge, openai_chat};

use crate::laws::SampleRequest;
use crate::rng::Rng;

/// A provider, and models that differ in the requests they accept.
#[derive(Clone, Copy)]
pub struct TargetProvider {
    pub to: &'static dyn Dialect,
    pub judge: &'static Judge,
    /// Its name at the judge.
    pub flavor: &'static str,
    pub models: &'static [&'static str],
}

/// A provider and one of its models.
#[derive(Clone)]
pub struct Destination {
    pub provider: TargetProvider,
    pub model: String,
}

/// All providers, in the order of the judges and their flavors.
pub fn providers() -> Vec<TargetProvider> {
    let mut providers = Vec::new();
    for judge in interlingua_strict::ALL {
        let Some(to) = interlingua::find_dialect(judge.dialect) else { continue };
        let flavors = judge.flavors.iter().copied();
        providers.extend(flavors.map(|flavor| TargetProvider {
            to,
            judge,
            flavor,
            models: sample_models(judge.dialect, flavor),
        }));
    }
    providers
}

/// Servers that accept only their own model names.
const OWN_MODEL_NAMES: &[(&str, &str)] = &[("anthropic", "deepseek")];

impl TargetProvider {
    /// This provider with a random model, or in half of the cases the requested one, if the dialect
    /// is the same.
    pub fn pick_destination(self, case: &SampleRequest, rng: &mut Rng) -> Destination {
        let random = rng.pick(self.models);
        let keep = rng.one_in(2);
        let model = self.requested_model(case).filter(|_| keep).unwrap_or(random);
        Destination { provider: self, model: model.to_owned() }
    }

    /// The requested model, if the client has the same dialect and the server accepts its name.
    pub fn requested_model<'c>(&self, case: &'c SampleRequest) -> Option<&'c str> {
        let same_dialect = case.dialect.id() == self.to.id();
        let accepts_name = !OWN_MODEL_NAMES.contains(&(self.judge.dialect, self.flavor));
        case.requested_model().filter(|_| same_dialect && accepts_name)
    }

    pub fn name(&self) -> String {
        match self.judge.flavors.len() {
            1 => self.judge.dialect.to_owned(),
            _ => format!("{}/{}", self.judge.dialect, self.flavor),
        }
    }
}

impl Destination {
    /// The target of the translation. The vendor's own flavor is the default, without a name.
    pub fn target(&self) -> Target {
        let is_first_party = self.provider.judge.flavors.first() == Some(&self.provider.flavor);
        Target {
            model: Some(JsonString::new(&self.model)),
            flavor: (!is_first_party).then_some(self.provider.flavor),
            ..Target::default()
        }
    }
}

impl std::fmt::Debug for TargetProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.provider.name(), self.model)
    }
}

/// One model for each row of the judge's profiles of a provider, and one unknown model. Those of
/// Chat Completions stand in the files of its providers.
fn sample_models(dialect: &str, flavor: &str) -> &'static [&'static str] {
    if dialect == openai_chat::JUDGE.dialect
        && let Some(provider) = openai_chat::find_provider(flavor)
    {
        return provider.sample_models().collect::<Vec<_>>().leak();
    }
    let row = SAMPLE_MODELS.iter().find(|(row_dialect, name, _)| {
        *row_dialect == dialect && (name.is_empty() || *name == flavor)
    });
    row.map_or(&["some-model"], |(_, _, models)| models)
}

type ModelNames = &'static [&'static str];

/// Dialect, flavor (any if empty), models.
const SAMPLE_MODELS: &[(&str, &str, ModelNames)] = &[
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
