//! `SambaNova` Cloud, which hosts models of others.
//!
//! Contents are strings: "Invalid 'content' type. Expected one of: \['str'\], got list."
//! <https://github.com/musistudio/claude-code-router/issues/965>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = openai_chat_preset(
    "sambanova",
    "generic",
    "https://api.sambanova.ai/v1",
    &["SAMBANOVA_API_KEY"],
);
