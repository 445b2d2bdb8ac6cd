//! Where each provider is asked, and what it is shown.

use http::header::{self, HeaderValue};
use interlingua::find;
use interlingua::model::FailureKind;
use interlingua_upstream::{Ask, Auth, Call, PROVIDERS, Provider, Row};
use url::Url;

use crate::server::{OK, server};
use crate::world::{KEY, fails, here, provider, turn, upstream};

/// An environment in which every key is set.
fn env(name: &str) -> Option<String> {
    match name {
        "GOOGLE_CLOUD_PROJECT" => Some("my-project".into()),
        "AZURE_RESOURCE_NAME" => Some("my-resource".into()),
        "AWS_REGION" => Some("eu-west-1".into()),
        _ => name.ends_with("_KEY").then(|| KEY.into()),
    }
}

#[test]
fn every_row_makes_a_provider() {
    for row in PROVIDERS {
        let provider = row.provider(&env).unwrap();
        assert_eq!(provider.name, row.name);
        assert!(find(row.dialect).is_some_and(|dialect| dialect.id() == provider.dialect.id()));
        let known = provider.dialect.flavors();
        assert!(provider.flavor.is_none_or(|flavor| known.contains(&flavor)), "{}", row.name);
        for other in &provider.also {
            let known = other.dialect.flavors();
            assert!(other.flavor.is_none_or(|flavor| known.contains(&flavor)), "{}", row.name);
        }
        let local = provider.base.host_str() == Some("127.0.0.1");
        assert_eq!(provider.base.scheme() == "http", local, "{}", row.name);
        assert_eq!(row.keys.is_empty(), local, "{}", row.name);
    }
    let mut names: Vec<_> = PROVIDERS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROVIDERS.len());
}

#[test]
fn places_of_an_address_come_from_the_environment() {
    let base = |name: &str, env: &dyn Fn(&str) -> Option<String>| {
        Row::find(name).unwrap().provider(env).map(|provider| provider.base.to_string())
    };
    let missing = |_: &str| None;
    assert_eq!(
        base("bedrock", &missing).unwrap(),
        "https://bedrock-runtime.us-east-1.amazonaws.com/"
    );
    let unset = base("azure", &missing).unwrap_err();
    assert_eq!(
        unset.to_string(),
        "azure: set AZURE_RESOURCE_NAME to its resource, or write `resource` in the file"
    );
    let odd = |_: &str| Some("evil.example/".to_owned());
    let unset = base("bedrock", &odd).unwrap_err();
    assert_eq!(unset.to_string(), "bedrock: its region may have letters, digits and - only");
    let azure = |name: &str| {
        (name == "AZURE_OPENAI_ENDPOINT").then(|| "https://mine.openai.azure.com/".to_owned())
    };
    assert_eq!(base("azure", &azure).unwrap(), "https://mine.openai.azure.com/openai/v1");
    let world = |name: &str| (name == "GOOGLE_CLOUD_PROJECT").then(|| "p".to_owned());
    let global = "https://aiplatform.googleapis.com/v1/projects/p/locations/global";
    assert_eq!(base("vertex", &world).unwrap(), global);
    let there = |name: &str| match name {
        "GOOGLE_CLOUD_LOCATION" => Some("europe-west4".to_owned()),
        name => world(name),
    };
    let regional =
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4";
    assert_eq!(base("vertex", &there).unwrap(), regional);
}

#[tokio::test]
async fn each_dialect_is_asked_at_its_path_with_its_key() {
    let (addr, told) = server(|_, _| Some(OK)).await;
    let upstream = upstream();
    for (name, dialect, ask, line, shown) in ASKED {
        let provider = Row::find(name).unwrap().provider(&env).unwrap();
        let provider = here(provider.speaking(find(dialect).unwrap().id()).unwrap(), addr);
        let call = Call { ask: *ask, model: "a/b:c d", ..turn(&provider) };
        assert_eq!(upstream.call(call).await.unwrap().status, 200);
        let head = told.last();
        assert_eq!(head.lines().next().unwrap(), format!("{line} HTTP/1.1"), "{name}");
        assert!(head.contains(&format!("\r\n{shown}\r\n")), "{name}: {head}");
        assert!(head.contains(&format!("\r\nhost: {addr}\r\n")), "{name}: {head}");
        assert!(!head.contains("accept-encoding"), "{name}: {head}");
    }
}

