//! Novita AI, which hosts models of others. No deviations are documented.
//! <https://novita.ai/docs/guides/llm-api>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset =
    openai_chat_preset("novita", "generic", "https://api.novita.ai/openai", &["NOVITA_API_KEY"]);
