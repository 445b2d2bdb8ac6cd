//! Shared lists of efforts and models for the rows about reasoning.

pub(super) const ALL_EFFORTS: &[&str] =
    &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
pub(super) const NONE_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
pub(super) const NONE_TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];
pub(super) const NONE_TO_HIGH: &[&str] = &["none", "low", "medium", "high"];
pub(super) const MINIMAL_TO_HIGH: &[&str] = &["minimal", "low", "medium", "high"];
pub(super) const LOW_TO_HIGH: &[&str] = &["low", "medium", "high"];
pub(super) const OLLAMA_EFFORTS: &[&str] =
    &["minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none"];
pub(super) const REASONING_FIELDS: &[&str] =
    &["reasoning_content", "reasoning", "reasoning_details"];
pub(super) const QWEN_THINKING_MODELS: &[&str] = &[
    "-thinking",
    "^qwq",
    "^qwen3-0.6b",
    "^qwen3-1.7b",
    "^qwen3-4b",
    "^qwen3-8b",
    "^qwen3-14b",
    "^qwen3-32b",
    "^qwen3-30b",
    "^qwen3-235b",
];
pub(super) const GROK_EFFORT_MODELS: &[&str] =
    &["^grok-3-mini", "^grok-4.3", "^grok-4.5", "^grok-4.6", "^grok-4.20-multi-agent"];
pub(super) const GEMINI_UNSIGNED_MODELS: &[&str] =
    &["^gemini-1", "^gemini-2", "^gemma", "^gemini-3-pro-image"];
