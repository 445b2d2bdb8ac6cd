//! Lists of models: those of the providers, as far as they say, in the dialect of who asks.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use interlingua::find;
use interlingua_gateway::config::{Pattern, Way};
use interlingua_upstream::Provider;
use serde_json::Value;

use crate::client::get;
use crate::house::House;
use crate::raw::server;

/// The list under this key, with the names under that one.
fn names(house: &House, path: &str, headers: &str, list: &str, name: &str) -> Vec<String> {
    let answer = get(house.addr(), path, headers);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    let models = body[list].as_array().unwrap();
    models.iter().map(|model| model[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn models_of_all_providers_are_listed() {
    let house = House::with(|config| {
        let way = Way { provider: "openai".into(), model: "gpt-5.5".into(), weight: None };
        config.models.patterns = vec![Pattern { pattern: "fast".into(), ways: vec![way] }];
    });
    let openai = names(&house, "/v1/models", "", "data", "id");
    let version = "anthropic-version: 2023-06-01\r\n";
    let anthropic = names(&house, "/v1/models?limit=1000", version, "data", "id");
    let gemini = names(&house, "/v1beta/models", "", "models", "name");
    let bare: Vec<_> = gemini.iter().map(|name| name.strip_prefix("models/").unwrap()).collect();
    assert_eq!(openai, anthropic);
    assert_eq!(openai, bare);
    // A name that leads to its provider by itself needs nothing before it.
    for name in ["fast", "claude-opus-5-5", "gemini-3-pro", "mistral/gpt-5.6", "sim/echo"] {
        let count = openai.iter().filter(|listed| *listed == name).count();
        assert_eq!(count, 1, "{name} in {openai:?}");
    }
    assert!(openai.contains(&"bedrock/us.anthropic.claude-sonnet-5-5".to_owned()), "{openai:?}");
}

#[test]
fn a_provider_that_fails_or_is_slow_does_not_break_the_list() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let good = server(move |mut stream, heard| {
        assert!(heard.starts_with("GET /v1/models HTTP/1.1\r\n"), "{heard}");
        counted.fetch_add(1, Ordering::Relaxed);
        let body = r#"{"object":"list","data":[{"id":"one","object":"model"},{"odd":1}]}"#;
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    let broken = server(|mut stream, _| {
        stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    });
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let all = [
        ("broken", broken),
        ("silent", silent.local_addr().unwrap()),
        ("nobody", nobody),
        ("good", good),
    ];
    let house = House::with(|config| {
        let chat = find("openai-chat").unwrap();
        let provider = |(name, at): &(&str, _)| {
            Arc::new(Provider::new(*name, chat, format!("http://{at}/v1").parse().unwrap()))
        };
        config.providers = all.iter().map(provider).collect();
    });
    let began = Instant::now();
    let first = names(&house, "/v1/models", "", "data", "id");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    assert_eq!(first, ["good/one", "sim/agent", "sim/echo"]);
    let began = Instant::now();
    assert_eq!(names(&house, "/v1/models", "", "data", "id"), first);
    assert!(began.elapsed() < Duration::from_secs(1), "nobody is asked again at once");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}
