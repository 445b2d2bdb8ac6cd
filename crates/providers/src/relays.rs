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

/// Gemini models without signatures, behind servers of Chat Completions.
pub(crate) const GEMINI_UNSIGNED_MODELS: &[&str] =
    &["gemini-1*", "gemini-2*", "gemma*", "gemini-3-pro-image*"];

/// What Gemini accepts behind Chat Completions, of Google and of relays.
pub(crate) fn gemini_in_chat(p: &mut Profile) {
    p.calls.orphan_results = OrphanResults::AmongResults;
    p.calls.one_result_per_call = true;
    p.calls.id_format = calls::NON_EMPTY_ID;
    p.calls.accepts_empty_list = true;
}
