//! `SiliconFlow`, which hosts models of others.
//!
//! `enable_thinking` is for some of its models only.
//! <https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = openai_chat_preset(
    "siliconflow",
    "generic",
    "https://api.siliconflow.com/v1",
    &["SILICONFLOW_API_KEY"],
);
