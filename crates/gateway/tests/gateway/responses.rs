//! Replies that a later request names: the conversation goes on, whoever answers it.

use std::fs;
use std::net::SocketAddr;

use interlingua_gateway::config::{Config, Key, Place};
use interlingua_gateway::{Gateway, Running};
use interlingua_simulator::{Options, Script};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{Answer, CLIENTS, delete_with, get, post};
use crate::house::{House, providers};

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

/// A client that sends only what is new.
pub(crate) struct Talk {
    pub(crate) at: SocketAddr,
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) headers: String,
    pub(crate) previous: Value,
}

impl Talk {
    pub(crate) fn with(house: &House, model: &str) -> Self {
        let (model, headers) = (model.to_owned(), String::new());
        Self { at: house.addr(), model, stream: false, headers, previous: Value::Null }
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

    fn ask(&self, request: &Value) -> Answer {
        post(self.at, "/v1/responses", &self.headers, request.to_string().as_bytes())
    }

    /// Says something, and goes on from the reply to it.
    pub(crate) fn say(&mut self, input: &Value) -> Value {
        let answer = self.ask(&self.request(input));
        assert!(answer.status == 200 && answer.whole, "{}: {}", self.model, answer.text());
        let reply = if self.stream {
            CLIENTS[2].folded(&answer.body).unwrap()
        } else {
            serde_json::from_slice(&answer.body).unwrap()
        };
        self.previous = reply["id"].clone();
        reply
    }

    /// Three turns, with a call in the first of them; `between` comes before each of the others.
    pub(crate) fn three_turns(&mut self, mut between: impl FnMut(&mut Self)) {
        let reply = self.say(&json!("Look at the harbour."));
        let mut calls = reply["output"].as_array().unwrap().iter();
        let call = calls.find_map(|item| item["call_id"].as_str());
        let call = call.unwrap_or_else(|| panic!("{}: no call in {reply}", self.model));
        between(self);
        let result =
            json!([{"type": "function_call_output", "call_id": call, "output": "14 of them"}]);
        let reply = self.say(&result);
        assert!(reply.to_string().contains("14 ships."), "{}: {reply}", self.model);
        between(self);
        let reply = self.say(&json!([{"role": "user", "content": "Thank you."}]));
        assert!(reply.to_string().contains("Certainly."), "{}: {reply}", self.model);
    }
}

pub(crate) fn options() -> Options {
    Options { script: Some(Script::read(SCRIPT).unwrap()), ..Options::default() }
}

/// The provider was asked with everything that was said, and refused nothing.
pub(crate) fn knows_all(house: &House, talk: &Talk) {
    let log = house.log();
    for request in &log {
        assert_eq!(request["accepted"], true, "{}: {}", talk.model, request["violations"]);
    }
    let last = log.last().unwrap()["request"].to_string();
    let mut from = 0;
    for said in ["Look at the harbour.", "Let me look.", "14 of them", "14 ships.", "Thank you."] {
        let at = last[from..].find(said);
        from += at.unwrap_or_else(|| panic!("{}: no {said:?} in {last}", talk.model));
    }
}

#[test]
fn a_reply_names_the_one_that_it_goes_on_from() {
    let house = House::playing(options(), |_| {});
    for model in MODELS {
        for stream in [false, true] {
            let mut talk = Talk { stream, ..Talk::with(&house, model) };
            let first = talk.say(&json!("Hello."));
            assert_eq!(first["previous_response_id"], Value::Null, "{model}");
            let answer = talk.ask(&talk.request(&json!("Good day."))).text();
            let said = answer.lines().filter_map(|line| line.strip_prefix("data: "));
            let said: Vec<Value> = if stream {
                let events = said.filter_map(|data| serde_json::from_str::<Value>(data).ok());
                events.map(|event| event["response"].clone()).filter(|of| !of.is_null()).collect()
            } else {
                vec![serde_json::from_str(&answer).unwrap()]
            };
            assert_eq!(said.len() > 1, stream, "{model} {answer}");
            for response in &said {
                let previous = &response["previous_response_id"];
                assert_eq!(*previous, first["id"], "{model} {stream}");
            }
            let path = format!("/v1/responses/{}", said[0]["id"].as_str().unwrap());
            let kept: Value = serde_json::from_slice(&get(talk.at, &path, "").body).unwrap();
            assert_eq!(kept["previous_response_id"], first["id"], "{model} {stream}");
        }
    }
}

#[test]
fn a_conversation_goes_on_at_every_provider() {
    for model in MODELS {
        for stream in [false, true] {
            let house = House::playing(options(), |_| {});
            let mut talk = Talk { stream, ..Talk::with(&house, model) };
            talk.three_turns(|_| {});
            knows_all(&house, &talk);
        }
    }
}

#[test]
fn a_conversation_goes_on_with_other_models_and_comes_back() {
    let house = House::playing(options(), |_| {});
    let models = [MODELS[0], MODELS[2], MODELS[3], MODELS[5]];
    for start in 0..models.len() {
        let mut talk = Talk { stream: start % 2 == 0, ..Talk::with(&house, models[start]) };
        let mut at = start;
        talk.three_turns(|talk| {
            at += 1;
            models[at % models.len()].clone_into(&mut talk.model);
        });
        knows_all(&house, &talk);
        models[0].clone_into(&mut talk.model);
        talk.say(&json!("And now?"));
        let last = house.log().last().unwrap()["request"].to_string();
        let thoughts = last.matches("\"signature\":\"").count();
        assert!(start > 0 || thoughts > 0, "its own thoughts are back: {last}");
    }
}

#[test]
fn a_restart_and_another_node_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    for stream in [false, true] {
        let mut house = House::playing(options(), |config| config.store.place = place());
        let mut talk = Talk { stream, ..Talk::with(&house, MODELS[0]) };
        talk.three_turns(|talk| {
            house.open(|config| config.store.place = place());
            talk.at = house.addr();
        });
        knows_all(&house, &talk);

        let nodes = [second(&house, place()), second(&house, place())];
        let mut talk = Talk { stream, ..Talk::with(&house, MODELS[3]) };
        let mut asked = nodes.iter();
        talk.three_turns(|talk| talk.at = asked.next().unwrap().addr);
        knows_all(&house, &talk);
        for node in nodes {
            house.runtime.block_on(node.stop());
        }
    }
}

