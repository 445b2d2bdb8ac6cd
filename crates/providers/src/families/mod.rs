//! Families of models: how each generation differs from what the dialect's vendor accepts of the newest.

mod claude;
mod gemini;
mod generation;
mod gpt;

use self::generation::Generation;
use crate::model_name::ModelName;
use crate::profile::Profile;

/// Applies the first generation of the dialect's vendor that the name matches.
pub(crate) fn apply(dialect: &str, name: &ModelName, profile: &mut Profile) {
    let known = generations(dialect).iter().find(|generation| name.matches_any(generation.models));
    for (dialects, patch) in known.into_iter().flat_map(|generation| generation.patches) {
        if dialects.contains(&dialect) {
            patch(profile);
        }
    }
}

fn generations(dialect: &str) -> &'static [Generation] {
    match dialect {
        "anthropic" | "bedrock" => claude::GENERATIONS,
        "openai-chat" | "openai-responses" => gpt::GENERATIONS,
        "gemini" => gemini::GENERATIONS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::generations;
    use crate::model_name::ModelName;

    /// No generation is hidden by one above it.
    #[test]
    fn every_generation_has_a_name_in_the_file_of_facts() {
        let names: Vec<_> = NAMES.lines().map(ModelName::new).collect();
        for dialect in ["anthropic", "openai-chat", "gemini"] {
            let all = generations(dialect);
            let first = |name: &ModelName| all.iter().position(|row| name.matches_any(row.models));
            for (at, generation) in all.iter().enumerate() {
                let models = generation.models;
                assert!(names.iter().any(|name| first(name) == Some(at)), "{models:?}");
            }
        }
    }

    const NAMES: &str = include_str!("../../tests/provider_facts/models.txt");
}
