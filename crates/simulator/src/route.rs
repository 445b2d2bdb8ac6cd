//! Which provider is meant by a path, and what is asked of it.

use crate::api::Api;

/// A provider with a base URL of its own.
#[derive(Debug)]
pub struct Provider {
    /// The first segment of its paths.
    pub name: &'static str,
    pub api: Api,
    /// Its way of speaking that API.
    pub flavor: &'static str,
    /// What follows the name in the base URL that a client is given.
    pub base: &'static str,
}

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub api: Api,
    pub flavor: &'static str,
    pub endpoint: Endpoint,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A turn of the model. Where the path tells, it names the model and says whether to stream.
    Turn {
        model: Option<String>,
        stream: Option<bool>,
    },
    /// The number of tokens a request has.
    Count {
        model: Option<String>,
    },
    /// All models, or the one that is named.
    Models {
        model: Option<String>,
    },
    /// Is anybody there?
    Probe,
    Unknown,
}

/// Reads a path. `hint` is the API that the headers suggest where the path fits several.
pub fn route(path: &str, hint: Option<Api>) -> Route {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let found = segments.first().and_then(|first| PROVIDERS.iter().find(|p| p.name == *first));
    let rest = if found.is_some() { &segments[1..] } else { &segments[..] };
    let named = found.map(|provider| provider.api).or(hint);
    let (api, endpoint) = endpoint(rest, named);
    let vertex = rest.contains(&"projects") || found.is_some_and(|p| p.flavor == "vertex");
    let flavor = match (api, found) {
        (Api::Gemini, _) if vertex => "vertex",
        (_, Some(provider)) if provider.api != api => ALSO
            .iter()
            .find(|(also, name, _)| *also == api && *name == provider.name)
            .map_or(passed_on(api), |row| row.2),
        (_, Some(provider)) => provider.flavor,
        (Api::Responses, None) => "openai",
        (_, None) => passed_on(api),
    };
    Route { api, flavor, endpoint }
}

/// How an API is spoken by one who speaks another: in the words of the inventor, mostly.
fn passed_on(api: Api) -> &'static str {
    let inventor = || PROVIDERS.iter().find(|p| p.api == api).map_or("openai", |p| p.flavor);
    if api == Api::Responses { "relay" } else { inventor() }
}

fn endpoint(segments: &[&str], named: Option<Api>) -> (Api, Endpoint) {
    let turn = |api: Api| (api, Endpoint::Turn { model: None, stream: None });
    let count = |api: Api| (api, Endpoint::Count { model: None });
    match segments {
        [] | ["api", "hello"] | ["health" | "v1"] => (named.unwrap_or(Api::Chat), Endpoint::Probe),
        [.., "messages", "count_tokens"] => count(Api::Anthropic),
        [.., "messages"] => turn(Api::Anthropic),
        [.., "chat", "completions"] => turn(Api::Chat),
        [.., "responses", "input_tokens"] => count(Api::Responses),
        [.., "responses"] => turn(Api::Responses),
        [.., "foundation-models"] => (Api::Bedrock, Endpoint::Models { model: None }),
        ["model", id @ .., verb] if !id.is_empty() => converse(&id.join("/"), verb),
        _ => match segments.iter().position(|segment| *segment == "models") {
            Some(at) => models(&segments[at + 1..].join("/"), named),
            None => (named.unwrap_or(Api::Chat), Endpoint::Unknown),
        },
    }
}

fn converse(id: &str, verb: &str) -> (Api, Endpoint) {
    let model = Some(decoded(id));
    let endpoint = match verb {
        "converse" => Endpoint::Turn { model, stream: Some(false) },
        "converse-stream" => Endpoint::Turn { model, stream: Some(true) },
        "count-tokens" => Endpoint::Count { model },
        _ => Endpoint::Unknown,
    };
    (Api::Bedrock, endpoint)
}

/// What stands after `models/`: nothing, a name, or a name and a verb.
fn models(rest: &str, named: Option<Api>) -> (Api, Endpoint) {
    let rest = decoded(rest);
    let some = |name: &str| Some(name.to_owned());
    if let Some((name, verb)) = rest.rsplit_once(':') {
        match verb {
            "generateContent" => {
                return (Api::Gemini, Endpoint::Turn { model: some(name), stream: Some(false) });
            }
            "streamGenerateContent" => {
                return (Api::Gemini, Endpoint::Turn { model: some(name), stream: Some(true) });
            }
            "countTokens" => return (Api::Gemini, Endpoint::Count { model: some(name) }),
            _ => {}
        }
    }
    let model = (!rest.is_empty()).then_some(rest);
    (named.unwrap_or(Api::Chat), Endpoint::Models { model })
}

fn decoded(text: &str) -> String {
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

const fn chat(name: &'static str) -> Provider {
    Provider { name, api: Api::Chat, flavor: name, base: "/v1" }
}

/// Who speaks another API than their first in a way of their own; everybody else passes on what
/// its inventor says.
const ALSO: &[(Api, &str, &str)] = &[
    (Api::Responses, "openai", "openai"),
    (Api::Responses, "azure", "azure"),
    (Api::Responses, "llama.cpp", "llama.cpp"),
    (Api::Anthropic, "deepseek", "deepseek"),
    (Api::Chat, "gemini", "gemini-compat"),
];

/// Who is played, by the first segment of the path. Of those with one API, the first is its
/// inventor, who also answers paths without a name.
pub static PROVIDERS: &[Provider] = &[
    Provider { name: "anthropic", api: Api::Anthropic, flavor: "anthropic", base: "" },
    chat("openai"),
    Provider { name: "codex", api: Api::Responses, flavor: "codex", base: "" },
    chat("openrouter"),
    chat("deepseek"),
    chat("mistral"),
    chat("groq"),
    chat("moonshot"),
    chat("xai"),
    chat("qwen"),
    chat("glm"),
    chat("cerebras"),
    chat("vllm"),
    chat("ollama"),
    chat("llama.cpp"),
    chat("lm-studio"),
    chat("azure"),
    chat("generic"),
    Provider { name: "gemini", api: Api::Gemini, flavor: "ai-studio", base: "" },
    Provider { name: "vertex", api: Api::Gemini, flavor: "vertex", base: "" },
    Provider { name: "bedrock", api: Api::Bedrock, flavor: "bedrock", base: "" },
];
