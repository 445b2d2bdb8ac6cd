//! How each dialect is asked: its paths, its key, its headers. One data row each.

use crate::{Auth, Paths};

/// As the inventor of a dialect has it.
#[derive(Debug)]
pub(crate) struct Way {
    dialect: &'static str,
    pub(crate) paths: Paths,
    pub(crate) auth: Auth,
    /// Sent unless the client or the configuration says otherwise.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

impl Way {
    pub(crate) fn of(dialect: &str) -> &'static Self {
        WAYS.iter().find(|way| way.dialect == dialect).unwrap_or(&CHAT)
    }
}

static CHAT: Way = Way {
    dialect: "openai-chat",
    paths: Paths {
        turn: "/chat/completions",
        stream: "/chat/completions",
        count: None,
        models: Some("/models"),
    },
    auth: Auth::Bearer,
    headers: &[],
};

/// Dialects that are asked in another way than most.
static WAYS: &[Way] = &[
    Way {
        dialect: "anthropic",
        paths: Paths {
            turn: "/v1/messages",
            stream: "/v1/messages",
            count: Some("/v1/messages/count_tokens"),
            models: Some("/v1/models?limit=1000"),
        },
        auth: Auth::XApiKey,
        headers: &[("anthropic-version", "2023-06-01")],
    },
    Way {
        dialect: "openai-responses",
        paths: Paths {
            turn: "/responses",
            stream: "/responses",
            count: Some("/responses/input_tokens"),
            models: Some("/models"),
        },
        auth: Auth::Bearer,
        headers: &[],
    },
    Way {
        dialect: "gemini",
        paths: Paths {
            turn: "/v1beta/models/{model}:generateContent",
            stream: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
            count: Some("/v1beta/models/{model}:countTokens"),
            models: Some("/v1beta/models?pageSize=1000"),
        },
        auth: Auth::GoogApiKey,
        headers: &[],
    },
    Way {
        dialect: "bedrock",
        paths: Paths {
            turn: "/model/{model}/converse",
            stream: "/model/{model}/converse-stream",
            count: Some("/model/{model}/count-tokens"),
            models: Some("/foundation-models"),
        },
        auth: Auth::SigV4,
        headers: &[],
    },
];
