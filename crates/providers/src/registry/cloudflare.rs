//! Cloudflare Workers AI.
//!
//! Contents are strings, and never null: "Type mismatch of '/messages/0/content', 'array' not in 'string'"
//! <https://github.com/anomalyco/opencode/issues/30381>
//! <https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/>

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    // Also the tokens of every other product.
    has_shared_key: true,
    url_params: &[UrlParam {
        name: "account",
        env_vars: &["CLOUDFLARE_ACCOUNT_ID"],
        default: None,
    }],
    ..openai_chat_preset(
        "cloudflare",
        "generic",
        "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1",
        &["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"],
    )
};
