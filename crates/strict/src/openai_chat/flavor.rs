//! Flavors of Chat Completions: their error formats, and the upstream providers of routers.

use crate::Request;

/// The format of a server's error bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorFormat {
    /// `{"error": {message, type, param, code}}`
    Nested,
    /// As `Nested`, with `param` null and this code.
    NestedFixedCode(Option<&'static str>),
    /// `{"error": {message, type}}`
    MessageAndType,
    /// `{message, type, param, code}`
    Flat,
    /// `{"object": "error", message, type, param, code}`
    ObjectTagged,
    /// `{"error": {message, type, param, code}}` with the status as code.
    StatusAsCode,
    /// `{"error": {code, message, type}}` with the status as code.
    CodeMessageType,
    /// `{"error": {code, message}}`
    CodeAndMessage,
    /// `{"code": "Client specified an invalid argument", "error": "…"}`
    CodeAndErrorString,
    /// `{"error": "…"}`
    ErrorString,
    /// `[{"error": {code, message, status}}]`
    Array,
    /// `{"error": {message, code, metadata: {raw, provider_name}}}`
    WrappedUpstream,
}

/// The upstream provider of a router, by prefix of the model name.
#[derive(Debug)]
pub(super) struct RouterUpstream {
    pub model_prefix: &'static str,
    pub provider: &'static str,
    /// The responder for error messages; the router itself where they are in `OpenAI`'s wording.
    pub responder: &'static str,
}

/// The key of this request's error messages: the flavor, or behind a router the upstream provider.
pub(super) fn responder(request: &Request<'_>) -> &'static str {
    let flavor = canonical(request.flavor);
    if flavor != ROUTER {
        return flavor;
    }
    upstream_of(request.model).responder
}

/// The upstream provider, if the flavor is a router.
pub(super) fn upstream_provider(request: &Request<'_>) -> Option<&'static str> {
    (request.flavor == ROUTER).then(|| upstream_of(request.model).provider)
}

/// The static name of a flavor; unknown flavors behave like `OpenAI`.
pub(super) fn canonical(flavor: &str) -> &'static str {
    ERROR_FORMATS
        .iter()
        .find(|(name, _)| *name == flavor)
        .map_or(ERROR_FORMATS[0].0, |(name, _)| *name)
}

pub(super) fn error_format(flavor: &str) -> ErrorFormat {
    ERROR_FORMATS
        .iter()
        .find(|(name, _)| *name == flavor)
        .map_or(ERROR_FORMATS[0].1, |(_, format)| *format)
}

fn upstream_of(model: &str) -> &'static RouterUpstream {
    let found = UPSTREAMS.iter().find(|row| model.starts_with(row.model_prefix));
    found.unwrap_or(&UPSTREAMS[0])
}

const ERROR_FORMATS: &[(&str, ErrorFormat)] = &[
    ("openai", ErrorFormat::Nested),
    (ROUTER, ErrorFormat::WrappedUpstream),
    ("deepseek", ErrorFormat::NestedFixedCode(Some("invalid_request_error"))),
    ("mistral", ErrorFormat::ObjectTagged),
    ("groq", ErrorFormat::MessageAndType),
    ("moonshot", ErrorFormat::MessageAndType),
    ("xai", ErrorFormat::CodeAndErrorString),
    ("qwen", ErrorFormat::NestedFixedCode(Some("invalid_parameter_error"))),
    ("glm", ErrorFormat::CodeAndMessage),
    ("cerebras", ErrorFormat::Flat),
    ("vllm", ErrorFormat::StatusAsCode),
    ("ollama", ErrorFormat::NestedFixedCode(None)),
    ("llama.cpp", ErrorFormat::CodeMessageType),
    ("lm-studio", ErrorFormat::ErrorString),
    ("azure", ErrorFormat::Nested),
    ("gemini-compat", ErrorFormat::Array),
    ("generic", ErrorFormat::Nested),
];

/// All flavor names, in the order of `ERROR_FORMATS`.
pub(super) const FLAVORS: &[&str] = &{
    let mut names = [""; ERROR_FORMATS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ERROR_FORMATS[at].0;
        at += 1;
    }
    names
};

/// The first row is the default.
const UPSTREAMS: &[RouterUpstream] = &[
    RouterUpstream { model_prefix: "openai/", provider: "OpenAI", responder: ROUTER },
    RouterUpstream {
        model_prefix: "anthropic/",
        provider: "Anthropic",
        responder: ROUTER_ANTHROPIC,
    },
    RouterUpstream {
        model_prefix: "google/",
        provider: "Google AI Studio",
        responder: ROUTER_GOOGLE,
    },
    RouterUpstream { model_prefix: "deepseek/", provider: "DeepSeek", responder: ROUTER },
    RouterUpstream { model_prefix: "mistralai/", provider: "Mistral", responder: ROUTER },
    RouterUpstream { model_prefix: "moonshotai/", provider: "Moonshot AI", responder: ROUTER },
    RouterUpstream { model_prefix: "qwen/", provider: "Alibaba", responder: ROUTER },
    RouterUpstream { model_prefix: "x-ai/", provider: "xAI", responder: ROUTER },
    RouterUpstream { model_prefix: "z-ai/", provider: "Z.AI", responder: ROUTER },
];

const ROUTER: &str = "openrouter";
pub(super) const ROUTER_ANTHROPIC: &str = "openrouter: anthropic";
pub(super) const ROUTER_GOOGLE: &str = "openrouter: google";

/// `OpenAI`, and Azure with the same models.
pub(super) const FIRST_PARTY: &[&str] = &["openai", "azure"];
/// Flavors with `OpenAI`'s checks of the conversation.
pub(super) const OPENAI_CONVERSATION_CHECKS: &[&str] = &["openai", "azure", ROUTER, "generic"];
/// Flavors without their own error messages for malformed fields.
pub(super) const DEFAULT_ERROR_FLAVORS: &[&str] = &[
    "openai",
    "azure",
    ROUTER,
    ROUTER_ANTHROPIC,
    ROUTER_GOOGLE,
    "deepseek",
    "groq",
    "moonshot",
    "xai",
    "qwen",
    "glm",
    "cerebras",
    "vllm",
    "ollama",
    "lm-studio",
    "gemini-compat",
    "generic",
];
