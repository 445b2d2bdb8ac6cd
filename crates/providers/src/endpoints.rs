//! Path templates, authentication and default headers of each dialect.

/// Path templates relative to the base URL. `{model}` is replaced by the model's name; `?` begins a
/// query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointPaths {
    pub turn: &'static str,
    pub streamed_turn: &'static str,
    pub count_tokens: Option<&'static str>,
    pub compact: Option<&'static str>,
    pub models: Option<&'static str>,
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthScheme {
    None,
    /// `authorization: Bearer …`
    Bearer,
    /// `x-api-key`
    XApiKey,
    /// `x-goog-api-key`
    GoogApiKey,
    /// `api-key`
    ApiKey,
    /// AWS Signature Version 4.
    SigV4,
}

/// The endpoints that the dialect's vendor has.
#[derive(Debug)]
pub struct DialectEndpoints {
    pub dialect: &'static str,
    pub paths: EndpointPaths,
    pub auth: AuthScheme,
    /// Headers that are sent unless the client or the configuration sets them.
    pub default_headers: &'static [(&'static str, &'static str)],
}

impl DialectEndpoints {
    pub fn for_dialect(dialect: &str) -> &'static Self {
        ENDPOINTS
            .iter()
            .find(|dialect_endpoints| dialect_endpoints.dialect == dialect)
            .unwrap_or(&OPENAI_CHAT)
    }
}

static OPENAI_CHAT: DialectEndpoints = DialectEndpoints {
    dialect: "openai-chat",
    paths: EndpointPaths {
        turn: "/chat/completions",
        streamed_turn: "/chat/completions",
        count_tokens: None,
        compact: None,
        models: Some("/models"),
    },
    auth: AuthScheme::Bearer,
    default_headers: &[],
};

/// Dialects with endpoints other than those of `OpenAI` Chat.
static ENDPOINTS: &[DialectEndpoints] = &[
    DialectEndpoints {
        dialect: "anthropic",
        paths: EndpointPaths {
            turn: "/v1/messages",
            streamed_turn: "/v1/messages",
            count_tokens: Some("/v1/messages/count_tokens"),
            compact: None,
            models: Some("/v1/models?limit=1000"),
        },
        auth: AuthScheme::XApiKey,
        default_headers: &[("anthropic-version", "2023-06-01")],
    },
    DialectEndpoints {
        dialect: "openai-responses",
        paths: EndpointPaths {
            turn: "/responses",
            streamed_turn: "/responses",
            count_tokens: Some("/responses/input_tokens"),
            compact: Some("/responses/compact"),
            models: Some("/models"),
        },
        auth: AuthScheme::Bearer,
        default_headers: &[],
    },
    DialectEndpoints {
        dialect: "gemini",
        paths: EndpointPaths {
            turn: "/v1beta/models/{model}:generateContent",
            streamed_turn: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
            count_tokens: Some("/v1beta/models/{model}:countTokens"),
            compact: None,
            models: Some("/v1beta/models?pageSize=1000"),
        },
        auth: AuthScheme::GoogApiKey,
        default_headers: &[],
    },
    DialectEndpoints {
        dialect: "bedrock",
        paths: EndpointPaths {
            turn: "/model/{model}/converse",
            streamed_turn: "/model/{model}/converse-stream",
            count_tokens: Some("/model/{model}/count-tokens"),
            compact: None,
            models: Some("/foundation-models"),
        },
        auth: AuthScheme::SigV4,
        default_headers: &[],
    },
];
