//! Vendors behind relays: what a relay calls their models, and which of a vendor's facts hold there.

use crate::prelude::*;

/// Models on Bedrock by vendors other than Anthropic.
pub(crate) const BEDROCK_OTHER_VENDORS: &[&str] = &[
    "*amazon-*",
    "*meta-*",
    "*mistral-*",
    "*cohere-*",
    "*deepseek-*",
    "*qwen-*",
    "*openai-*",
    "*moonshot*",
    "*minimax-*",
    "*ai21-*",
    "*writer-*",
    "*zai-*",
    "*google-*",
    "*nvidia-*",
    "*twelvelabs-*",
    "*xai-*",
];

/// `OpenRouter` checks calls, settings and tools of these models as their vendors do.
pub(crate) const OPENROUTER_ANTHROPIC: &[&str] = &["anthropic/*"];
pub(crate) const OPENROUTER_GOOGLE: &[&str] = &["google/*"];
pub(crate) const OPENROUTER_OPENAI: &[&str] = &["openai/*"];
pub(crate) const OPENROUTER_XAI: &[&str] = &["x-ai/*"];

/// Gemini models without signatures, behind servers of Chat Completions.
pub(crate) const GEMINI_UNSIGNED_MODELS: &[&str] =
    &["gemini-1*", "gemini-2*", "gemma*", "gemini-3-pro-image*"];

/// What is the same for a vendor behind `OpenRouter` and in its own API.
pub(crate) fn behind_openrouter(p: &mut Profile) {
    p.tools = ToolProfile { web_search: Some(&web_search::OPENROUTER), ..tools::COMPATIBLE };
    p.settings = SettingsProfile { fields: setting_fields::OPENAI_CHAT, ..settings::COMPATIBLE };
    p.calls.accepts_empty_list = true;
    p.calls.rejected_spellings = ALL_BUT_NULL_CALL;
}
