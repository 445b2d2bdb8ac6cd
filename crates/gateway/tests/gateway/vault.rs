//! Tests that reasoning is restored, whatever the client drops of a reply.

use interlingua_gateway::config::{ApiKey, StoreLocation};
use interlingua_simulator::{Options, Script};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, Client};
use crate::harness::Harness;

/// Interleaved thinking with nothing between two thinking blocks, text, and two parallel calls.
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

/// A model, and the field of its seals in requests.
const SEALING_MODELS: &[(&str, &str)] = &[
    ("anthropic/claude-sonnet-4-5", "\"signature\":\""),
    ("codex/gpt-5.5-codex", "\"encrypted_content\":\""),
    ("gemini/gemini-3-pro", "\"thoughtSignature\":\""),
    ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "\"signature\":\""),
];

#[test]
fn reasoning_that_clients_drop_is_restored() {
    let gateway = harness();
    for client in CLIENTS {
        for (model, seal_field) in SEALING_MODELS {
            for stream in [false, true] {
                let name = format!("{} → {model}, stream {stream}", client.dialect);
                let mut request = (client.first_request)(model, stream, "Look at the harbour.");
                let reply = client.request_turn(gateway.addr(), model, stream, &request).unwrap();
                let calls =
                    (client.append_results)(&mut request, &strip_reasoning(client, reply), "there");
                assert_eq!(calls, 2, "{name}");
                let answer = client.request_turn(gateway.addr(), model, stream, &request).unwrap();
                assert!((client.text)(&answer).contains("3 cranes"), "{name}: {answer}");
                assert!(
                    count_seals(&gateway, seal_field) > 0,
                    "{name}: {}",
                    last_request(&gateway)
                );
            }
        }
    }
    assert_all_accepted(&gateway);
}

#[test]
fn reasoning_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    let mut harness =
        Harness::with_simulator(options(), |config| config.store.location = location());
    for client in CLIENTS {
        for (model, seal_field) in SEALING_MODELS {
            let mut request = (client.first_request)(model, true, "Look at the harbour.");
            let reply = client.request_turn(harness.addr(), model, true, &request).unwrap();
            (client.append_results)(&mut request, &strip_reasoning(client, reply), "there");
            harness.restart_gateway(|config| config.store.location = location());
            client.request_turn(harness.addr(), model, true, &request).unwrap();
            assert!(
                count_seals(&harness, seal_field) > 0,
                "{} {model}: {}",
                client.dialect,
                last_request(&harness)
            );
        }
    }
    assert_all_accepted(&harness);
}

#[test]
fn clients_that_carry_seals_do_not_need_the_store() {
    let mut harness =
        Harness::with_simulator(options(), |config| config.store.location = StoreLocation::Off);
    for (client, model_index) in [(0, 1), (2, 0), (2, 3)] {
        let (client, (model, seal_field)) = (&CLIENTS[client], SEALING_MODELS[model_index]);
        let mut request = (client.first_request)(model, true, "Look at the harbour.");
        let reply = client.request_turn(harness.addr(), model, true, &request).unwrap();
        (client.append_results)(&mut request, &reply, "there");
        harness.restart_gateway(|config| config.store.location = StoreLocation::Off);
        client.request_turn(harness.addr(), model, true, &request).unwrap();
        assert_eq!(
            count_seals(&harness, seal_field),
            2,
            "{} {model}: {}",
            client.dialect,
            last_request(&harness)
        );
    }
    assert_all_accepted(&harness);
}

#[test]
fn reasoning_is_restored_after_turns_of_other_models() {
    for client in CLIENTS {
        let gateway = harness();
        let (first, seal_field) = SEALING_MODELS[0];
        let mut request = (client.first_request)(first, false, "Look at the harbour.");
        let reply = client.request_turn(gateway.addr(), first, false, &request).unwrap();
        (client.append_results)(&mut request, &strip_reasoning(client, reply), "there");
        let answer = client.request_turn(gateway.addr(), first, false, &request).unwrap();
        (client.append_results)(&mut request, &strip_reasoning(client, answer), "");
        for model in ["codex/gpt-5.5-codex", "gemini/gemini-3-pro", first] {
            append_user_message(client, &mut request, "And now?");
            if request.get("model").is_some() {
                request["model"] = json!(model);
            }
            let answer = client.request_turn(gateway.addr(), model, false, &request).unwrap();
            (client.append_results)(&mut request, &strip_reasoning(client, answer), "");
        }
        assert_eq!(
            count_seals(&gateway, seal_field),
            3,
            "{}: {}",
            client.dialect,
            last_request(&gateway)
        );
        assert_all_accepted(&gateway);
    }
}

