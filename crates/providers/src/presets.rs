//! The providers that are known by name, as data.

use crate::endpoints::{AuthScheme, EndpointPaths};
use crate::preset::{AlternateDialect, GLOBAL_LOCATION, ProviderPreset, UrlParam};

impl ProviderPreset {
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

/// Every provider that is known by name.
pub static PRESETS: &[ProviderPreset] = &[
    ProviderPreset {
        name: "anthropic",
        dialect: "anthropic",
        base_url: "https://api.anthropic.com",
        auth: AuthScheme::XApiKey,
        key_vars: &["ANTHROPIC_API_KEY"],
        model_patterns: &["claude-*"],
        ..PRESET_DEFAULTS
    },
    ProviderPreset {
        model_patterns: &["gpt-*", "o1*", "o3*", "o4*", "chatgpt-*", "codex-*"],
        alternates: &[AlternateDialect {
            dialect: "openai-responses",
            flavor: Some("openai"),
            base_url: None,
            auth: AuthScheme::Bearer,
        }],
        ..openai_chat_preset("openai", "openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
    },
    openai_chat_preset(
        "openrouter",
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
    ),
    ProviderPreset {
        name: "gemini",
        otel_name: Some("gcp.gemini"),
        dialect: "gemini",
        flavor: Some("ai-studio"),
        base_url: "https://generativelanguage.googleapis.com",
        auth: AuthScheme::GoogApiKey,
        key_vars: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        model_patterns: &["gemini-*"],
        ..PRESET_DEFAULTS
    },
    ProviderPreset {
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
        paths: Some(&VERTEX_PATHS),
        ..PRESET_DEFAULTS
    },
    ProviderPreset {
        model_patterns: &["deepseek-*"],
        alternates: &[AlternateDialect {
            dialect: "anthropic",
            flavor: Some("deepseek"),
            base_url: Some("https://api.deepseek.com/anthropic"),
            auth: AuthScheme::XApiKey,
        }],
        ..openai_chat_preset(
            "deepseek",
            "deepseek",
            "https://api.deepseek.com",
            &["DEEPSEEK_API_KEY"],
        )
    },
    ProviderPreset {
        model_patterns: &["mistral-*", "codestral-*", "devstral-*", "magistral-*", "ministral-*"],
        otel_name: Some("mistral_ai"),
        ..openai_chat_preset(
            "mistral",
            "mistral",
            "https://api.mistral.ai/v1",
            &["MISTRAL_API_KEY"],
        )
    },
    openai_chat_preset("groq", "groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    ProviderPreset {
        model_patterns: &["grok-*"],
        otel_name: Some("x_ai"),
        ..openai_chat_preset("xai", "xai", "https://api.x.ai/v1", &["XAI_API_KEY"])
    },
    ProviderPreset {
        model_patterns: &["kimi-*", "moonshot-*"],
        otel_name: Some("moonshot_ai"),
        ..openai_chat_preset(
            "moonshot",
            "moonshot",
            "https://api.moonshot.ai/v1",
            &["MOONSHOT_API_KEY"],
        )
    },
    openai_chat_preset("together", "generic", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"]),
    openai_chat_preset(
        "fireworks",
        "generic",
        "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"],
    ),
    openai_chat_preset("cerebras", "cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"]),
    openai_chat_preset(
        "qwen",
        "qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY"],
    ),
    ProviderPreset {
        model_patterns: &["glm-*"],
        ..openai_chat_preset("glm", "glm", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY"])
    },
    openai_chat_preset("ollama", "ollama", "http://127.0.0.1:11434/v1", &[]),
    openai_chat_preset("vllm", "vllm", "http://127.0.0.1:8000/v1", &[]),
    openai_chat_preset("lm-studio", "lm-studio", "http://127.0.0.1:1234/v1", &[]),
    openai_chat_preset("llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1", &[]),
    ProviderPreset {
        auth: AuthScheme::ApiKey,
        alternates: &[AlternateDialect {
            dialect: "openai-responses",
            flavor: Some("azure"),
            base_url: None,
            auth: AuthScheme::ApiKey,
        }],
        url_params: &[UrlParam {
            name: "resource",
            env_vars: &["AZURE_RESOURCE_NAME"],
            default: None,
        }],
        endpoint_var: Some(("AZURE_OPENAI_ENDPOINT", "/openai/v1")),
        otel_name: Some("azure.ai.openai"),
        ..openai_chat_preset(
            "azure",
            "azure",
            "https://{resource}.openai.azure.com/openai/v1",
            &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
        )
    },
    ProviderPreset {
        name: "bedrock",
        otel_name: Some("aws.bedrock"),
        dialect: "bedrock",
        base_url: "https://bedrock-runtime.{region}.amazonaws.com",
        auth: AuthScheme::SigV4,
        key_vars: &["AWS_BEARER_TOKEN_BEDROCK"],
        url_params: &[UrlParam {
            name: "region",
            env_vars: &["AWS_REGION", "AWS_DEFAULT_REGION"],
            default: Some("us-east-1"),
        }],
        models_url: Some("https://bedrock.{region}.amazonaws.com"),
        ..PRESET_DEFAULTS
    },
];

const fn openai_chat_preset(
    name: &'static str,
    flavor: &'static str,
    base_url: &'static str,
    keys: &'static [&'static str],
) -> ProviderPreset {
    ProviderPreset { name, flavor: Some(flavor), base_url, key_vars: keys, ..PRESET_DEFAULTS }
}

const PRESET_DEFAULTS: ProviderPreset = ProviderPreset {
    name: "",
    dialect: "openai-chat",
    flavor: None,
    base_url: "",
    auth: AuthScheme::Bearer,
    key_vars: &[],
    model_patterns: &[],
    alternates: &[],
    url_params: &[],
    endpoint_var: None,
    paths: None,
    otel_name: None,
    models_url: None,
};

const VERTEX_PATHS: EndpointPaths = EndpointPaths {
    turn: "/publishers/google/models/{model}:generateContent",
    streamed_turn: "/publishers/google/models/{model}:streamGenerateContent?alt=sse",
    count_tokens: Some("/publishers/google/models/{model}:countTokens"),
    // Models are listed per publisher, not per project.
    models: None,
};
