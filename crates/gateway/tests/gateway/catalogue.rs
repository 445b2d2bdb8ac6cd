//! Tests of the model lists of providers.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use interlingua::find_dialect;
use interlingua_gateway::config::{RouteRule, WeightedTarget};
use interlingua_upstream::Provider;
use serde_json::Value;

use crate::client::get;
use crate::harness::Harness;
use crate::raw_server::raw_server;

/// The values of `name` in the list under the key `list`.
fn names(harness: &Harness, path: &str, headers: &str, list: &str, name: &str) -> Vec<String> {
    let response = get(harness.addr(), path, headers);
    assert_eq!(response.status, 200, "{}", response.text());
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    let models = body[list].as_array().unwrap();
    models.iter().map(|model| model[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn models_of_all_providers_are_listed() {
    let harness = Harness::with_config(|config| {
        let target = WeightedTarget {
            provider: "openai".into(),
            model_template: "gpt-5.5".into(),
            weight: None,
        };
        config.models.rules = vec![RouteRule { pattern: "fast".into(), targets: vec![target] }];
    });
    let openai = names(&harness, "/v1/models", "", "data", "id");
    let version = "anthropic-version: 2023-06-01\r\n";
    let anthropic = names(&harness, "/v1/models?limit=1000", version, "data", "id");
    let gemini = names(&harness, "/v1beta/models", "", "models", "name");
    let bare: Vec<_> = gemini.iter().map(|name| name.strip_prefix("models/").unwrap()).collect();
    assert_eq!(openai, anthropic);
    assert_eq!(openai, bare);
    // Models that are routed to their provider by name have no prefix.
    for name in ["fast", "claude-opus-5-5", "gemini-3-pro", "mistral/gpt-5.6", "sim/echo"] {
        let count = openai.iter().filter(|listed| *listed == name).count();
        assert_eq!(count, 1, "{name} in {openai:?}");
    }
    assert!(openai.contains(&"bedrock/us.anthropic.claude-sonnet-5-5".to_owned()), "{openai:?}");
}

#[test]
fn token_limits_are_listed_in_the_clients_dialect() {
    let lists = [
        (
            "router",
            r#"[{"id":"a","context_length":9,"top_provider":{"context_length":8,"max_completion_tokens":4}},{"id":"b"}]"#,
        ),
        (
            "local",
            r#"[{"id":"path.gguf","meta":{"n_ctx":32768,"n_ctx_train":262144},"max_tokens":7}]"#,
        ),
        ("vllm", r#"[{"id":"a","max_model_len":65536},{"id":"b","max_model_len":null}]"#),
        ("claude", r#"[{"id":"a","max_input_tokens":200000,"max_tokens":64000},{"id":"b"}]"#),
    ];
    let at = lists.map(|(name, list)| {
        let addr = raw_server(move |mut stream, _| {
            let body = format!("{{\"data\":{list}}}");
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        });
        (name, addr)
    });
    let harness = Harness::with_config(|config| {
        let chat = find_dialect("openai-chat").unwrap();
        let provider = |(name, at): (&str, _)| {
            Arc::new(Provider::new(name, chat, format!("http://{at}/v1").parse().unwrap()))
        };
        config.providers = at.map(provider).to_vec();
        let target = |provider: &str| WeightedTarget {
            provider: provider.into(),
            model_template: "a".into(),
            weight: None,
        };
        let targets = vec![target("claude"), target("vllm")];
        config.models.rules = vec![RouteRule { pattern: "fast".into(), targets }];
    });
    let limits = |path: &str, headers: &str, keys: [&str; 2]| {
        let response = get(harness.addr(), path, headers);
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        keys.map(|key| body[key].as_u64())
    };
    let version = "anthropic-version: 2023-06-01\r\n";
    let anthropic = |name: &str| {
        limits(&format!("/v1/models/{name}"), version, ["max_input_tokens", "max_tokens"])
    };
    assert_eq!(anthropic("router/a"), [Some(8), Some(4)]);
    assert_eq!(anthropic("router/b"), [None, None]);
    assert_eq!(anthropic("local/any-name"), [Some(32768), None], "a server of one model");
    assert_eq!(anthropic("vllm/a"), [Some(65536), None]);
    assert_eq!(anthropic("vllm/other"), [None, None]);
    assert_eq!(anthropic("claude/a"), [Some(200_000), Some(64_000)]);
    assert_eq!(anthropic("fast"), [Some(65536), Some(64_000)], "what both of them take");
    let gemini = limits("/v1beta/models/claude/a", "", ["inputTokenLimit", "outputTokenLimit"]);
    assert_eq!(gemini, [Some(200_000), Some(64_000)]);
    let chat = limits("/v1/models/claude/a", "", ["context_length", "max_completion_tokens"]);
    assert_eq!(chat, [Some(200_000), Some(64_000)]);
    let all = get(harness.addr(), "/v1/models", version);
    let all: Value = serde_json::from_slice(&all.body).unwrap();
    let listed = |name: &str| {
        let all = all["data"].as_array().unwrap();
        all.iter().find(|model| model["id"] == name).unwrap()["max_input_tokens"].as_u64()
    };
    assert_eq!(
        ["fast", "local/path.gguf", "router/b"].map(listed),
        [Some(65536), Some(32768), None]
    );
}

#[test]
fn a_provider_that_fails_or_is_slow_does_not_break_the_list() {
    let requests = Arc::new(AtomicUsize::new(0));
    let request_count = Arc::clone(&requests);
    let good = raw_server(move |mut stream, request| {
        assert!(request.starts_with("GET /v1/models HTTP/1.1\r\n"), "{request}");
        request_count.fetch_add(1, Ordering::Relaxed);
        let body = r#"{"object":"list","data":[{"id":"one","object":"model"},{"odd":1}]}"#;
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    let broken = raw_server(|mut stream, _| {
        stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    });
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let all = [
        ("broken", broken),
        ("silent", silent.local_addr().unwrap()),
        ("unreachable", unused),
        ("good", good),
    ];
    let harness = Harness::with_config(|config| {
        let chat = find_dialect("openai-chat").unwrap();
        let provider = |(name, at): &(&str, _)| {
            Arc::new(Provider::new(*name, chat, format!("http://{at}/v1").parse().unwrap()))
        };
        config.providers = all.iter().map(provider).collect();
    });
    let start = Instant::now();
    let first = names(&harness, "/v1/models", "", "data", "id");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!(first, ["good/one", "sim/agent", "sim/echo"]);
    let start = Instant::now();
    assert_eq!(names(&harness, "/v1/models", "", "data", "id"), first);
    assert!(start.elapsed() < Duration::from_secs(1), "the cached lists are used");
    assert_eq!(requests.load(Ordering::Relaxed), 1);
}
