//! Fireworks AI.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = openai_chat_preset(
    "fireworks",
    "generic",
    "https://api.fireworks.ai/inference/v1",
    &["FIREWORKS_API_KEY"],
);
