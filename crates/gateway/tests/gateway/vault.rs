//! What a model thought comes back to it, whatever its client made of it.

use interlingua_gateway::config::{Key, Place};
use interlingua_simulator::{Options, Script};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, Client};
use crate::house::House;

/// Interleaved thinking with nothing between two thoughts, words, and two calls at once.
const SCRIPT: &str = r#"
[[turn]]
when = { step = 1, prompt = "harbour" }
blocks = [
    { thinking = "First, the ships." },
    { text = "" },
    { thinking = "Then the \"cranes\" — ÄÖ." },
    { text = "Let me look." },
    { call = "look", arguments = { place = "ships" } },
    { call = "look", arguments = { place = "cranes", deep = true } },
]

[[turn]]
when = { step = 1, prompt = "jetty" }
blocks = [
    { thinking = "Where is it?" },
    { text = "Let me see." },
    { call = "look", arguments = { place = "jetty" } },
]

[[turn]]
when = { step = 2 }
blocks = [{ thinking = "Both are there." }, { text = "14 ships, 3 cranes." }]

[[turn]]
blocks = [{ thinking = "Nothing to do." }, { text = "Certainly." }]
"#;

/// Who is asked, and the mark of a seal in what it is asked.
const HOMES: &[(&str, &str)] = &[
    ("anthropic/claude-sonnet-4-5", "\"signature\":\""),
    ("codex/gpt-5.5-codex", "\"encrypted_content\":\""),
    ("gemini/gemini-3-pro", "\"thoughtSignature\":\""),
    ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "\"signature\":\""),
];

#[test]
fn clients_that_lose_thoughts_do_not_lose_them_for_the_model() {
    let house = playing();
    for client in CLIENTS {
        for (model, mark) in HOMES {
            for stream in [false, true] {
                let name = format!("{} → {model}, stream {stream}", client.dialect);
                let mut request = (client.begin)(model, stream, "Look at the harbour.");
                let reply = client.ask(house.addr(), model, stream, &request).unwrap();
                let calls = (client.go_on)(&mut request, &without_thoughts(client, reply), "there");
                assert_eq!(calls, 2, "{name}");
                let answer = client.ask(house.addr(), model, stream, &request).unwrap();
                assert!((client.text)(&answer).contains("3 cranes"), "{name}: {answer}");
                assert!(seals(&house, mark) > 0, "{name}: {}", last(&house));
            }
        }
    }
    all_accepted(&house);
}

#[test]
fn a_restart_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    let mut house = House::playing(options(), |config| config.store.place = place());
    for client in CLIENTS {
        for (model, mark) in HOMES {
            let mut request = (client.begin)(model, true, "Look at the harbour.");
            let reply = client.ask(house.addr(), model, true, &request).unwrap();
            (client.go_on)(&mut request, &without_thoughts(client, reply), "there");
            house.open(|config| config.store.place = place());
            client.ask(house.addr(), model, true, &request).unwrap();
            assert!(seals(&house, mark) > 0, "{} {model}: {}", client.dialect, last(&house));
        }
    }
    all_accepted(&house);
}

#[test]
fn a_lost_store_is_survived_by_clients_that_carry_seals() {
    let mut house = House::playing(options(), |config| config.store.place = Place::Off);
    for (client, home) in [(0, 1), (2, 0), (2, 3)] {
        let (client, (model, mark)) = (&CLIENTS[client], HOMES[home]);
        let mut request = (client.begin)(model, true, "Look at the harbour.");
        let reply = client.ask(house.addr(), model, true, &request).unwrap();
        (client.go_on)(&mut request, &reply, "there");
        house.open(|config| config.store.place = Place::Off);
        client.ask(house.addr(), model, true, &request).unwrap();
        assert_eq!(seals(&house, mark), 2, "{} {model}: {}", client.dialect, last(&house));
    }
    all_accepted(&house);
}

#[test]
fn after_other_models_the_first_finds_its_thoughts_again() {
    for client in CLIENTS {
        let house = playing();
        let (first, mark) = HOMES[0];
        let mut request = (client.begin)(first, false, "Look at the harbour.");
        let reply = client.ask(house.addr(), first, false, &request).unwrap();
        (client.go_on)(&mut request, &without_thoughts(client, reply), "there");
        let answer = client.ask(house.addr(), first, false, &request).unwrap();
        (client.go_on)(&mut request, &without_thoughts(client, answer), "");
        for model in ["codex/gpt-5.5-codex", "gemini/gemini-3-pro", first] {
            ask_more(client, &mut request, "And now?");
            if request.get("model").is_some() {
                request["model"] = json!(model);
            }
            let answer = client.ask(house.addr(), model, false, &request).unwrap();
            (client.go_on)(&mut request, &without_thoughts(client, answer), "");
        }
        assert_eq!(seals(&house, mark), 3, "{}: {}", client.dialect, last(&house));
        all_accepted(&house);
    }
}

