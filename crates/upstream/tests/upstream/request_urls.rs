//! The URL and headers of the requests to each provider.

use http::header::{self, HeaderValue};
use interlingua::find_dialect;
use interlingua_model::ApiErrorKind;
use interlingua_providers::PRESETS;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::preset::ProviderPreset;
use interlingua_upstream::ProviderFromEnv;
use interlingua_upstream::{Operation, Provider, UpstreamRequest};
use url::Url;

use crate::mock_server::{OK_RESPONSE, mock_server};
use crate::support::{KEY, call_error, moved_to, test_provider, turn_request, upstream};

/// An environment in which every key is set.
fn env(name: &str) -> Option<String> {
    match name {
        "GOOGLE_CLOUD_PROJECT" => Some("my-project".into()),
        "AZURE_RESOURCE_NAME" => Some("my-resource".into()),
        "AWS_REGION" => Some("eu-west-1".into()),
        "CLOUDFLARE_ACCOUNT_ID" => Some("my-account".into()),
        _ => name.ends_with("_KEY").then(|| KEY.into()),
    }
}

#[test]
fn every_preset_makes_a_provider() {
    for row in PRESETS {
        let provider = row.provider(&env).unwrap();
        assert_eq!(provider.name, row.name);
        assert!(
            find_dialect(row.dialect).is_some_and(|dialect| dialect.id() == provider.dialect.id())
        );
        let flavors = provider.dialect.flavors();
        assert!(provider.flavor.is_none_or(|flavor| flavors.contains(&flavor)), "{}", row.name);
        for other in &provider.alternates {
            let flavors = other.dialect.flavors();
            assert!(other.flavor.is_none_or(|flavor| flavors.contains(&flavor)), "{}", row.name);
        }
        let local = provider.base_url.host_str() == Some("127.0.0.1");
        assert_eq!(provider.base_url.scheme() == "http", local, "{}", row.name);
        assert_eq!(row.key_vars.is_empty(), local, "{}", row.name);
    }
    let mut names: Vec<_> = PRESETS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PRESETS.len());
}

#[test]
fn instructions_are_joined_for_servers_that_are_unknown() {
    let at = |dialect: &str, url: &str| {
        Provider::new("lab", find_dialect(dialect).unwrap(), Url::parse(url).unwrap())
    };
    for (url, joined) in [
        ("http://127.0.0.1:8080/v1", true),
        ("http://gpu.lan/v1", true),
        ("https://notopenai.com/v1", true),
        ("https://api.openai.com/v1", false),
        ("https://eu.api.openai.com/v1", false),
        ("https://lab.openai.azure.com/openai/v1", false),
    ] {
        assert_eq!(at("openai-chat", url).joins_instructions(), joined, "{url}");
        assert_eq!(at("openai-responses", url).joins_instructions(), joined, "{url}");
        assert!(!at("anthropic", url).joins_instructions(), "{url}");
    }
    let local = Url::parse("http://127.0.0.1:8080/v1").unwrap();
    for row in PRESETS {
        let provider = row.provider(&env).unwrap();
        assert!(!provider.joins_instructions(), "{}", row.name);
        // Another address keeps the flavor, except the vendor's own.
        let flavor = provider.flavor;
        let moved = provider.with_base_url(&local);
        let joined = row.name == "openai";
        assert_eq!(moved.joins_instructions(), joined, "{}", row.name);
        assert_eq!(moved.flavor, flavor.filter(|_| !joined), "{}", row.name);
    }
}

#[test]
fn url_parameters_come_from_the_environment() {
    let base = |name: &str, env: &dyn Fn(&str) -> Option<String>| {
        ProviderPreset::find(name)
            .unwrap()
            .provider(env)
            .map(|provider| provider.base_url.to_string())
    };
    let missing = |_: &str| None;
    assert_eq!(
        base("bedrock", &missing).unwrap(),
        "https://bedrock-runtime.us-east-1.amazonaws.com/"
    );
    let preset_error = base("azure", &missing).unwrap_err();
    assert_eq!(
        preset_error.to_string(),
        "azure: set AZURE_RESOURCE_NAME to its resource, or write `resource` in the file"
    );
    let invalid_env = |_: &str| Some("evil.example/".to_owned());
    let preset_error = base("bedrock", &invalid_env).unwrap_err();
    assert_eq!(preset_error.to_string(), "bedrock: its region may have letters, digits and - only");
    let azure = |name: &str| {
        (name == "AZURE_OPENAI_ENDPOINT").then(|| "https://mine.openai.azure.com/".to_owned())
    };
    assert_eq!(base("azure", &azure).unwrap(), "https://mine.openai.azure.com/openai/v1");
    let world = |name: &str| (name == "GOOGLE_CLOUD_PROJECT").then(|| "p".to_owned());
    let global = "https://aiplatform.googleapis.com/v1/projects/p/locations/global";
    assert_eq!(base("vertex", &world).unwrap(), global);
    let env_var = |name: &str| match name {
        "GOOGLE_CLOUD_LOCATION" => Some("europe-west4".to_owned()),
        name => world(name),
    };
    let regional =
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4";
    assert_eq!(base("vertex", &env_var).unwrap(), regional);
}

