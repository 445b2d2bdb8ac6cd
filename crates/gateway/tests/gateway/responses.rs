//! Tests of `previous_response_id`: conversations continue on any provider.

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_gateway::config::{ApiKey, Config, StoreLocation};
use interlingua_gateway::{Gateway, ServerHandle};
use interlingua_simulator::{Options, Script};
use interlingua_upstream::Provider;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, HttpResponse, delete_with, get, post};
use crate::harness::{Harness, providers};
use crate::stub_provider::StubProvider;

const SCRIPT: &str = r#"
[[turn]]
when = { step = 1, prompt = "harbour" }
blocks = [
    { thinking = "First, the ships." },
    { text = "Let me look." },
    { call = "look", arguments = { place = "ships" } },
]

[[turn]]
when = { step = 2 }
blocks = [{ thinking = "They are there." }, { text = "14 ships." }]

[[turn]]
blocks = [{ thinking = "Nothing to do." }, { text = "Certainly." }]
"#;

const MODELS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "openrouter/anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "gemini/gemini-3-pro",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "openai/gpt-5.5",
    "azure/gpt-5.5",
];

/// A client that sends only new input.
pub(crate) struct ResponsesConversation {
    pub(crate) at: SocketAddr,
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) headers: String,
    pub(crate) previous: Value,
}

impl ResponsesConversation {
    pub(crate) fn new(harness: &Harness, model: &str) -> Self {
        let (model, headers) = (model.to_owned(), String::new());
        Self { at: harness.addr(), model, stream: false, headers, previous: Value::Null }
    }

    fn request(&self, input: &Value) -> Value {
        json!({
            "model": self.model, "stream": self.stream, "input": input,
            "previous_response_id": self.previous,
            "reasoning": {"effort": "medium"},
            "tools": [{
                "type": "function", "name": "look", "description": "Looks.", "strict": false,
                "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
            }],
        })
    }

    fn ask(&self, request: &Value) -> HttpResponse {
        post(self.at, "/v1/responses", &self.headers, request.to_string().as_bytes())
    }

    /// Sends input, and continues from the reply the next time.
    pub(crate) fn send(&mut self, input: &Value) -> Value {
        let response = self.ask(&self.request(input));
        assert!(
            response.status == 200 && response.is_complete,
            "{}: {}",
            self.model,
            response.text()
        );
        let reply = if self.stream {
            CLIENTS[2].fold_stream(&response.body).unwrap()
        } else {
            serde_json::from_slice(&response.body).unwrap()
        };
        self.previous = reply["id"].clone();
        reply
    }

    /// Three turns, with a call in the first one; `before_turn` is called before each of the
    /// others.
    pub(crate) fn three_turns(&mut self, mut before_turn: impl FnMut(&mut Self)) {
        let reply = self.send(&json!("Look at the harbour."));
        let mut calls = reply["output"].as_array().unwrap().iter();
        let call = calls.find_map(|item| item["call_id"].as_str());
        let call = call.unwrap_or_else(|| panic!("{}: no call in {reply}", self.model));
        before_turn(self);
        let result =
            json!([{"type": "function_call_output", "call_id": call, "output": "14 of them"}]);
        let reply = self.send(&result);
        assert!(reply.to_string().contains("14 ships."), "{}: {reply}", self.model);
        before_turn(self);
        let reply = self.send(&json!([{"role": "user", "content": "Thank you."}]));
        assert!(reply.to_string().contains("Certainly."), "{}: {reply}", self.model);
    }
}

pub(crate) fn options() -> Options {
    Options { script: Some(Script::parse(SCRIPT).unwrap()), ..Options::default() }
}

/// Asserts that the provider received the whole history and accepted every request.
pub(crate) fn assert_full_history(harness: &Harness, conversation: &ResponsesConversation) {
    let log = harness.provider_requests();
    for request in &log {
        assert_eq!(request["accepted"], true, "{}: {}", conversation.model, request["violations"]);
    }
    let last = log.last().unwrap()["request"].to_string();
    let mut from = 0;
    for expected in
        ["Look at the harbour.", "Let me look.", "14 of them", "14 ships.", "Thank you."]
    {
        let at = last[from..].find(expected);
        from += at.unwrap_or_else(|| panic!("{}: no {expected:?} in {last}", conversation.model));
    }
}