/// Chat → Anthropic, Anthropic → Responses, Responses → Gemini: thinking, nothing, thinking, words and two
/// calls, with a restart before every turn, and with another model there and back.
#[test]
fn interleaved_thinking_survives_restarts_and_another_model_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    for (client, home, other) in [(1, 0, 1), (0, 1, 2), (2, 2, 0)] {
        for stream in [false, true] {
            let mut house = House::playing(options(), |config| config.store.place = place());
            let (client, (model, _), (other, _)) = (&CLIENTS[client], HOMES[home], HOMES[other]);
            let name = format!("{} → {model}, stream {stream}", client.dialect);
            let mut request = (client.begin)(model, stream, "Look at the harbour.");
            if let Some(reasoning) = request.get_mut("reasoning") {
                // Without it, no thoughts are shown.
                reasoning["summary"] = json!("auto");
            }
            let mut turns = Vec::new();
            for (model, words) in
                [(model, ""), (model, ""), (other, "And now?"), (model, "And now?")]
            {
                if !words.is_empty() {
                    ask_more(client, &mut request, words);
                }
                if request.get("model").is_some() {
                    request["model"] = json!(model);
                }
                let reply = client.ask(house.addr(), model, stream, &request).unwrap();
                (client.go_on)(&mut request, &without_thoughts(client, reply), "there");
                turns.push(house.log().last().unwrap().clone());
                house.open(|config| config.store.place = place());
            }
            all_accepted(&house);
            // What it was sent with the results of its calls, and when it is asked again.
            let said = [&turns[1], &turns[3]].map(|turn| said_first(&turn["request"]));
            assert_eq!(said[0], SAID[home], "{name}: {}", turns[1]["request"]);
            assert_eq!(said[1], SAID[home], "{name}, back again: {}", turns[3]["request"]);
        }
    }
}

/// What a model said in the first of its turns, as its provider was sent it: `S` for what is sealed.
fn said_first(body: &Value) -> String {
    let kind = |one: &Value| {
        let seal = ["signature", "encrypted_content", "thoughtSignature"];
        let sealed = if seal.iter().any(|key| one.get(key).is_some()) { "S" } else { "" };
        let kind = match (one["type"].as_str(), one) {
            (Some(kind), _) => kind,
            (None, part) if part["thought"] == true => "thought",
            (None, part) if part.get("functionCall").is_some() => "call",
            (None, _) => "text",
        };
        format!("{kind}{sealed}")
    };
    let (turns, of_model) = match body {
        body if body.get("contents").is_some() => (&body["contents"], "model"),
        body if body.get("input").is_some() => (&body["input"], ""),
        body => (&body["messages"], "assistant"),
    };
    let turns = turns.as_array().unwrap();
    let kinds: Vec<String> = if of_model.is_empty() {
        let rest = turns.iter().skip_while(|item| item["role"] == "user");
        rest.take_while(|item| item["type"] != "function_call_output").map(kind).collect()
    } else {
        let first = turns.iter().find(|turn| turn["role"] == of_model).unwrap();
        let blocks = first.get("content").or_else(|| first.get("parts")).unwrap();
        blocks.as_array().unwrap().iter().map(kind).collect()
    };
    kinds.join(" ")
}

/// For each home.
const SAID: &[&str] = &[
    "thinkingS text thinkingS text tool_use tool_use",
    "reasoningS message reasoningS message function_call function_call",
    // It seals the first of the calls with all that it thought, and is sent no thoughts.
    "text callS call",
];

#[test]
fn two_clients_do_not_share_what_was_thought() {
    let house = House::playing(options(), |config| {
        let key = |name: &str| Key {
            name: name.to_owned(),
            sha256: Sha256::digest(name).into(),
            requests_per_minute: None,
            concurrent: None,
            tokens_per_day: None,
        };
        config.access.keys = vec![key("one"), key("two")];
    });
    let (model, mark) = HOMES[0];
    let client = &CLIENTS[1];
    let mut request = (client.begin)(model, false, "Look at the harbour.");
    let path = (client.path)(model, false);
    let ask = |key: &str, request: &Value| {
        let key = format!("authorization: Bearer {key}\r\n");
        crate::client::post(house.addr(), &path, &key, request.to_string().as_bytes())
    };
    let reply = serde_json::from_slice(&ask("one", &request).body).unwrap();
    (client.go_on)(&mut request, &without_thoughts(client, reply), "there");
    assert_eq!(ask("two", &request).status, 200);
    assert_eq!(seals(&house, mark), 0, "{}", last(&house));
    assert_eq!(ask("one", &request).status, 200);
    assert_eq!(seals(&house, mark), 2, "{}", last(&house));
}