#[tokio::test]
async fn each_dialect_is_called_at_its_path_with_its_key() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let upstream = upstream();
    for (name, dialect, operation, line, shown) in EXPECTED_REQUESTS {
        let provider = ProviderPreset::find(name).unwrap().provider(&env).unwrap();
        let provider =
            moved_to(provider.variant(find_dialect(dialect).unwrap().id()).unwrap(), addr);
        let call =
            UpstreamRequest { operation: *operation, model: "a/b:c d", ..turn_request(&provider) };
        assert_eq!(upstream.call(call).await.unwrap().status, 200);
        let head = requests.last();
        assert_eq!(head.lines().next().unwrap(), format!("{line} HTTP/1.1"), "{name}");
        assert!(head.contains(&format!("\r\n{shown}\r\n")), "{name}: {head}");
        assert!(head.contains(&format!("\r\nhost: {addr}\r\n")), "{name}: {head}");
        assert!(!head.contains("accept-encoding"), "{name}: {head}");
    }
}

#[tokio::test]
async fn hop_by_hop_headers_are_not_forwarded() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = test_provider(&format!("http://user:word@{addr}/v1?api-version=7"));
    let mut call = turn_request(&provider);
    for (name, value) in [
        (header::AUTHORIZATION, "Bearer client"),
        (header::COOKIE, "a=b"),
        (header::ACCEPT_ENCODING, "gzip"),
        (header::HOST, "elsewhere"),
        (header::CONTENT_LENGTH, "3"),
        (header::TRANSFER_ENCODING, "chunked"),
    ] {
        call.headers.insert(name, HeaderValue::from_static(value));
    }
    call.headers.insert("x-api-key", HeaderValue::from_static("client"));
    call.headers.insert("x-kept", HeaderValue::from_static("yes"));
    upstream().call(call).await.unwrap();
    let head = requests.last();
    assert!(head.starts_with("POST /v1/chat/completions?api-version=7 HTTP/1.1\r\n"), "{head}");
    for absent in ["client", "cookie", "gzip", "elsewhere", "transfer-encoding", "word"] {
        assert!(!head.contains(absent), "{absent}: {head}");
    }
    assert!(head.contains("x-kept: yes\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
}

#[tokio::test]
async fn without_a_key_the_clients_key_is_forwarded() {
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let mut provider = test_provider(&format!("http://{addr}"));
    provider.api_key = None;
    let mut call = turn_request(&provider);
    call.headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer client"));
    upstream().call(call).await.unwrap();
    assert!(requests.last().contains("authorization: Bearer client\r\n"));
}

#[tokio::test]
async fn a_model_name_cannot_change_the_path() {
    let gemini = |base: &str| {
        Provider::new("gemini", find_dialect("gemini").unwrap(), Url::parse(base).unwrap())
    };
    let (addr, requests) = mock_server(|_, _| Some(OK_RESPONSE)).await;
    let provider = gemini(&format!("http://{addr}"));
    for model in ["", ".", ".."] {
        let error =
            call_error(&upstream(), UpstreamRequest { model, ..turn_request(&provider) }).await;
        assert_eq!(error.kind, ApiErrorKind::InvalidRequest);
    }
    for model in ["../../x?y#z", "models/../../x?y#z"] {
        upstream().call(UpstreamRequest { model, ..turn_request(&provider) }).await.unwrap();
        let line = "POST /v1beta/models/..%2F..%2Fx%3Fy%23z:generateContent HTTP/1.1";
        assert_eq!(requests.last().lines().next().unwrap(), line);
    }
}

#[tokio::test]
async fn unsupported_operations_are_errors() {
    let provider = test_provider("http://127.0.0.1:1");
    assert!(!provider.supports(Operation::CountTokens));
    let error = call_error(
        &upstream(),
        UpstreamRequest { operation: Operation::CountTokens, ..turn_request(&provider) },
    )
    .await;
    assert_eq!((error.kind, error.status), (ApiErrorKind::NotFound, 404));
}

#[tokio::test]
async fn an_invalid_key_is_neither_sent_nor_logged() {
    let mut provider = test_provider("http://127.0.0.1:1");
    provider.api_key = Some(format!("{KEY}\r\nx-evil: 1").into());
    assert_eq!(provider.auth, AuthScheme::Bearer);
    let error = call_error(&upstream(), turn_request(&provider)).await;
    assert_eq!(error.status, 500);
}

#[test]
fn another_base_url_drops_dialects_with_their_own_base_url() {
    let base = Url::parse("https://gateway.example/v1").unwrap();
    let moved = |name: &str| {
        ProviderPreset::find(name).unwrap().provider(&env).unwrap().with_base_url(&base)
    };
    let (anthropic, responses) = ("anthropic", "openai-responses");
    let id = |name: &str| find_dialect(name).unwrap().id();
    assert!(moved("deepseek").variant(id(anthropic)).is_none());
    let openai = moved("openai");
    assert_eq!(openai.variant(id(responses)).unwrap().base_url, base);
}

const TURN: Operation = Operation::Turn { stream: false };
const STREAM: Operation = Operation::Turn { stream: true };

/// Provider, dialect, operation; the request line and a header that the provider receives.
const EXPECTED_REQUESTS: &[(&str, &str, Operation, &str, &str)] = &[
    ("anthropic", "anthropic", TURN, "POST /v1/messages", "x-api-key: sk-canary-4711"),
    ("anthropic", "anthropic", STREAM, "POST /v1/messages", "anthropic-version: 2023-06-01"),
    (
        "anthropic",
        "anthropic",
        Operation::CountTokens,
        "POST /v1/messages/count_tokens",
        "accept: application/json",
    ),
    (
        "anthropic",
        "anthropic",
        Operation::ListModels,
        "GET /v1/models?limit=1000",
        "x-api-key: sk-canary-4711",
    ),
    (
        "openai",
        "openai-chat",
        TURN,
        "POST /v1/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    ("openai", "openai-chat", STREAM, "POST /v1/chat/completions", "accept: text/event-stream"),
    (
        "openai",
        "openai-chat",
        Operation::ListModels,
        "GET /v1/models",
        "authorization: Bearer sk-canary-4711",
    ),
    ("openai", "openai-responses", TURN, "POST /v1/responses", "content-type: application/json"),
    (
        "openai",
        "openai-responses",
        Operation::CountTokens,
        "POST /v1/responses/input_tokens",
        "authorization: Bearer sk-canary-4711",
    ),
    (
        "openrouter",
        "openai-chat",
        TURN,
        "POST /api/v1/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    (
        "gemini",
        "gemini",
        TURN,
        "POST /v1beta/models/a%2Fb:c%20d:generateContent",
        "x-goog-api-key: sk-canary-4711",
    ),
    (
        "gemini",
        "gemini",
        STREAM,
        "POST /v1beta/models/a%2Fb:c%20d:streamGenerateContent?alt=sse",
        "x-goog-api-key: sk-canary-4711",
    ),
    (
        "gemini",
        "gemini",
        Operation::CountTokens,
        "POST /v1beta/models/a%2Fb:c%20d:countTokens",
        "x-goog-api-key: sk-canary-4711",
    ),
    (
        "gemini",
        "gemini",
        Operation::ListModels,
        "GET /v1beta/models?pageSize=1000",
        "x-goog-api-key: sk-canary-4711",
    ),
    (
        "vertex",
        "gemini",
        STREAM,
        "POST /v1/projects/my-project/locations/global/publishers/google/models/a%2Fb:c%20d:streamGenerateContent?alt=sse",
        "accept: text/event-stream",
    ),
    (
        "deepseek",
        "openai-chat",
        TURN,
        "POST /chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    ("deepseek", "anthropic", TURN, "POST /anthropic/v1/messages", "x-api-key: sk-canary-4711"),
    (
        "groq",
        "openai-chat",
        TURN,
        "POST /openai/v1/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    (
        "fireworks",
        "openai-chat",
        TURN,
        "POST /inference/v1/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    (
        "qwen",
        "openai-chat",
        TURN,
        "POST /compatible-mode/v1/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    (
        "glm",
        "openai-chat",
        TURN,
        "POST /api/paas/v4/chat/completions",
        "authorization: Bearer sk-canary-4711",
    ),
    ("ollama", "openai-chat", TURN, "POST /v1/chat/completions", "accept: application/json"),
    ("azure", "openai-chat", TURN, "POST /openai/v1/chat/completions", "api-key: sk-canary-4711"),
    ("azure", "openai-responses", TURN, "POST /openai/v1/responses", "api-key: sk-canary-4711"),
];
