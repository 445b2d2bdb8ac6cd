//! `LocalAI`, with backends of others. No deviations are documented.
//! <https://localai.io/features/text-generation/>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset =
    openai_chat_preset("localai", "generic", "http://127.0.0.1:8080/v1", &[]);
