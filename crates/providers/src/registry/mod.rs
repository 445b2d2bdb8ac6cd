//! Every provider that is known by name, one file each.

mod anthropic;
mod azure;
mod bedrock;
mod cerebras;
mod cloudflare;
mod cohere;
mod deepinfra;
mod deepseek;
mod fireworks;
mod gemini;
mod generic;
mod github;
mod glm;
mod groq;
mod huggingface;
mod llama_cpp;
mod llamafile;
mod lm_studio;
mod lmdeploy;
mod localai;
mod minimax;
mod mistral;
mod moonshot;
mod nebius;
mod novita;
mod nvidia;
mod ollama;
mod openai;
mod openrouter;
mod perplexity;
mod qwen;
mod sambanova;
mod sglang;
mod siliconflow;
mod together;
mod vercel;
mod vertex;
mod vllm;
mod volcengine;
mod xai;

use std::sync::LazyLock;

use interlingua_model::DialectId;

use crate::custom_flavor;
use crate::preset::ProviderPreset;
use crate::spelling::{anthropic as messages, openai_chat};
use crate::variant::Variant;

/// Every provider that is known by name.
pub static PRESETS: &[ProviderPreset] = &[
    anthropic::PROVIDER,
    openai::PROVIDER,
    openrouter::PROVIDER,
    gemini::PROVIDER,
    vertex::PROVIDER,
    deepseek::PROVIDER,
    mistral::PROVIDER,
    groq::PROVIDER,
    xai::PROVIDER,
    moonshot::PROVIDER,
    together::PROVIDER,
    fireworks::PROVIDER,
    cerebras::PROVIDER,
    qwen::PROVIDER,
    glm::PROVIDER,
    cohere::PROVIDER,
    perplexity::PROVIDER,
    nvidia::PROVIDER,
    sambanova::PROVIDER,
    deepinfra::PROVIDER,
    novita::PROVIDER,
    nebius::PROVIDER,
    huggingface::PROVIDER,
    github::PROVIDER,
    cloudflare::PROVIDER,
    vercel::PROVIDER,
    minimax::PROVIDER,
    siliconflow::PROVIDER,
    volcengine::PROVIDER,
    ollama::PROVIDER,
    vllm::PROVIDER,
    lm_studio::PROVIDER,
    llama_cpp::PROVIDER,
    sglang::PROVIDER,
    lmdeploy::PROVIDER,
    llamafile::PROVIDER,
    localai::PROVIDER,
    azure::PROVIDER,
    bedrock::PROVIDER,
];

/// Flavors of no single provider.
static SHARED_VARIANTS: &[Variant] = &[generic::VARIANT];

impl ProviderPreset {
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

impl openai_chat::Flavor {
    /// The flavor with this name; `OpenAI`'s for no name or an unknown one.
    pub fn find(name: Option<&str>) -> &'static Self {
        let variant = name.and_then(|name| find_variant("openai-chat", name));
        let known = variant.and_then(|variant| variant.chat);
        let custom = || name.and_then(|name| custom_flavor::find_spelling(name, Self::find));
        known.or_else(custom).unwrap_or(&openai_chat::OPENAI)
    }
}

impl messages::Flavor {
    /// The flavor with this name; Anthropic's for no name or an unknown one.
    pub fn find(name: Option<&str>) -> &'static Self {
        let variant = name.and_then(|name| find_variant("anthropic", name));
        let known = variant.and_then(|variant| variant.messages);
        let custom = || name.and_then(|name| custom_flavor::find_spelling(name, Self::find));
        known.or_else(custom).unwrap_or(&messages::ANTHROPIC)
    }
}

/// The names of a dialect's flavors. The first is the dialect as its vendor defines it, if it is listed.
pub fn flavors(dialect: DialectId) -> &'static [&'static str] {
    NAMES.iter().find(|(name, _)| *name == dialect.0).map_or(&[], |(_, flavors)| flavors)
}

pub(crate) fn find_variant(dialect: &str, flavor: &str) -> Option<&'static Variant> {
    variants().find(|variant| variant.flavor == flavor && variant.dialect == dialect)
}

fn variants() -> impl Iterator<Item = &'static Variant> {
    PRESETS.iter().flat_map(|preset| preset.variants).chain(SHARED_VARIANTS)
}

/// The names of flavors by dialect.
static NAMES: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
    for variant in variants().filter(|variant| !variant.flavor.is_empty()) {
        match names.iter_mut().find(|(dialect, _)| *dialect == variant.dialect) {
            Some((_, flavors)) => flavors.push(variant.flavor),
            None => names.push((variant.dialect, vec![variant.flavor])),
        }
    }
    names
});

#[cfg(test)]
mod tests {
    use super::{PRESETS, find_variant, variants};
    use crate::model_name::ModelName;

    #[test]
    fn every_provider_has_variants_that_exist() {
        for preset in PRESETS {
            let alternates = preset.alternates.iter().map(|other| (other.dialect, other.flavor));
            for (dialect, flavor) in [(preset.dialect, preset.flavor)].into_iter().chain(alternates)
            {
                let Some(flavor) = flavor else { continue };
                assert!(find_variant(dialect, flavor).is_some(), "{dialect} {flavor}");
            }
        }
    }

    #[test]
    fn variants_have_different_names_and_chat_variants_a_spelling() {
        let mut names: Vec<_> = variants().map(|one| (one.dialect, one.flavor)).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for variant in variants().filter(|variant| variant.dialect == "openai-chat") {
            assert_eq!(variant.chat.map(|chat| chat.name), Some(variant.flavor));
        }
    }

    #[test]
    fn every_pattern_matches_a_name_in_the_file_of_facts() {
        let names: Vec<_> = NAMES.lines().map(ModelName::new).collect();
        let models = variants().flat_map(|one| one.models).flat_map(|(patterns, _)| *patterns);
        let vendors = variants().flat_map(|one| one.vendors).flat_map(|vendor| vendor.models);
        for pattern in models.chain(vendors) {
            assert!(names.iter().any(|name| name.matches(pattern)), "{pattern}");
        }
    }

    const NAMES: &str = include_str!("../../tests/provider_facts/models.txt");
}
