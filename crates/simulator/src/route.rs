//! Maps a request path to a provider, an API and an endpoint.

use std::sync::LazyLock;

use interlingua_strict::{self as strict, Judge};

/// An API with its own format of requests and replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
    Bedrock,
}

/// A simulated provider with its own base URL.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedProvider {
    /// The first path segment.
    pub name: &'static str,
    pub api: Api,
    /// Its flavor of the API.
    pub flavor: &'static str,
    /// The rest of the base URL after the name.
    pub base_path: &'static str,
}

/// The API, flavor and endpoint of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub api: Api,
    pub flavor: &'static str,
    pub endpoint: Endpoint,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Generates a turn. Model and streaming are set only if the path has them.
    Generate {
        model: Option<String>,
        stream: Option<bool>,
    },
    /// Counts the tokens of a request.
    CountTokens {
        model: Option<String>,
    },
    /// Lists all models, or shows one.
    Models {
        model: Option<String>,
    },
    /// Probe of a client: `HEAD /`, `/api/hello`, `/v1`.
    Health,
    Unknown,
}

impl Api {
    pub fn judge(self) -> &'static Judge {
        match self {
            Self::Anthropic => &strict::anthropic::JUDGE,
            Self::Chat => &strict::openai_chat::JUDGE,
            Self::Responses => &strict::openai_responses::JUDGE,
            Self::Gemini => &strict::gemini::JUDGE,
            Self::Bedrock => &strict::bedrock::JUDGE,
        }
    }

    pub fn dialect(self) -> &'static str {
        self.judge().dialect
    }
}

/// Reads a path. `hint` is the API from the headers, for paths that several APIs share.
pub fn parse_route(path: &str, hint: Option<Api>) -> Route {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let provider = segments.first().and_then(|first| find_provider(first));
    let rest = if provider.is_some() { &segments[1..] } else { &segments[..] };
    let api = provider.map(|provider| provider.api).or(hint);
    let (api, endpoint) = parse_endpoint(rest, api);
    let vertex = rest.contains(&"projects") || provider.is_some_and(|p| p.flavor == "vertex");
    let flavor = match (api, provider) {
        (Api::Gemini, _) if vertex => "vertex",
        (Api::Chat, Some(provider)) if provider.api == Api::Gemini => GEMINI_CHAT_FLAVOR,
        (_, Some(provider)) if provider.api != api => {
            let flavors = api.judge().flavors;
            let own = flavors.iter().find(|flavor| **flavor == provider.name);
            own.copied().unwrap_or_else(|| fallback_flavor(api))
        }
        (_, Some(provider)) => provider.flavor,
        (Api::Responses, None) => "openai",
        (_, None) => fallback_flavor(api),
    };
    Route { api, flavor, endpoint }
}

/// The flavor of an API at a provider that mainly serves another one: the vendor's own, except for
/// Responses.
fn fallback_flavor(api: Api) -> &'static str {
    let vendor_flavor = || PROVIDERS.iter().find(|p| p.api == api).map_or("openai", |p| p.flavor);
    if api == Api::Responses { "relay" } else { vendor_flavor() }
}

fn parse_endpoint(segments: &[&str], api: Option<Api>) -> (Api, Endpoint) {
    let turn = |api: Api| (api, Endpoint::Generate { model: None, stream: None });
    let count = |api: Api| (api, Endpoint::CountTokens { model: None });
    match segments {
        [] | ["api", "hello"] | ["health" | "v1"] => (api.unwrap_or(Api::Chat), Endpoint::Health),
        [.., "messages", "count_tokens"] => count(Api::Anthropic),
        [.., "messages"] => turn(Api::Anthropic),
        [.., "chat", "completions"] => turn(Api::Chat),
        [.., "responses", "input_tokens"] => count(Api::Responses),
        [.., "responses"] => turn(Api::Responses),
        [.., "foundation-models"] => (Api::Bedrock, Endpoint::Models { model: None }),
        ["model", id @ .., verb] if !id.is_empty() => bedrock_endpoint(&id.join("/"), verb),
        _ => match segments.iter().position(|segment| *segment == "models") {
            Some(at) => models_endpoint(&segments[at + 1..].join("/"), api),
            None => (api.unwrap_or(Api::Chat), Endpoint::Unknown),
        },
    }
}

fn bedrock_endpoint(id: &str, verb: &str) -> (Api, Endpoint) {
    let model = Some(percent_decode(id));
    let endpoint = match verb {
        "converse" => Endpoint::Generate { model, stream: Some(false) },
        "converse-stream" => Endpoint::Generate { model, stream: Some(true) },
        "count-tokens" => Endpoint::CountTokens { model },
        _ => Endpoint::Unknown,
    };
    (Api::Bedrock, endpoint)
}

/// The endpoint of the rest after `models/`: nothing, a name, or a name and a verb.
fn models_endpoint(rest: &str, api: Option<Api>) -> (Api, Endpoint) {
    let rest = percent_decode(rest);
    let some = |name: &str| Some(name.to_owned());
    if let Some((name, verb)) = rest.rsplit_once(':') {
        match verb {
            "generateContent" => {
                return (
                    Api::Gemini,
                    Endpoint::Generate { model: some(name), stream: Some(false) },
                );
            }
            "streamGenerateContent" => {
                return (Api::Gemini, Endpoint::Generate { model: some(name), stream: Some(true) });
            }
            "countTokens" => return (Api::Gemini, Endpoint::CountTokens { model: some(name) }),
            _ => {}
        }
    }
    let model = (!rest.is_empty()).then_some(rest);
    (api.unwrap_or(Api::Chat), Endpoint::Models { model })
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) if *first == b'%' => {
                bytes.push(code);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A simulated provider; those that were added to the judge are providers of Chat Completions.
fn find_provider(name: &str) -> Option<SimulatedProvider> {
    let simulated = PROVIDERS.iter().find(|provider| provider.name == name).copied();
    simulated.or_else(|| Some(chat_provider(strict::openai_chat::find_provider(name)?.name)))
}

const fn chat_provider(name: &'static str) -> SimulatedProvider {
    SimulatedProvider { name, api: Api::Chat, flavor: name, base_path: "/v1" }
}

const fn provider(name: &'static str, api: Api, flavor: &'static str) -> SimulatedProvider {
    SimulatedProvider { name, api, flavor, base_path: "" }
}

const GEMINI_CHAT_FLAVOR: &str = "gemini-compat";

/// The simulated providers by the first segment of the path. The first one of an API is its
/// vendor, which also serves paths without a provider.
pub static PROVIDERS: LazyLock<Vec<SimulatedProvider>> = LazyLock::new(|| {
    let chat_flavors = Api::Chat.judge().flavors.iter();
    let chat_flavors = chat_flavors.copied().filter(|flavor| *flavor != GEMINI_CHAT_FLAVOR);
    let mut providers = vec![provider("anthropic", Api::Anthropic, "anthropic")];
    providers.extend(chat_flavors.map(chat_provider));
    providers.extend([
        provider("codex", Api::Responses, "codex"),
        provider("gemini", Api::Gemini, "ai-studio"),
        provider("vertex", Api::Gemini, "vertex"),
        provider("bedrock", Api::Bedrock, "bedrock"),
    ]);
    providers
});
