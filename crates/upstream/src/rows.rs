//! The providers that are known by name: one data row each.

use crate::row::{Place, Row, Surface};
use crate::{Auth, Paths};

/// Every provider that is known by name.
pub static PROVIDERS: &[Row] = &[
    Row {
        name: "anthropic",
        dialect: "anthropic",
        base_url: "https://api.anthropic.com",
        auth: Auth::XApiKey,
        keys: &["ANTHROPIC_API_KEY"],
        family: &["claude-*"],
        ..BASE
    },
    Row {
        family: &["gpt-*", "o1*", "o3*", "o4*", "chatgpt-*", "codex-*"],
        also: &[Surface {
            dialect: "openai-responses",
            flavor: Some("openai"),
            base_url: None,
            auth: Auth::Bearer,
        }],
        ..chat("openai", "openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
    },
    chat("openrouter", "openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
    Row {
        name: "gemini",
        convention: Some("gcp.gemini"),
        dialect: "gemini",
        flavor: Some("ai-studio"),
        base_url: "https://generativelanguage.googleapis.com",
        auth: Auth::GoogApiKey,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        family: &["gemini-*"],
        ..BASE
    },
    Row {
        name: "vertex",
        convention: Some("gcp.vertex_ai"),
        dialect: "gemini",
        flavor: Some("vertex"),
        base_url: "https://{location-}aiplatform.googleapis.com/v1/projects/{project}/locations/{location}",
        keys: &["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"],
        places: &[
            Place {
                name: "project",
                from: &["GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_PROJECT"],
                otherwise: None,
            },
            Place {
                name: "location",
                from: &["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION"],
                otherwise: Some(WORLD),
            },
        ],
        paths: Some(&VERTEX),
        ..BASE
    },
    Row {
        family: &["deepseek-*"],
        also: &[Surface {
            dialect: "anthropic",
            flavor: Some("deepseek"),
            base_url: Some("https://api.deepseek.com/anthropic"),
            auth: Auth::XApiKey,
        }],
        ..chat("deepseek", "deepseek", "https://api.deepseek.com", &["DEEPSEEK_API_KEY"])
    },
    Row {
        family: &["mistral-*", "codestral-*", "devstral-*", "magistral-*", "ministral-*"],
        convention: Some("mistral_ai"),
        ..chat("mistral", "mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
    },
    chat("groq", "groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    Row {
        family: &["grok-*"],
        convention: Some("x_ai"),
        ..chat("xai", "xai", "https://api.x.ai/v1", &["XAI_API_KEY"])
    },
    Row {
        family: &["kimi-*", "moonshot-*"],
        convention: Some("moonshot_ai"),
        ..chat("moonshot", "moonshot", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"])
    },
    chat("together", "generic", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"]),
    chat("fireworks", "generic", "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"]),
    chat("cerebras", "cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"]),
    chat(
        "qwen",
        "qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY"],
    ),
    Row {
        family: &["glm-*"],
        ..chat("glm", "glm", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY"])
    },
    chat("ollama", "ollama", "http://127.0.0.1:11434/v1", &[]),
    chat("vllm", "vllm", "http://127.0.0.1:8000/v1", &[]),
    chat("lm-studio", "lm-studio", "http://127.0.0.1:1234/v1", &[]),
    chat("llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1", &[]),
    Row {
        auth: Auth::ApiKey,
        also: &[Surface {
            dialect: "openai-responses",
            flavor: Some("azure"),
            base_url: None,
            auth: Auth::ApiKey,
        }],
        places: &[Place { name: "resource", from: &["AZURE_RESOURCE_NAME"], otherwise: None }],
        host: Some(("AZURE_OPENAI_ENDPOINT", "/openai/v1")),
        convention: Some("azure.ai.openai"),
        ..chat(
            "azure",
            "azure",
            "https://{resource}.openai.azure.com/openai/v1",
            &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
        )
    },
    Row {
        name: "bedrock",
        convention: Some("aws.bedrock"),
        dialect: "bedrock",
        base_url: "https://bedrock-runtime.{region}.amazonaws.com",
        auth: Auth::SigV4,
        keys: &["AWS_BEARER_TOKEN_BEDROCK"],
        places: &[Place {
            name: "region",
            from: &["AWS_REGION", "AWS_DEFAULT_REGION"],
            otherwise: Some("us-east-1"),
        }],
        catalogue: Some("https://bedrock.{region}.amazonaws.com"),
        ..BASE
    },
];

/// The place that is everywhere.
pub(crate) const WORLD: &str = "global";

const fn chat(
    name: &'static str,
    flavor: &'static str,
    base_url: &'static str,
    keys: &'static [&'static str],
) -> Row {
    Row { name, flavor: Some(flavor), base_url, keys, ..BASE }
}

const BASE: Row = Row {
    name: "",
    dialect: "openai-chat",
    flavor: None,
    base_url: "",
    auth: Auth::Bearer,
    keys: &[],
    family: &[],
    also: &[],
    places: &[],
    host: None,
    paths: None,
    convention: None,
    catalogue: None,
};

const VERTEX: Paths = Paths {
    turn: "/publishers/google/models/{model}:generateContent",
    stream: "/publishers/google/models/{model}:streamGenerateContent?alt=sse",
    count: Some("/publishers/google/models/{model}:countTokens"),
    // Models are listed for the publisher, not for a project.
    models: None,
};