#[tokio::test]
async fn what_is_between_client_and_gateway_stays_there() {
    let (addr, told) = server(|_, _| Some(OK)).await;
    let provider = provider(&format!("http://user:word@{addr}/v1?api-version=7"));
    let mut call = turn(&provider);
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
    let head = told.last();
    assert!(head.starts_with("POST /v1/chat/completions?api-version=7 HTTP/1.1\r\n"), "{head}");
    for absent in ["client", "cookie", "gzip", "elsewhere", "transfer-encoding", "word"] {
        assert!(!head.contains(absent), "{absent}: {head}");
    }
    assert!(head.contains("x-kept: yes\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}\r\n")), "{head}");
}

#[tokio::test]
async fn without_a_key_the_clients_own_goes_along() {
    let (addr, told) = server(|_, _| Some(OK)).await;
    let mut provider = provider(&format!("http://{addr}"));
    provider.key = None;
    let mut call = turn(&provider);
    call.headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Bearer client"));
    upstream().call(call).await.unwrap();
    assert!(told.last().contains("authorization: Bearer client\r\n"));
}

#[tokio::test]
async fn a_model_cannot_lead_elsewhere() {
    let gemini =
        |base: &str| Provider::new("gemini", find("gemini").unwrap(), Url::parse(base).unwrap());
    let (addr, told) = server(|_, _| Some(OK)).await;
    let provider = gemini(&format!("http://{addr}"));
    for model in ["", ".", ".."] {
        let failure = fails(&upstream(), Call { model, ..turn(&provider) }).await;
        assert_eq!(failure.kind, FailureKind::Shape);
    }
    for model in ["../../x?y#z", "models/../../x?y#z"] {
        upstream().call(Call { model, ..turn(&provider) }).await.unwrap();
        let line = "POST /v1beta/models/..%2F..%2Fx%3Fy%23z:generateContent HTTP/1.1";
        assert_eq!(told.last().lines().next().unwrap(), line);
    }
}

#[tokio::test]
async fn what_a_provider_does_not_have_cannot_be_asked() {
    let provider = provider("http://127.0.0.1:1");
    assert!(!provider.answers(Ask::Count));
    let failure = fails(&upstream(), Call { ask: Ask::Count, ..turn(&provider) }).await;
    assert_eq!((failure.kind, failure.status), (FailureKind::NotFound, 404));
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_not_sent_and_not_shown() {
    let mut provider = provider("http://127.0.0.1:1");
    provider.key = Some(format!("{KEY}\r\nx-evil: 1").into());
    assert_eq!(provider.auth, Auth::Bearer);
    let failure = fails(&upstream(), turn(&provider)).await;
    assert_eq!(failure.status, 500);
}

#[test]
fn another_address_is_not_trusted_with_what_a_third_one_speaks() {
    let base = Url::parse("https://gateway.example/v1").unwrap();
    let moved = |name: &str| Row::find(name).unwrap().provider(&env).unwrap().with_base(&base);
    let (anthropic, responses) = ("anthropic", "openai-responses");
    let id = |name: &str| find(name).unwrap().id();
    assert!(moved("deepseek").speaking(id(anthropic)).is_none());
    let openai = moved("openai");
    assert_eq!(openai.speaking(id(responses)).unwrap().base, base);
}

const TURN: Ask = Ask::Turn { stream: false };
const STREAM: Ask = Ask::Turn { stream: true };

/// Provider, dialect, question; the line and a header that the provider hears.
const ASKED: &[(&str, &str, Ask, &str, &str)] = &[
    ("anthropic", "anthropic", TURN, "POST /v1/messages", "x-api-key: sk-canary-4711"),
    ("anthropic", "anthropic", STREAM, "POST /v1/messages", "anthropic-version: 2023-06-01"),
    (
        "anthropic",
        "anthropic",
        Ask::Count,
        "POST /v1/messages/count_tokens",
        "accept: application/json",
    ),
    (
        "anthropic",
        "anthropic",
        Ask::Models,
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
        Ask::Models,
        "GET /v1/models",
        "authorization: Bearer sk-canary-4711",
    ),
    ("openai", "openai-responses", TURN, "POST /v1/responses", "content-type: application/json"),
    (
        "openai",
        "openai-responses",
        Ask::Count,
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
        Ask::Count,
        "POST /v1beta/models/a%2Fb:c%20d:countTokens",
        "x-goog-api-key: sk-canary-4711",
    ),
    (
        "gemini",
        "gemini",
        Ask::Models,
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
