//! Azure `OpenAI`.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    auth: AuthScheme::ApiKey,
    alternates: &[AlternateDialect {
        dialect: "openai-responses",
        flavor: Some("azure"),
        base_url: None,
        auth: AuthScheme::ApiKey,
    }],
    url_params: &[UrlParam { name: "resource", env_vars: &["AZURE_RESOURCE_NAME"], default: None }],
    endpoint_var: Some(("AZURE_OPENAI_ENDPOINT", "/openai/v1")),
    otel_name: Some("azure.ai.openai"),
    variants: &[
        Variant {
            chat: Some(&Flavor { name: "azure", ..OPENAI }),
            profile: |p| {
                let body = openai_chat_fields::AZURE_BODY;
                // The first field exists on models with cache breakpoints only.
                p.fields.body_fields = Some(if p.cache.supported { body } else { &body[1..] });
            },
            models: &[(&["*o4*"], |p| {
                p.tools.name_format.punctuation = Some("_-.");
                p.tools.called_name_format.punctuation = Some("_-.");
            })],
            ..Variant::vendor("openai-chat", "azure")
        },
        Variant {
            profile: |p| p.tools.web_search = None,
            ..Variant::vendor("openai-responses", "azure")
        },
    ],
    ..openai_chat_preset(
        "azure",
        "azure",
        "https://{resource}.openai.azure.com/openai/v1",
        &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    )
};
