//! `MiniMax`. Reasoning comes in `<think>` tags.
//! <https://platform.minimax.io/docs/api-reference/text-openai-api>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["MiniMax-*"],
    ..openai_chat_preset("minimax", "generic", "https://api.minimax.io/v1", &["MINIMAX_API_KEY"])
};
