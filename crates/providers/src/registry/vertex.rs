//! Gemini in Vertex AI.

use crate::prelude::*;

pub(super) const PROVIDER: ProviderPreset = ProviderPreset {
    name: "vertex",
    otel_name: Some("gcp.vertex_ai"),
    dialect: "gemini",
    flavor: Some("vertex"),
    base_url: "https://{location-}aiplatform.googleapis.com/v1/projects/{project}/locations/{location}",
    key_vars: &["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"],
    url_params: &[
        UrlParam {
            name: "project",
            env_vars: &["GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_PROJECT"],
            default: None,
        },
        UrlParam {
            name: "location",
            env_vars: &["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION"],
            default: Some(GLOBAL_LOCATION),
        },
    ],
    paths: Some(&PATHS),
    variants: &[Variant {
        profile: |p| {
            p.calls.results_need_name = true;
            p.fields = gemini_fields::VERTEX;
            p.settings = SettingsProfile {
                response_format: p.settings.response_format,
                ..settings_gemini::VERTEX
            };
            p.roles.role_names = &["user", "model"];
            // "Please ensure that multiturn requests ends with a user role or a function response."
            p.roles.last_role = LastRole::User;
            // "Unable to submit request because it has an empty text parameter."
            p.texts.min_text = TextMinimum::NonEmpty;
            p.texts.min_system_text = TextMinimum::NonEmpty;
            p.texts.empty_text_sealer = Some("google");
            p.tools.shapes = &tool_shapes::VERTEX;
            p.tools.schema.openapi = Some(OpenApiSubset::Extended);
            p.tools.hosted_tool_mixing = HostedToolMixing::Never;
        },
        models: &[
            (
                &["*gemini-2*", "*gemini-1*", "*gemini-pro-vision*", "*gemini-exp*", "*learnlm*"],
                |p| {
                    p.calls.results_need_name = false;
                    p.calls.id_format.omitted = true;
                    p.settings.max_tokens.max = 8_192;
                    p.settings.stop_sequences.max_count = 16;
                },
            ),
            (&["*gemini-2-5*"], |p| p.calls.id_format.omitted = false),
            (&["*gemini-2.5*", "*flash-thinking*"], |p| {
                p.settings.max_tokens.max = 65_535;
                p.settings.stop_sequences = settings_gemini::VERTEX.stop_sequences;
            }),
        ],
        ..Variant::vendor("gemini", "vertex")
    }],
    ..PRESET_DEFAULTS
};

const PATHS: EndpointPaths = EndpointPaths {
    turn: "/publishers/google/models/{model}:generateContent",
    streamed_turn: "/publishers/google/models/{model}:streamGenerateContent?alt=sse",
    count_tokens: Some("/publishers/google/models/{model}:countTokens"),
    compact: None,
    // Models are listed per publisher, not per project.
    models: None,
};