/// Chat → Anthropic, Anthropic → Responses, Responses → Gemini: interleaved thinking, text and two
/// calls, with a restart before every turn and another model in between.
#[test]
fn interleaved_thinking_survives_restarts_and_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    for (client, model_index, other) in [(1, 0, 1), (0, 1, 2), (2, 2, 0)] {
        for stream in [false, true] {
            let mut harness =
                Harness::with_simulator(options(), |config| config.store.location = location());
            let (client, (model, _), (other, _)) =
                (&CLIENTS[client], SEALING_MODELS[model_index], SEALING_MODELS[other]);
            let name = format!("{} → {model}, stream {stream}", client.dialect);
            let mut request = (client.first_request)(model, stream, "Look at the harbour.");
            if let Some(reasoning) = request.get_mut("reasoning") {
                // Without it, no reasoning is returned.
                reasoning["summary"] = json!("auto");
            }
            let mut turns = Vec::new();
            for (model, text) in
                [(model, ""), (model, ""), (other, "And now?"), (model, "And now?")]
            {
                if !text.is_empty() {
                    append_user_message(client, &mut request, text);
                }
                if request.get("model").is_some() {
                    request["model"] = json!(model);
                }
                let reply = client.request_turn(harness.addr(), model, stream, &request).unwrap();
                (client.append_results)(&mut request, &strip_reasoning(client, reply), "there");
                turns.push(harness.provider_requests().last().unwrap().clone());
                harness.restart_gateway(|config| config.store.location = location());
            }
            assert_all_accepted(&harness);
            // The blocks as sent with the results of the calls, and in a later turn.
            let blocks = [&turns[1], &turns[3]].map(|turn| first_turn_blocks(&turn["request"]));
            let expected = match EXPECTED_BLOCKS[model_index] {
                // The client's whole reply has an empty text, which Gemini accepts.
                "text callS call" if !stream => "text text callS call",
                expected => expected,
            };
            assert_eq!(blocks[0], expected, "{name}: {}", turns[1]["request"]);
            assert_eq!(blocks[1], expected, "{name}, back again: {}", turns[3]["request"]);
        }
    }
}

/// The kinds of blocks of the model's first turn in a provider request; `S` marks seals.
fn first_turn_blocks(body: &Value) -> String {
    let kind = |block: &Value| {
        let seal_fields = ["signature", "encrypted_content", "thoughtSignature"];
        let sealed = if seal_fields.iter().any(|key| block.get(key).is_some()) { "S" } else { "" };
        let kind = match (block["type"].as_str(), block) {
            (Some(kind), _) => kind,
            (None, part) if part["thought"] == true => "thought",
            (None, part) if part.get("functionCall").is_some() => "call",
            (None, _) => "text",
        };
        format!("{kind}{sealed}")
    };
    let (turns, model_role) = match body {
        body if body.get("contents").is_some() => (&body["contents"], "model"),
        body if body.get("input").is_some() => (&body["input"], ""),
        body => (&body["messages"], "assistant"),
    };
    let turns = turns.as_array().unwrap();
    let kinds: Vec<String> = if model_role.is_empty() {
        let rest = turns.iter().skip_while(|item| item["role"] == "user");
        rest.take_while(|item| item["type"] != "function_call_output").map(kind).collect()
    } else {
        let first = turns.iter().find(|turn| turn["role"] == model_role).unwrap();
        let blocks = first.get("content").or_else(|| first.get("parts")).unwrap();
        blocks.as_array().unwrap().iter().map(kind).collect()
    };
    kinds.join(" ")
}

/// By index of the model.
const EXPECTED_BLOCKS: &[&str] = &[
    "thinkingS text thinkingS text tool_use tool_use",
    "reasoningS message reasoningS message function_call function_call",
    // Gemini seals the first call and gets no thought parts back.
    "text callS call",
];

