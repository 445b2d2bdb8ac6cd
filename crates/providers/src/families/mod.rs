//! Families of models: how each generation differs from what the dialect's vendor accepts of the newest.

mod claude;
mod gemini;
mod generation;
mod gpt;

use crate::model_name::ModelName;
use crate::profile::Profile;

/// Applies the first generation of the dialect's vendor that the name matches.
pub(crate) fn apply(dialect: &str, name: &ModelName, profile: &mut Profile) {
    let generations = match dialect {
        "anthropic" | "bedrock" => claude::GENERATIONS,
        "openai-chat" | "openai-responses" => gpt::GENERATIONS,
        "gemini" => gemini::GENERATIONS,
        _ => return,
    };
    let known = generations.iter().find(|generation| name.matches_any(generation.models));
    for (dialects, patch) in known.into_iter().flat_map(|generation| generation.patches) {
        if dialects.contains(&dialect) {
            patch(profile);
        }
    }
}
