//! Paths are routed to the provider that they name.

use interlingua_simulator::Api;
use interlingua_simulator::route::{Endpoint, PROVIDERS, parse_route};
use serde_json::json;

use crate::client::TestServer;

#[test]
fn paths_name_provider_and_endpoint() {
    let turn = |model: Option<&str>, stream| Endpoint::Generate {
        model: model.map(str::to_owned),
        stream,
    };
    for (path, api, flavor, endpoint) in [
        ("/v1/messages", Api::Anthropic, "anthropic", turn(None, None)),
        ("/anthropic/v1/messages", Api::Anthropic, "anthropic", turn(None, None)),
        ("/openrouter/v1/messages", Api::Anthropic, "anthropic", turn(None, None)),
        ("/deepseek/anthropic/v1/messages", Api::Anthropic, "deepseek", turn(None, None)),
        ("/gemini/v1beta/openai/chat/completions", Api::Chat, "gemini-compat", turn(None, None)),
        ("/llama.cpp/v1/responses", Api::Responses, "llama.cpp", turn(None, None)),
        ("/v1/chat/completions", Api::Chat, "openai", turn(None, None)),
        ("/openrouter/v1/chat/completions", Api::Chat, "openrouter", turn(None, None)),
        ("/openrouter/api/v1/chat/completions", Api::Chat, "openrouter", turn(None, None)),
        ("/deepseek/chat/completions", Api::Chat, "deepseek", turn(None, None)),
        ("/v1/responses", Api::Responses, "openai", turn(None, None)),
        ("/groq/v1/responses", Api::Responses, "relay", turn(None, None)),
        ("/azure/v1/responses", Api::Responses, "azure", turn(None, None)),
        ("/codex/responses", Api::Responses, "codex", turn(None, None)),
        (
            "/v1beta/models/m:generateContent",
            Api::Gemini,
            "ai-studio",
            turn(Some("m"), Some(false)),
        ),
        (
            "/v1/models/sim/agent:streamGenerateContent",
            Api::Gemini,
            "ai-studio",
            turn(Some("sim/agent"), Some(true)),
        ),
        (
            "/vertex/v1/models/m:generateContent",
            Api::Gemini,
            "vertex",
            turn(Some("m"), Some(false)),
        ),
        (
            "/gemini/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
            Api::Gemini,
            "vertex",
            turn(Some("m"), Some(false)),
        ),
        (
            "/model/a.b-v1%3A0/converse-stream",
            Api::Bedrock,
            "bedrock",
            turn(Some("a.b-v1:0"), Some(true)),
        ),
        (
            "/bedrock/model/sim%2Fagent/converse",
            Api::Bedrock,
            "bedrock",
            turn(Some("sim/agent"), Some(false)),
        ),
        (
            "/gemini/v1beta/models/m:countTokens",
            Api::Gemini,
            "ai-studio",
            Endpoint::CountTokens { model: Some("m".into()) },
        ),
        (
            "/v1/messages/count_tokens",
            Api::Anthropic,
            "anthropic",
            Endpoint::CountTokens { model: None },
        ),
        ("/groq/v1/models", Api::Chat, "groq", Endpoint::Models { model: None }),
        ("/", Api::Chat, "openai", Endpoint::Health),
        ("/v1/embeddings", Api::Chat, "openai", Endpoint::Unknown),
    ] {
        let route = parse_route(path, None);
        assert_eq!((route.api, route.flavor, route.endpoint), (api, flavor, endpoint), "{path}");
    }
}

#[test]
fn models_are_listed_in_the_form_of_the_provider() {
    let server = TestServer::start();
    for provider in PROVIDERS.iter() {
        let path = match provider.api {
            Api::Bedrock => "/bedrock/foundation-models".to_owned(),
            _ => format!("/{}/v1/models?limit=1000", provider.name),
        };
        let reply = server.get(&path);
        let key = match provider.api {
            Api::Gemini => "models",
            Api::Bedrock => "modelSummaries",
            _ => "data",
        };
        assert!(reply.json()[key].as_array().unwrap().len() > 2, "{path}: {reply:?}");
    }
    let hinted = server.send("GET", "/v1/models", "anthropic-version: 2023-06-01\r\n", b"");
    assert_eq!(hinted.json()["has_more"], false);
    let model = server.send("GET", "/v1/models/any", "", b"").json();
    assert_eq!((&model["id"], &model["object"]), (&json!("any"), &json!("model")));
}

#[test]
fn probes_upgrades_and_unknown_paths() {
    let server = TestServer::start();
    assert_eq!(server.send("HEAD", "/anthropic/api/hello", "", b"").status, 200);
    assert_eq!(server.get("/").json()["log"], "/sim/log");
    let upgrade = "upgrade: websocket\r\n";
    assert_eq!(server.send("GET", "/openai/v1/responses", upgrade, b"").status, 426);
    assert_eq!(server.get("/v1/messages").status, 404);
    let unknown = server.post("/anthropic/v1/complete", &json!({}));
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["type"], "not_found_error");
}