#[test]
fn two_keys_do_not_share_reasoning() {
    let harness = Harness::with_simulator(options(), |config| {
        let key = |name: &str| ApiKey {
            name: name.to_owned(),
            sha256: Sha256::digest(name).into(),
            requests_per_minute: None,
            concurrent: None,
            tokens_per_day: None,
        };
        config.access.keys = vec![key("one"), key("two")];
    });
    let (model, seal_field) = SEALING_MODELS[0];
    let client = &CLIENTS[1];
    let mut request = (client.first_request)(model, false, "Look at the harbour.");
    let path = (client.path)(model, false);
    let ask = |key: &str, request: &Value| {
        let key = format!("authorization: Bearer {key}\r\n");
        crate::client::post(harness.addr(), &path, &key, request.to_string().as_bytes())
    };
    let reply = serde_json::from_slice(&ask("one", &request).body).unwrap();
    (client.append_results)(&mut request, &strip_reasoning(client, reply), "there");
    assert_eq!(ask("two", &request).status, 200);
    assert_eq!(count_seals(&harness, seal_field), 0, "{}", last_request(&harness));
    assert_eq!(ask("one", &request).status, 200);
    assert_eq!(count_seals(&harness, seal_field), 2, "{}", last_request(&harness));
}

fn harness() -> Harness {
    Harness::with_simulator(options(), |_| {})
}

fn options() -> Options {
    Options { script: Some(Script::parse(SCRIPT).unwrap()), ..Options::default() }
}

/// Drops reasoning from a reply, as clients without support for it do.
pub(crate) fn strip_reasoning(client: &Client, mut reply: Value) -> Value {
    let drop_if = |list: &mut Value, should_drop: &dyn Fn(&Value) -> bool| {
        if let Some(list) = list.as_array_mut() {
            list.retain(|item| !should_drop(item));
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

pub(crate) fn append_user_message(client: &Client, request: &mut Value, text: &str) {
    let (turns, blocks) = match client.dialect {
        "anthropic" | "openai-chat" => ("messages", json!({"role": "user", "content": text})),
        "openai-responses" => ("input", json!({"role": "user", "content": text})),
        _ => ("contents", json!({"role": "user", "parts": [{"text": text}]})),
    };
    let turns = request[turns].as_array_mut().unwrap();
    // An answer without calls has no results.
    turns.retain(|turn| turn["content"] != json!([]) && turn["parts"] != json!([]));
    turns.push(blocks);
}

/// Seals in the last provider request.
fn count_seals(harness: &Harness, seal_field: &str) -> usize {
    last_request(harness).matches(seal_field).count()
}

fn last_request(harness: &Harness) -> String {
    harness.provider_requests().last().unwrap().to_string()
}

fn assert_all_accepted(harness: &Harness) {
    for request in harness.provider_requests() {
        assert_eq!(request["accepted"], true, "{}: {request}", request["violations"]);
    }
}

/// Without a store, seals travel with the client: they are skipped for another provider and for
/// another model of the same provider, and sent to the first model again.
#[test]
fn carried_seals_are_sent_only_to_their_model() {
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
        let harness =
            Harness::with_simulator(options, |config| config.store.location = StoreLocation::Off);
        let mut request = (client.first_request)(MODELS[0], stream, "Look at the harbour.");
        for (nth, model) in MODELS.iter().enumerate() {
            request["model"] = json!(model);
            let reply = client.request_turn(harness.addr(), model, stream, &request).unwrap();
            if (client.append_results)(&mut request, &reply, "14 of them") == 0 {
                append_user_message(client, &mut request, "And now?");
            }
            let sent = harness.provider_requests().last().unwrap().clone();
            let has_reasoning = sent["request"].to_string().contains("First, the ships.");
            assert_eq!(has_reasoning, [1, 4].contains(&nth), "{model}: {sent}");
        }
        for request in harness.provider_requests() {
            assert_eq!(request["accepted"], true, "{}", request["violations"]);
        }
        assert_eq!(harness.provider_requests().len(), MODELS.len());
    }
}
