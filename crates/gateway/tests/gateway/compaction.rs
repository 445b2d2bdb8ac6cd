//! Tests of compaction: a trigger or `/responses/compact` gives one item, which any provider understands.

use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_gateway::config::{Config, ModelName, RouteRule, StoreLocation, WeightedTarget};
use interlingua_simulator::{Options, Script};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{HttpResponse, get, post};
use crate::harness::Harness;
use crate::stub_provider::{StubProvider, success_answer};

const SCRIPT: &str = r#"
[[turn]]
when = { prompt = "replaced by a summary" }
blocks = [{ thinking = "What was it?" }, { text = "Of the ships, " }, { text = "14 were counted." }]

[[turn]]
blocks = [{ text = "Certainly." }]
"#;

const MODELS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "gemini/gemini-3-pro",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "openai/gpt-5.5",
    "copy/gpt-5.5",
    "sim/agent",
];

/// With Responses providers: `copy` has only the main part of the API, `responses` is `OpenAI`.
fn harness(change: impl FnOnce(&mut Config)) -> Harness {
    let options = Options { script: Some(Script::parse(SCRIPT).unwrap()), ..Options::default() };
    Harness::with_simulator(options, |config| {
        add_responses_providers(config);
        change(config);
    })
}

fn add_responses_providers(config: &mut Config) {
    let chat = config.providers.iter().find(|provider| provider.name == "openai").unwrap();
    let (base_url, api_key) = (chat.base_url.clone(), chat.api_key.clone());
    for (name, flavor) in [("copy", None), ("responses", Some("openai"))] {
        let dialect = find_dialect("openai-responses").unwrap();
        let mut provider = Provider::new(name, dialect, base_url.clone());
        provider.api_key.clone_from(&api_key);
        provider.flavor = flavor;
        config.providers.push(Arc::new(provider));
    }
}

fn history() -> Vec<Value> {
    let call = json!({
        "type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}",
    });
    vec![
        json!({"role": "developer", "content": "Be brief."}),
        json!({"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "Look at the harbour."}]}),
        call,
        json!({"type": "function_call_output", "call_id": "call_1", "output": "14 ships"}),
        json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "I looked."}]}),
    ]
}

fn request(model: &str, input: &[Value]) -> Value {
    json!({
        "model": model, "store": false, "input": input, "max_output_tokens": 4000,
        "tools": [{
            "type": "function", "name": "look", "description": "Looks.", "strict": false,
            "parameters": {"type": "object", "properties": {}},
        }],
    })
}

fn send(harness: &Harness, path: &str, request: &Value) -> HttpResponse {
    post(harness.addr(), path, "", request.to_string().as_bytes())
}

fn json_of(response: &HttpResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    serde_json::from_slice(&response.body).unwrap()
}

/// The compaction item of a reply, which has no other.
fn only_item(reply: &Value) -> Value {
    let output = reply["output"].as_array().unwrap();
    assert!(output.len() == 1 && output[0]["type"] == "compaction", "{reply}");
    assert!(output[0]["id"].as_str().unwrap().starts_with("cmp_"), "{reply}");
    assert!(!reply.to_string().contains("14 were counted"), "{reply}");
    output[0].clone()
}

fn compact(harness: &Harness, model: &str, stream: bool) -> Value {
    let mut input = history();
    input.push(json!({"type": "compaction_trigger"}));
    let mut request = request(model, &input);
    request["stream"] = stream.into();
    let response = send(harness, "/v1/responses", &request);
    if !stream {
        return only_item(&json_of(&response));
    }
    assert!(response.status == 200 && response.is_complete, "{model}: {}", response.text());
    let text = response.text();
    let events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> =
        events.filter_map(|data| serde_json::from_str::<Value>(data).ok()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds, expected, "{model}");
    let completed = &events[4]["response"];
    assert!(completed["usage"]["output_tokens"].as_u64().unwrap() > 0, "{model}: {completed}");
    let item = only_item(completed);
    assert_eq!(events[3]["item"]["encrypted_content"], item["encrypted_content"]);
    item
}

/// The request that continues from an item.
fn continuation(model: &str, item: &Value) -> Value {
    let input = [
        json!({"role": "user", "content": "Look at the harbour."}),
        item.clone(),
        json!({"role": "user", "content": "How many?"}),
    ];
    request(model, &input)
}