fn playing() -> House {
    House::playing(options(), |_| {})
}

fn options() -> Options {
    Options { script: Some(Script::read(SCRIPT).unwrap()), ..Options::default() }
}

/// As clients bring a reply back whose dialect, or whose authors, have no room for thoughts.
pub(crate) fn without_thoughts(client: &Client, mut reply: Value) -> Value {
    let drop_if = |list: &mut Value, gone: &dyn Fn(&Value) -> bool| {
        if let Some(list) = list.as_array_mut() {
            list.retain(|one| !gone(one));
        }
    };
    match client.dialect {
        "anthropic" => drop_if(&mut reply["content"], &|block| {
            block["type"] == "thinking"
                || block["type"] == "redacted_thinking"
                || block["text"] == ""
        }),
        "openai-chat" => {
            let message = reply["choices"][0]["message"].as_object_mut().unwrap();
            message.retain(|key, _| ["role", "content", "tool_calls"].contains(&key.as_str()));
            let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
            for call in calls.into_iter().flatten() {
                let call = call.as_object_mut().unwrap();
                call.retain(|key, _| ["id", "type", "function"].contains(&key.as_str()));
            }
        }
        "openai-responses" => drop_if(&mut reply["output"], &|item| item["type"] == "reasoning"),
        _ => {
            let parts = &mut reply["candidates"][0]["content"]["parts"];
            drop_if(parts, &|part| part["thought"] == true || part["text"] == "");
            for part in parts.as_array_mut().into_iter().flatten() {
                part.as_object_mut().unwrap().remove("thoughtSignature");
            }
        }
    }
    reply
}

pub(crate) fn ask_more(client: &Client, request: &mut Value, words: &str) {
    let (turns, said) = match client.dialect {
        "anthropic" | "openai-chat" => ("messages", json!({"role": "user", "content": words})),
        "openai-responses" => ("input", json!({"role": "user", "content": words})),
        _ => ("contents", json!({"role": "user", "parts": [{"text": words}]})),
    };
    let turns = request[turns].as_array_mut().unwrap();
    // Of an answer without calls there are no results.
    turns.retain(|turn| turn["content"] != json!([]) && turn["parts"] != json!([]));
    turns.push(said);
}

/// How many seals the provider was sent last.
fn seals(house: &House, mark: &str) -> usize {
    last(house).matches(mark).count()
}

fn last(house: &House) -> String {
    house.log().last().unwrap().to_string()
}

fn all_accepted(house: &House) {
    for request in house.log() {
        assert_eq!(request["accepted"], true, "{}: {request}", request["violations"]);
    }
}

/// Without a store, what a model sealed travels with its client: past another provider and another model of the
/// same one, who are not sent it, and back to the first.
#[test]
fn a_thought_that_travels_goes_to_no_other_model() {
    const MODELS: [&str; 5] = [
        "anthropic/claude-sonnet-4-5",
        "anthropic/claude-sonnet-4-5",
        "openai/gpt-5.5",
        "anthropic/claude-opus-4-8",
        "anthropic/claude-sonnet-4-5",
    ];
    let client = CLIENTS.iter().find(|client| client.dialect == "openai-responses").unwrap();
    for stream in [false, true] {
        let options = crate::responses::options();
        let house = House::playing(options, |config| config.store.place = Place::Off);
        let mut request = (client.begin)(MODELS[0], stream, "Look at the harbour.");
        for (nth, model) in MODELS.iter().enumerate() {
            request["model"] = json!(model);
            let reply = client.ask(house.addr(), model, stream, &request).unwrap();
            if (client.go_on)(&mut request, &reply, "14 of them") == 0 {
                ask_more(client, &mut request, "And now?");
            }
            let sent = house.log().last().unwrap().clone();
            let knows = sent["request"].to_string().contains("First, the ships.");
            assert_eq!(knows, [1, 4].contains(&nth), "{model}: {sent}");
        }
        for request in house.log() {
            assert_eq!(request["accepted"], true, "{}", request["violations"]);
        }
        assert_eq!(house.log().len(), MODELS.len());
    }
}