/// Another gateway before the same providers.
pub(crate) fn second(house: &House, place: Place) -> Running {
    let mut config = Config::from_nothing(&|_| None);
    config.providers = providers(house.simulator.as_ref().unwrap().addr);
    config.store.place = place;
    let gateway = Gateway::new(config).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    house.runtime.block_on(async { gateway.start(any).unwrap() })
}

#[test]
fn who_names_a_reply_of_another_key_is_told_that_there_is_none() {
    let key = |name: &str| Key {
        name: name.to_owned(),
        sha256: Sha256::digest(name.as_bytes()).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    let house = House::playing(options(), |config| {
        config.access.keys = vec![key("ann"), key("bob")];
    });
    let header = |name: &str| format!("authorization: Bearer {name}\r\n");
    let mut ann = Talk { headers: header("ann"), ..Talk::with(&house, MODELS[0]) };
    let reply = ann.say(&json!("Look at the harbour."));
    let id = reply["id"].as_str().unwrap();
    let bob = Talk {
        headers: header("bob"),
        previous: ann.previous.clone(),
        ..Talk::with(&house, MODELS[0])
    };
    let answer = bob.ask(&bob.request(&json!("And now?")));
    is_unknown(&answer, id);
    assert_eq!(get(house.addr(), &format!("/v1/responses/{id}"), &header("bob")).status, 404);
    assert_eq!(
        delete_with(house.addr(), &format!("/v1/responses/{id}"), &header("bob")).status,
        404
    );
    assert_eq!(get(house.addr(), &format!("/v1/responses/{id}"), &header("ann")).status, 200);
}

/// The provider's own words.
fn is_unknown(answer: &Answer, id: &str) {
    let said: Value = serde_json::from_slice(&answer.body).unwrap();
    let message = format!("Previous response with id '{id}' not found.");
    let expected = json!({"error": {
        "message": message, "type": "invalid_request_error",
        "param": "previous_response_id", "code": "previous_response_not_found",
    }});
    assert_eq!((answer.status, said), (400, expected));
}

#[test]
fn what_is_not_to_be_stored_is_not() {
    let house = House::playing(options(), |_| {});
    for model in [MODELS[0], "openai/gpt-5.5"] {
        let mut talk = Talk::with(&house, model);
        let mut request = talk.request(&json!("Look at the harbour."));
        request["store"] = json!(false);
        let reply: Value = serde_json::from_slice(&talk.ask(&request).body).unwrap();
        let id = reply["id"].as_str().unwrap();
        assert_eq!(get(house.addr(), &format!("/v1/responses/{id}"), "").status, 404);
        talk.previous = json!(id);
        is_unknown(&talk.ask(&talk.request(&json!("And now?"))), id);
    }
    // The provider that made it may be asked; it has words of its own.
    let talk = Talk { previous: json!("resp_1"), ..Talk::with(&house, "openai/gpt-5.5") };
    let answer = talk.ask(&talk.request(&json!("And now?")));
    assert!(answer.status == 400 && answer.text().contains("previous_response_not_found"));
}

#[test]
fn a_reply_is_shown_and_forgotten() {
    let house = House::playing(options(), |_| {});
    for (model, stream) in [(MODELS[0], false), (MODELS[3], true), ("openai/gpt-5.5", true)] {
        let mut talk = Talk { stream, ..Talk::with(&house, model) };
        let first = talk.say(&json!("Good morning."));
        let second = talk.say(&json!([{"role": "user", "content": "Good day."}]));
        let id = second["id"].as_str().unwrap();
        let path = format!("/v1/responses/{id}");
        let shown: Value = serde_json::from_slice(&get(talk.at, &path, "").body).unwrap();
        assert_eq!(shown["id"], second["id"]);
        assert_eq!(shown["output"], second["output"], "{model}");
        assert_eq!(shown["previous_response_id"], first["id"], "{model}");
        let items = |query: &str| -> Value {
            let answer = get(talk.at, &format!("{path}/input_items{query}"), "");
            assert_eq!(answer.status, 200, "{}", answer.text());
            serde_json::from_slice(&answer.body).unwrap()
        };
        let all = items("?order=asc");
        let list = all["data"].as_array().unwrap();
        assert!(list.iter().all(|item| item["id"].is_string()), "{all}");
        assert!(list[0].to_string().contains("Good morning."), "{all}");
        assert!(list.last().unwrap().to_string().contains("Good day."), "{all}");
        assert_eq!(all["has_more"], false);
        let newest = items("?limit=1");
        assert_eq!((&newest["data"][0], &newest["has_more"]), (list.last().unwrap(), &json!(true)));
        let next = items(&format!("?limit=1&after={}", newest["last_id"].as_str().unwrap()));
        assert_eq!(next["data"][0], list[list.len() - 2]);
        let gone: Value = serde_json::from_slice(&delete_with(talk.at, &path, "").body).unwrap();
        assert_eq!(gone, json!({"id": id, "object": "response", "deleted": true}));
        assert_eq!(delete_with(talk.at, &path, "").status, 404);
        let missing = get(talk.at, &path, "");
        assert!(
            missing.status == 404 && missing.text().contains("not found"),
            "{}",
            missing.text()
        );
    }
}

#[test]
fn a_store_that_is_broken_stops_no_reply() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no folder");
    fs::write(&file, "").unwrap();
    for place in [Place::Sqlite(file.join("store.db")), Place::Off] {
        let house = House::playing(options(), |config| config.store.place = place);
        for stream in [false, true] {
            let mut talk = Talk { stream, ..Talk::with(&house, MODELS[0]) };
            talk.say(&json!("Look at the harbour."));
        }
    }
}