/// Continues from an item; returns what the provider received.
fn continue_from(harness: &Harness, model: &str, item: &Value) -> String {
    let reply = json_of(&send(harness, "/v1/responses", &continuation(model, item)));
    assert!(reply.to_string().contains("Certainly."), "{model}: {reply}");
    harness.provider_requests().last().unwrap()["request"].to_string()
}

fn assert_all_accepted(harness: &Harness) {
    for request in harness.provider_requests() {
        assert_eq!(request["accepted"], true, "{}", request["violations"]);
    }
}

#[test]
fn every_model_compacts_and_continues() {
    let harness = harness(|_| {});
    for (at, model) in MODELS.iter().enumerate() {
        for stream in [false, true] {
            let item = compact(&harness, model, stream);
            // Built-in models are not logged, and do not follow the script.
            if *model == "sim/agent" {
                continue;
            }
            let next = MODELS[(at + usize::from(stream)) % (MODELS.len() - 1)];
            let received = continue_from(&harness, next, &item);
            let summary = received.find("Of the ships, 14 were counted.");
            assert!(summary < received.find("How many?"), "{next}: {received}");
            assert!(summary.is_some() && !received.contains("ilc1."), "{next}: {received}");
        }
    }
    assert_all_accepted(&harness);
    let received =
        continue_from(&harness, "responses/gpt-5.5", &compact(&harness, MODELS[0], true));
    assert!(received.contains("Of the ships, 14 were counted."), "{received}");
}

#[test]
fn the_request_for_a_summary_keeps_history_and_tools() {
    let harness = harness(|_| {});
    compact(&harness, "copy/gpt-5.5", false);
    let request = &harness.provider_requests()[0]["request"];
    let request = if request["body"].is_object() { &request["body"] } else { request };
    let input = request["input"].as_array().unwrap();
    assert_eq!(input.len(), history().len() + 1, "{request}");
    assert_eq!(input[2]["call_id"], "call_1");
    assert!(!request.to_string().contains("compaction_trigger"));
    assert_eq!(request["tool_choice"], "none");
    assert_eq!(request["max_output_tokens"], Value::Null);
    assert_eq!(request["tools"][0]["name"], "look");
}

#[test]
fn openai_compacts_itself_and_its_items_return_only_there() {
    let harness = Harness::with_config(add_responses_providers);
    for stream in [false, true] {
        let mut input = history();
        input.push(json!({"type": "compaction_trigger"}));
        let mut request = request("responses/gpt-5.5", &input);
        request["stream"] = stream.into();
        let response = send(&harness, "/v1/responses", &request);
        assert_eq!(response.status, 200, "{}", response.text());
        let log = harness.provider_requests();
        let received = log.last().unwrap()["request"].to_string();
        assert!(received.contains("\"compaction_trigger\""), "{received}");
        assert!(!response.text().contains("ilc1."), "{}", response.text());
        if stream {
            continue;
        }
        let item = json_of(&response)["output"][0].clone();
        assert_eq!(item["type"], "compaction");
        let encrypted = item["encrypted_content"].as_str().unwrap();
        for (model, is_kept) in [("responses/gpt-5.5", true), (MODELS[0], false)] {
            json_of(&send(&harness, "/v1/responses", &continuation(model, &item)));
            let received = harness.provider_requests().last().unwrap()["request"].to_string();
            assert_eq!(received.contains(encrypted), is_kept, "{model}: {received}");
        }
    }
    assert_all_accepted(&harness);
}

#[test]
fn an_item_survives_a_restart_and_is_refused_by_another_store() {
    let folder = tempfile::tempdir().unwrap();
    let location = |name: &str| StoreLocation::Sqlite(folder.path().join(name));
    let mut harness = harness(|config| config.store.location = location("a.db"));
    let item = compact(&harness, MODELS[0], false);
    harness.restart_gateway(|config| config.store.location = location("a.db"));
    assert!(continue_from(&harness, MODELS[2], &item).contains("14 were counted"));
    harness.restart_gateway(|config| config.store.location = location("b.db"));
    let calls = harness.provider_requests().len();
    for stream in [false, true] {
        let mut request = request(MODELS[0], &[history()[1].clone(), item.clone()]);
        request["stream"] = stream.into();
        let response = send(&harness, "/v1/responses", &request);
        assert_eq!(response.status, 400, "{}", response.text());
        let error: Value = serde_json::from_slice(&response.body).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("'input[1].encrypted_content'"), "{message}");
        assert!(message.contains("another store"), "{message}");
    }
    assert_eq!(harness.provider_requests().len(), calls);
}

