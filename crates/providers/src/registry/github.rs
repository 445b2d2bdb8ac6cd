//! GitHub Models: what is accepted depends on the model.
//! <https://docs.github.com/en/rest/models/inference>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    // Also the token of the REST API and of every workflow.
    has_shared_key: true,
    ..openai_chat_preset(
        "github",
        "generic",
        "https://models.github.ai/inference",
        &["GITHUB_TOKEN"],
    )
};
