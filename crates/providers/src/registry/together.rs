//! Together AI.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset =
    openai_chat_preset("together", "generic", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"]);
