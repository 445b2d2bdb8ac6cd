//! Who speaks this dialect in their own way, and what becomes of a refusal there.

use crate::Request;

/// The error bodies of the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Envelope {
    /// `{"error": {message, type, param, code}}`
    Object,
    /// As `Object`, without a parameter; the code is always this one.
    Coded(Option<&'static str>),
    /// `{"error": {message, type}}`
    Short,
    /// `{message, type, param, code}`
    Flat,
    /// `{"object": "error", message, type, param, code}`
    Marked,
    /// `{"error": {message, type, param, code}}` with the status as code.
    Numbered,
    /// `{"error": {code, message, type}}` with the status as code.
    Counted,
    /// `{"error": {code, message}}`
    Bare,
    /// `{"code": "Client specified an invalid argument", "error": "…"}`
    Argument,
    /// `{"error": "…"}`
    Text,
    /// `[{"error": {code, message, status}}]`
    List,
    /// `{"error": {message, code, metadata: {raw, provider_name}}}`
    Routed,
}

/// Whose words a router passes on, by how the model's name begins.
#[derive(Debug)]
pub(super) struct Upstream {
    pub models: &'static str,
    pub provider: &'static str,
    /// Who speaks here; the router itself where the words are the dialect's own.
    pub voice: &'static str,
}

/// The voice in which a request is answered: the flavor, or behind a router the family of models.
pub(super) fn voice(request: &Request<'_>) -> &'static str {
    let flavor = canonical(request.flavor);
    if flavor != ROUTER {
        return flavor;
    }
    routed(request.model).voice
}

/// The provider behind a router.
pub(super) fn upstream(request: &Request<'_>) -> Option<&'static str> {
    (request.flavor == ROUTER).then(|| routed(request.model).provider)
}

/// The flavor's name among ours; who is not known speaks as the inventor does.
pub(super) fn canonical(flavor: &str) -> &'static str {
    ROWS.iter().find(|(name, _)| *name == flavor).map_or(ROWS[0].0, |(name, _)| *name)
}

pub(super) fn envelope(flavor: &str) -> Envelope {
    ROWS.iter().find(|(name, _)| *name == flavor).map_or(ROWS[0].1, |(_, envelope)| *envelope)
}

fn routed(model: &str) -> &'static Upstream {
    let found = UPSTREAMS.iter().find(|row| model.starts_with(row.models));
    found.unwrap_or(&UPSTREAMS[0])
}

const ROWS: &[(&str, Envelope)] = &[
    ("openai", Envelope::Object),
    (ROUTER, Envelope::Routed),
    ("deepseek", Envelope::Coded(Some("invalid_request_error"))),
    ("mistral", Envelope::Marked),
    ("groq", Envelope::Short),
    ("moonshot", Envelope::Short),
    ("xai", Envelope::Argument),
    ("qwen", Envelope::Coded(Some("invalid_parameter_error"))),
    ("glm", Envelope::Bare),
    ("cerebras", Envelope::Flat),
    ("vllm", Envelope::Numbered),
    ("ollama", Envelope::Coded(None)),
    ("llama.cpp", Envelope::Counted),
    ("lm-studio", Envelope::Text),
    ("azure", Envelope::Object),
    ("gemini-compat", Envelope::List),
    ("generic", Envelope::Object),
];

/// The names, in the order of the rows.
pub(super) const NAMES: &[&str] = &{
    let mut names = [""; ROWS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = ROWS[at].0;
        at += 1;
    }
    names
};

/// The first row is for models of no known family.
const UPSTREAMS: &[Upstream] = &[
    Upstream { models: "openai/", provider: "OpenAI", voice: ROUTER },
    Upstream { models: "anthropic/", provider: "Anthropic", voice: ROUTED_ANTHROPIC },
    Upstream { models: "google/", provider: "Google AI Studio", voice: ROUTED_GOOGLE },
    Upstream { models: "deepseek/", provider: "DeepSeek", voice: ROUTER },
    Upstream { models: "mistralai/", provider: "Mistral", voice: ROUTER },
    Upstream { models: "moonshotai/", provider: "Moonshot AI", voice: ROUTER },
    Upstream { models: "qwen/", provider: "Alibaba", voice: ROUTER },
    Upstream { models: "x-ai/", provider: "xAI", voice: ROUTER },
    Upstream { models: "z-ai/", provider: "Z.AI", voice: ROUTER },
];

const ROUTER: &str = "openrouter";
pub(super) const ROUTED_ANTHROPIC: &str = "openrouter: anthropic";
pub(super) const ROUTED_GOOGLE: &str = "openrouter: google";

/// The inventor, and who serves the same models.
pub(super) const INVENTOR: &[&str] = &["openai", "azure"];
/// Who copies the inventor's checks of a conversation.
pub(super) const COPIES: &[&str] = &["openai", "azure", ROUTER, "generic"];
/// Everyone who has no words of their own for a malformed field.
pub(super) const MOST: &[&str] = &[
    "openai",
    "azure",
    ROUTER,
    ROUTED_ANTHROPIC,
    ROUTED_GOOGLE,
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
