//! The router of Hugging Face: what is accepted depends on the provider behind it.
//! <https://huggingface.co/docs/inference-providers/en/tasks/chat-completion>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    // Also the token of the hub.
    has_shared_key: true,
    ..openai_chat_preset(
        "huggingface",
        "generic",
        "https://router.huggingface.co/v1",
        &["HF_TOKEN"],
    )
};