#[test]
fn a_reply_has_its_previous_response_id() {
    let harness = Harness::with_simulator(options(), |_| {});
    for model in MODELS {
        for stream in [false, true] {
            let mut conversation =
                ResponsesConversation { stream, ..ResponsesConversation::new(&harness, model) };
            let first = conversation.send(&json!("Hello."));
            assert_eq!(first["previous_response_id"], Value::Null, "{model}");
            let answer = conversation.ask(&conversation.request(&json!("Good day."))).text();
            let responses = answer.lines().filter_map(|line| line.strip_prefix("data: "));
            let responses: Vec<Value> = if stream {
                let events = responses.filter_map(|data| serde_json::from_str::<Value>(data).ok());
                events.map(|event| event["response"].clone()).filter(|of| !of.is_null()).collect()
            } else {
                vec![serde_json::from_str(&answer).unwrap()]
            };
            assert_eq!(responses.len() > 1, stream, "{model} {answer}");
            for response in &responses {
                let previous = &response["previous_response_id"];
                assert_eq!(*previous, first["id"], "{model} {stream}");
            }
            let path = format!("/v1/responses/{}", responses[0]["id"].as_str().unwrap());
            let stored: Value =
                serde_json::from_slice(&get(conversation.at, &path, "").body).unwrap();
            assert_eq!(stored["previous_response_id"], first["id"], "{model} {stream}");
        }
    }
}

#[test]
fn a_conversation_continues_on_every_provider() {
    for model in MODELS {
        for stream in [false, true] {
            let harness = Harness::with_simulator(options(), |_| {});
            let mut conversation =
                ResponsesConversation { stream, ..ResponsesConversation::new(&harness, model) };
            conversation.three_turns(|_| {});
            assert_full_history(&harness, &conversation);
        }
    }
}

#[test]
fn a_conversation_continues_with_other_models_and_returns() {
    let harness = Harness::with_simulator(options(), |_| {});
    let models = [MODELS[0], MODELS[2], MODELS[3], MODELS[5]];
    for start in 0..models.len() {
        let mut conversation = ResponsesConversation {
            stream: start % 2 == 0,
            ..ResponsesConversation::new(&harness, models[start])
        };
        let mut at = start;
        conversation.three_turns(|conversation| {
            at += 1;
            models[at % models.len()].clone_into(&mut conversation.model);
        });
        assert_full_history(&harness, &conversation);
        models[0].clone_into(&mut conversation.model);
        conversation.send(&json!("And now?"));
        let last = harness.provider_requests().last().unwrap()["request"].to_string();
        let signatures = last.matches("\"signature\":\"").count();
        assert!(start > 0 || signatures > 0, "its own reasoning is restored: {last}");
    }
}

#[test]
fn histories_survive_a_restart_and_another_node() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    for stream in [false, true] {
        let mut harness =
            Harness::with_simulator(options(), |config| config.store.location = location());
        let mut conversation =
            ResponsesConversation { stream, ..ResponsesConversation::new(&harness, MODELS[0]) };
        conversation.three_turns(|conversation| {
            harness.restart_gateway(|config| config.store.location = location());
            conversation.at = harness.addr();
        });
        assert_full_history(&harness, &conversation);

        let nodes = [second_gateway(&harness, location()), second_gateway(&harness, location())];
        let mut conversation =
            ResponsesConversation { stream, ..ResponsesConversation::new(&harness, MODELS[3]) };
        let mut node_iter = nodes.iter();
        conversation.three_turns(|conversation| conversation.at = node_iter.next().unwrap().addr);
        assert_full_history(&harness, &conversation);
        for node in nodes {
            harness.runtime.block_on(node.stop());
        }
    }
}

/// Another gateway with the same providers.
pub(crate) fn second_gateway(harness: &Harness, location: StoreLocation) -> ServerHandle {
    let mut config = Config::from_env(&|_| None);
    config.providers = providers(&harness.simulator.as_ref().unwrap().addr.to_string());
    config.store.location = location;
    // Other tests have stored keys in the same database.
    config.access.open = true;
    let gateway = Gateway::new(config).unwrap();
    let any_addr = SocketAddr::from(([127, 0, 0, 1], 0));
    harness.runtime.block_on(async { gateway.start(any_addr).unwrap() })
}

