//! Volcengine Ark, with the Doubao models.
//!
//! Messages need content: "The request failed because it is missing `messages.content` parameter."
//! <https://github.com/AstrBotDevs/AstrBot/issues/6852>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    model_patterns: &["doubao-*"],
    ..openai_chat_preset(
        "volcengine",
        "generic",
        "https://ark.cn-beijing.volces.com/api/v3",
        &["ARK_API_KEY"],
    )
};