#[test]
fn replies_of_providers_that_call_all_alike_have_names_of_their_own() {
    let house = House::playing(options(), |_| {});
    for model in &MODELS[..5] {
        let talk = || Talk::with(&house, model).say(&json!("Good morning."))["id"].clone();
        let (one, other) = (talk(), talk());
        assert_ne!(one, other);
        assert!(one.as_str().unwrap().starts_with("resp_"), "{one}");
    }
}

#[test]
fn a_long_conversation_is_put_together() {
    let house = House::playing(options(), |_| {});
    let mut talk = Talk::with(&house, MODELS[0]);
    for nth in 0..150 {
        talk.say(&json!(format!("number {nth}.")));
    }
    let last = house.log().last().unwrap()["request"].to_string();
    for nth in 0..150 {
        assert!(last.contains(&format!("number {nth}.")), "{nth}");
    }
    let counted = json!({"model": talk.model, "input": "x", "previous_response_id": talk.previous});
    let counted = post(talk.at, "/v1/responses/input_tokens", "", counted.to_string().as_bytes());
    let counted: Value = serde_json::from_slice(&counted.body).unwrap();
    assert!(counted["input_tokens"].as_u64().unwrap() > 1000, "{counted}");
}

#[test]
fn what_only_its_provider_has_is_not_left_out() {
    let house = House::build();
    for (key, value) in [("conversation", json!("conv_1")), ("prompt", json!({"id": "pmpt_1"}))] {
        let mut request = json!({"model": "anthropic/claude-sonnet-4-5", "input": "Go on."});
        request[key] = value;
        let refused = post(house.addr(), "/v1/responses", "", request.to_string().as_bytes());
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert!(refused.text().contains(key), "{}", refused.text());
    }
}