#[test]
fn replies_of_other_keys_are_not_found() {
    let key = |name: &str| ApiKey {
        name: name.to_owned(),
        sha256: Sha256::digest(name.as_bytes()).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    let harness = Harness::with_simulator(options(), |config| {
        config.access.keys = vec![key("ann"), key("bob")];
    });
    let header = |name: &str| format!("authorization: Bearer {name}\r\n");
    let mut ann = ResponsesConversation {
        headers: header("ann"),
        ..ResponsesConversation::new(&harness, MODELS[0])
    };
    let reply = ann.send(&json!("Look at the harbour."));
    let id = reply["id"].as_str().unwrap();
    let bob = ResponsesConversation {
        headers: header("bob"),
        previous: ann.previous.clone(),
        ..ResponsesConversation::new(&harness, MODELS[0])
    };
    let response = bob.ask(&bob.request(&json!("And now?")));
    assert_unknown_response(&response, id);
    assert_eq!(get(harness.addr(), &format!("/v1/responses/{id}"), &header("bob")).status, 404);
    assert_eq!(
        delete_with(harness.addr(), &format!("/v1/responses/{id}"), &header("bob")).status,
        404
    );
    assert_eq!(get(harness.addr(), &format!("/v1/responses/{id}"), &header("ann")).status, 200);
}

/// `OpenAI`'s error message.
fn assert_unknown_response(response: &HttpResponse, id: &str) {
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    let message = format!("Previous response with id '{id}' not found.");
    let expected = json!({"error": {
        "message": message, "type": "invalid_request_error",
        "param": "previous_response_id", "code": "previous_response_not_found",
    }});
    assert_eq!((response.status, body), (400, expected));
}

#[test]
fn store_false_stores_nothing() {
    let harness = Harness::with_simulator(options(), |_| {});
    for model in [MODELS[0], "openai/gpt-5.5"] {
        let mut conversation = ResponsesConversation::new(&harness, model);
        let mut request = conversation.request(&json!("Look at the harbour."));
        request["store"] = json!(false);
        let reply: Value = serde_json::from_slice(&conversation.ask(&request).body).unwrap();
        let id = reply["id"].as_str().unwrap();
        assert_eq!(get(harness.addr(), &format!("/v1/responses/{id}"), "").status, 404);
        conversation.previous = json!(id);
        assert_unknown_response(&conversation.ask(&conversation.request(&json!("And now?"))), id);
    }
    // The provider may know the id, so its own error is returned.
    let conversation = ResponsesConversation {
        previous: json!("resp_1"),
        ..ResponsesConversation::new(&harness, "openai/gpt-5.5")
    };
    let response = conversation.ask(&conversation.request(&json!("And now?")));
    assert!(response.status == 400 && response.text().contains("previous_response_not_found"));
}

#[test]
fn a_stored_reply_can_be_read_and_deleted() {
    let harness = Harness::with_simulator(options(), |_| {});
    for (model, stream) in [(MODELS[0], false), (MODELS[3], true), ("openai/gpt-5.5", true)] {
        let mut conversation =
            ResponsesConversation { stream, ..ResponsesConversation::new(&harness, model) };
        let first = conversation.send(&json!("Good morning."));
        let second = conversation.send(&json!([{"role": "user", "content": "Good day."}]));
        let id = second["id"].as_str().unwrap();
        let path = format!("/v1/responses/{id}");
        let stored: Value = serde_json::from_slice(&get(conversation.at, &path, "").body).unwrap();
        assert_eq!(stored["id"], second["id"]);
        assert_eq!(stored["output"], second["output"], "{model}");
        assert_eq!(stored["previous_response_id"], first["id"], "{model}");
        let items = |query: &str| -> Value {
            let response = get(conversation.at, &format!("{path}/input_items{query}"), "");
            assert_eq!(response.status, 200, "{}", response.text());
            serde_json::from_slice(&response.body).unwrap()
        };
        let listing = items("?order=asc");
        let list = listing["data"].as_array().unwrap();
        assert!(list.iter().all(|item| item["id"].is_string()), "{listing}");
        assert!(list[0].to_string().contains("Good morning."), "{listing}");
        assert!(list.last().unwrap().to_string().contains("Good day."), "{listing}");
        assert_eq!(listing["has_more"], false);
        let newest = items("?limit=1");
        assert_eq!((&newest["data"][0], &newest["has_more"]), (list.last().unwrap(), &json!(true)));
        let next = items(&format!("?limit=1&after={}", newest["last_id"].as_str().unwrap()));
        assert_eq!(next["data"][0], list[list.len() - 2]);
        let deleted: Value =
            serde_json::from_slice(&delete_with(conversation.at, &path, "").body).unwrap();
        assert_eq!(deleted, json!({"id": id, "object": "response", "deleted": true}));
        assert_eq!(delete_with(conversation.at, &path, "").status, 404);
        let after_delete = get(conversation.at, &path, "");
        assert!(
            after_delete.status == 404 && after_delete.text().contains("not found"),
            "{}",
            after_delete.text()
        );
    }
}

#[test]
fn a_broken_store_stops_no_reply() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no folder");
    fs::write(&file, "").unwrap();
    for location in [StoreLocation::Sqlite(file.join("store.db")), StoreLocation::Off] {
        let harness = Harness::with_simulator(options(), |config| config.store.location = location);
        for stream in [false, true] {
            let mut conversation =
                ResponsesConversation { stream, ..ResponsesConversation::new(&harness, MODELS[0]) };
            conversation.send(&json!("Look at the harbour."));
        }
    }
}