#[test]
fn a_changed_item_is_refused_by_name() {
    let harness = harness(|_| {});
    let mut item = compact(&harness, MODELS[0], false);
    let calls = harness.provider_requests().len();
    let encrypted = item["encrypted_content"].as_str().unwrap().to_owned();
    for at in [0, 3, 5, 12, 30, encrypted.len() / 2, encrypted.len() - 6, encrypted.len() - 1] {
        let mut changed = encrypted.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        item["encrypted_content"] = String::from_utf8(changed).unwrap().into();
        let request =
            request(MODELS[0], &[history()[1].clone(), history()[0].clone(), item.clone()]);
        let response = send(&harness, "/v1/responses", &request);
        let text = response.text();
        assert!(response.status == 400 && text.contains("input[2]"), "{at}: {text}");
    }
    assert_eq!(harness.provider_requests().len(), calls);
}

#[test]
fn the_endpoint_returns_the_whole_conversation() {
    let harness = harness(|_| {});
    for model in MODELS {
        let mut request = request(model, &history());
        request.as_object_mut().unwrap().remove("store");
        let reply = json_of(&send(&harness, "/v1/responses/compact", &request));
        assert_eq!(reply["object"], "response.compaction", "{reply}");
        assert!(reply["usage"]["input_tokens"].as_u64().unwrap() > 0, "{reply}");
        let output = reply["output"].as_array().unwrap();
        let kinds: Vec<&str> = output.iter().map(|item| item["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["message", "message", "compaction"], "{model}: {reply}");
        assert_eq!(output[0]["role"], "developer");
        assert_eq!(output[1]["content"][0]["text"], "Look at the harbour.");
        if *model == "sim/agent" {
            continue;
        }
        let mut input = output.clone();
        input.push(json!({"role": "user", "content": "How many?"}));
        json_of(&send(&harness, "/v1/responses", &self::request(model, &input)));
        let received = harness.provider_requests().last().unwrap()["request"].to_string();
        assert!(received.contains("14 were counted"), "{model}: {received}");
        // The next compaction replaces the summary.
        let reply =
            json_of(&send(&harness, "/v1/responses/compact", &self::request(model, &input)));
        assert_eq!(reply["output"].as_array().unwrap().len(), 4, "{model}: {reply}");
    }
    assert_all_accepted(&harness);
}

#[test]
fn the_endpoint_of_openai_is_passed_through() {
    let window = json!({
        "id": "resp_1", "object": "response.compaction", "created_at": 5,
        "output": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA", "new": 1}],
        "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
    });
    let answer = format!(" {window}\n");
    let stub = StubProvider::with_answers(vec![(200, answer.clone())]);
    let harness = with_stub(&stub);
    let request = json!({"model": "stub/gpt-5.5", "input": history(), "instructions": "Be kind."});
    let response = send(&harness, "/v1/responses/compact", &request);
    assert_eq!(response.text(), answer);
    let mut expected = request;
    expected["model"] = "gpt-5.5".into();
    assert_eq!(stub.requests(), [expected]);
    let turns: Value = serde_json::from_slice(&get(harness.addr(), "/api/turns", "").body).unwrap();
    assert!(turns.to_string().contains("\"output\":3"), "{turns}");
}

fn with_stub(stub: &StubProvider) -> Harness {
    let base = format!("http://{}/v1", stub.addr);
    Harness::with_config(|config| {
        let dialect = find_dialect("openai-responses").unwrap();
        let mut provider = Provider::new("stub", dialect, base.parse().unwrap());
        provider.flavor = Some("openai");
        config.providers.push(Arc::new(provider));
        config.limits.retries = 0;
    })
}

#[test]
fn a_server_without_the_endpoint_writes_a_summary() {
    let missing = json!({"error": {"message": "Not found", "type": "invalid_request_error"}});
    let reply = json!({
        "id": "resp_1", "object": "response", "status": "completed", "model": "m",
        "output": [{"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
            "content": [{"type": "output_text", "text": "14 ships.", "annotations": []}]}],
        "usage": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
    });
    let stub =
        StubProvider::with_answers(vec![(404, missing.to_string()), (200, reply.to_string())]);
    let harness = with_stub(&stub);
    let request = request("stub/gpt-5.5", &history());
    let reply = json_of(&send(&harness, "/v1/responses/compact", &request));
    assert!(reply["output"][2]["encrypted_content"].as_str().unwrap().starts_with("ilc1."));
}

#[test]
fn a_model_that_writes_nothing_is_an_error() {
    let (status, answer) = success_answer("anthropic");
    let stub = StubProvider::with_answers(vec![(status, answer.replace("\"done\"", "\" \""))]);
    let base = format!("http://{}", stub.addr);
    let harness = Harness::with_config(|config| {
        let dialect = find_dialect("anthropic").unwrap();
        config.providers.push(Arc::new(Provider::new("stub", dialect, base.parse().unwrap())));
        config.limits.retries = 0;
    });
    let mut input = history();
    input.push(json!({"type": "compaction_trigger"}));
    for stream in [false, true] {
        let mut request = request("stub/m", &input);
        request["stream"] = stream.into();
        let response = send(&harness, "/v1/responses", &request);
        assert!(response.text().contains("wrote no summary"), "{}", response.text());
        assert!(response.status >= 500, "{}", response.status);
    }
}

#[test]
fn a_stored_conversation_continues_from_its_compaction() {
    let harness = harness(|_| {});
    for model in [MODELS[0], MODELS[5]] {
        let mut input = history();
        input.push(json!({"type": "compaction_trigger"}));
        let mut request = request(model, &input);
        request["store"] = true.into();
        let reply = json_of(&send(&harness, "/v1/responses", &request));
        let item = only_item(&reply);
        request["input"] = json!([{"role": "user", "content": "How many?"}]);
        request["previous_response_id"] = reply["id"].clone();
        json_of(&send(&harness, "/v1/responses", &request));
        let received = harness.provider_requests().last().unwrap()["request"].to_string();
        for part in ["Be brief.", "Look at the harbour.", "14 were counted", "How many?"] {
            assert!(received.contains(part), "{model}: no {part} in {received}");
        }
        assert!(!received.contains("14 ships"), "{model}: {received}");
        request["previous_response_id"] = Value::Null;
        request["input"] = json!([
            {"type": "item_reference", "id": item["id"]},
            {"role": "user", "content": "How many?"},
        ]);
        json_of(&send(&harness, "/v1/responses", &request));
        let received = harness.provider_requests().last().unwrap()["request"].to_string();
        assert!(received.contains("14 were counted"), "{model}: {received}");
    }
    assert_all_accepted(&harness);
}

#[test]
fn the_configured_model_writes_the_summary() {
    let harness = harness(|config| {
        config.roles.compact = Some(ModelName::parse("gemini/gemini-3-pro").unwrap());
    });
    compact(&harness, MODELS[0], true);
    let first = harness.provider_requests()[0].to_string();
    assert!(first.contains("gemini-3-pro") && !first.contains("claude"), "{first}");
    let stub = StubProvider::with_answers(vec![(503, "{}".to_owned())]);
    let base = format!("http://{}", stub.addr);
    let harness = self::harness(|config| {
        let dialect = find_dialect("anthropic").unwrap();
        config.providers.push(Arc::new(Provider::new("stub", dialect, base.parse().unwrap())));
        config.roles.compact = Some(ModelName::parse("stub/m").unwrap());
        config.limits.retries = 0;
    });
    compact(&harness, MODELS[0], false);
    assert_eq!(stub.requests().len(), 1);
}

#[test]
fn a_fallback_writes_the_summary_where_openai_is_down() {
    let stub = StubProvider::with_answers(vec![(503, "{}".to_owned())]);
    let base = format!("http://{}/v1", stub.addr);
    let harness = harness(|config| {
        let dialect = find_dialect("openai-responses").unwrap();
        let mut provider = Provider::new("stub", dialect, base.parse().unwrap());
        provider.flavor = Some("openai");
        config.providers.push(Arc::new(provider));
        let target = |provider: &str, model: &str| WeightedTarget {
            provider: provider.into(),
            model_template: model.into(),
            weight: None,
        };
        let targets = vec![target("stub", "gpt-5.5"), target("anthropic", "claude-sonnet-4-5")];
        config.models.rules = vec![RouteRule { pattern: "best".into(), targets }];
        config.limits.retries = 0;
    });
    let item = compact(&harness, "best", true);
    assert!(item["encrypted_content"].as_str().unwrap().starts_with("ilc1."));
    assert!(stub.requests()[0].to_string().contains("compaction_trigger"));
}