#[test]
fn replies_have_unique_ids() {
    let harness = Harness::with_simulator(options(), |_| {});
    for model in &MODELS[..5] {
        let new_reply_id = || {
            ResponsesConversation::new(&harness, model).send(&json!("Good morning."))["id"].clone()
        };
        let (first, second) = (new_reply_id(), new_reply_id());
        assert_ne!(first, second);
        assert!(first.as_str().unwrap().starts_with("resp_"), "{first}");
    }
}

/// A provider that gives every reply the same id.
#[test]
fn repeated_reply_ids_are_replaced() {
    let reply = json!({
        "id": "resp_1", "object": "response", "created_at": 0, "status": "completed", "model": "m",
        "output": [{
            "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": "Noted.", "annotations": []}],
        }],
    });
    let events = format!(
        "event: response.created\ndata: {}\n\nevent: response.completed\ndata: {}\n\n",
        json!({"type": "response.created", "sequence_number": 0,
            "response": {"id": "resp_1", "model": "m", "status": "in_progress", "output": []}}),
        json!({"type": "response.completed", "sequence_number": 1, "response": reply}),
    );
    for stream in [false, true] {
        let body = if stream { events.clone() } else { reply.to_string() };
        let provider = StubProvider::with_answers(vec![(200, body)]);
        let harness = Harness::with_config(|config| {
            let dialect = find_dialect("openai-responses").unwrap();
            let base_url = format!("http://{}/v1", provider.addr).parse().unwrap();
            config.providers = vec![Arc::new(Provider::new("p", dialect, base_url))];
        });
        let mut conversation =
            ResponsesConversation { stream, ..ResponsesConversation::new(&harness, "p/m") };
        let mut ids = Vec::new();
        for nth in 0..5 {
            ids.push(conversation.send(&json!(format!("number {nth}.")))["id"].clone());
        }
        assert_eq!(ids[0], "resp_1");
        let distinct: HashSet<_> = ids.iter().map(Value::to_string).collect();
        assert_eq!(distinct.len(), 5, "{ids:?}");
        let last = provider.requests().last().unwrap().to_string();
        for nth in 0..5 {
            assert_eq!(last.matches(&format!("number {nth}.")).count(), 1, "{nth}: {last}");
        }
        // Also in a conversation that knows nothing of the first one.
        let other = ResponsesConversation::new(&harness, "p/m").send(&json!("Hello."));
        assert_ne!(other["id"], "resp_1");
    }
}

#[test]
fn a_long_history_is_inlined() {
    let harness = Harness::with_simulator(options(), |_| {});
    let mut conversation = ResponsesConversation::new(&harness, MODELS[0]);
    for nth in 0..150 {
        conversation.send(&json!(format!("number {nth}.")));
    }
    let last = harness.provider_requests().last().unwrap()["request"].to_string();
    for nth in 0..150 {
        assert!(last.contains(&format!("number {nth}.")), "{nth}");
    }
    let count_request = json!({"model": conversation.model, "input": "x", "previous_response_id": conversation.previous});
    let count_request = post(
        conversation.at,
        "/v1/responses/input_tokens",
        "",
        count_request.to_string().as_bytes(),
    );
    let count_request: Value = serde_json::from_slice(&count_request.body).unwrap();
    assert!(count_request["input_tokens"].as_u64().unwrap() > 1000, "{count_request}");
}

#[test]
fn provider_state_fields_are_rejected_for_other_dialects() {
    let harness = Harness::new();
    for (key, value) in [("conversation", json!("conv_1")), ("prompt", json!({"id": "pmpt_1"}))] {
        let mut request = json!({"model": "anthropic/claude-sonnet-4-5", "input": "Go on."});
        request[key] = value;
        let response = post(harness.addr(), "/v1/responses", "", request.to_string().as_bytes());
        assert_eq!(response.status, 400, "{}", response.text());
        assert!(response.text().contains(key), "{}", response.text());
    }
}
