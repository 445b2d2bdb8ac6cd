//! Items that a request says by their ids alone, and thoughts that have ids: the conversation goes on.

use std::sync::Arc;

use interlingua::find;
use interlingua_simulator::Options;
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{Answer, post};
use crate::house::House;
use crate::responses::options;

const MODELS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "gemini/gemini-3-pro",
    "responses/gpt-5.5",
];

/// With a provider that keeps items.
fn playing(options: Options) -> House {
    House::playing(options, |config| {
        let chat = config.providers.iter().find(|provider| provider.name == "openai").unwrap();
        let dialect = find("openai-responses").unwrap();
        let mut provider = Provider::new("responses", dialect, chat.base.clone());
        provider.key.clone_from(&chat.key);
        config.providers.push(Arc::new(provider));
    })
}

fn ask(house: &House, model: &str, input: &Value, more: &Value) -> Answer {
    let mut request = json!({
        "model": model, "input": input,
        "reasoning": {"effort": "high", "summary": "auto"},
        "tools": [{
            "type": "function", "name": "look", "description": "Looks.", "strict": false,
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
        }],
    });
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    post(house.addr(), "/v1/responses", "", request.to_string().as_bytes())
}

fn say(house: &House, model: &str, input: &Value, more: &Value) -> Value {
    let answer = ask(house, model, input, more);
    assert_eq!(answer.status, 200, "{model}: {}", answer.text());
    serde_json::from_slice(&answer.body).unwrap()
}

fn named(item: &Value) -> Value {
    json!({"type": "item_reference", "id": item["id"]})
}

fn result_of(reply: &Value) -> Value {
    let call = reply["output"].as_array().unwrap().iter().find(|item| !item["call_id"].is_null());
    json!({"type": "function_call_output", "call_id": call.unwrap()["call_id"], "output": "14"})
}

#[test]
fn what_another_model_thought_stops_nobody() {
    let house = playing(options());
    for model in MODELS {
        let first = say(&house, model, &json!("Look at the harbour."), &json!({}));
        let previous = json!({"previous_response_id": first["id"]});
        say(&house, "responses/gpt-5.5", &json!([result_of(&first)]), &previous);
        let mut whole = vec![json!({"role": "user", "content": "Look at the harbour."})];
        whole.extend(first["output"].as_array().unwrap().iter().cloned());
        whole.push(result_of(&first));
        say(&house, "responses/gpt-5.5", &json!(whole), &json!({}));
    }
}

#[test]
fn what_is_only_named_is_told_to_who_does_not_keep_it() {
    for first in MODELS {
        for then in MODELS {
            for more in [json!({}), json!({"store": false})] {
                let house = playing(options());
                let asked = json!({"role": "user", "content": "Look at the harbour."});
                let reply = say(&house, first, &json!([asked]), &json!({}));
                let mut input = vec![asked];
                input.extend(reply["output"].as_array().unwrap().iter().map(named));
                input.push(result_of(&reply));
                say(&house, then, &json!(input), &more);
                let last = house.log().last().unwrap()["request"].clone();
                if first == then && first.starts_with("responses") && more == json!({}) {
                    assert_eq!(last["input"], json!(input), "it keeps them");
                } else {
                    let last = last.to_string();
                    assert!(last.contains("Let me look."), "{first} {then} {more}: {last}");
                    assert!(last.contains("ships"), "{first} {then} {more}: {last}");
                }
            }
        }
    }
}

#[test]
fn what_nobody_knows_is_not_found() {
    let house = playing(options());
    let input =
        |id: &str| json!([{"type": "item_reference", "id": id}, {"role": "user", "content": "Hi"}]);
    let answer = ask(&house, MODELS[0], &input("msg_1"), &json!({}));
    let said: Value = serde_json::from_slice(&answer.body).unwrap();
    let message = &said["error"]["message"];
    assert_eq!((answer.status, message), (404, &json!("Item with id 'msg_1' not found.")));
    // What somebody else thought would not be told anyway.
    say(&house, MODELS[0], &input("rs_1"), &json!({}));
}

#[test]
fn thoughts_come_back_with_all_that_they_led_to() {
    let house = playing(Options::default());
    let asked = json!({"role": "user", "content": "Look at the harbour with look"});
    let reply = say(&house, "responses/gpt-5.5", &json!([asked]), &json!({}));
    let mut input = vec![asked];
    for item in reply["output"].as_array().unwrap() {
        let mut item = item.clone();
        item.as_object_mut().unwrap().remove("id");
        if item["type"] != "reasoning" {
            input.push(item);
        }
    }
    input.push(result_of(&reply));
    say(&house, "responses/gpt-5.5", &json!(input), &json!({}));
}

#[test]
fn a_refusal_tells_what_was_repaired() {
    let house = playing(options());
    let input = json!([
        {"type": "item_reference", "id": "msg_1"},
        {"type": "function_call", "call_id": "call_unanswered", "name": "look", "arguments": "{}"},
        {"role": "user", "content": "Hi"},
    ]);
    let answer = ask(&house, "responses/gpt-5.5", &input, &json!({}));
    assert_eq!(answer.status, 404, "{}", answer.text());
    assert!(answer.header("x-interlingua-repairs").is_some(), "{}", answer.headers);
}

#[test]
fn what_is_only_named_counts() {
    let house = playing(options());
    let count = |model: &str, input: &[Value]| {
        let request = json!({"model": model, "input": input}).to_string();
        let counted = post(house.addr(), "/v1/responses/input_tokens", "", request.as_bytes());
        assert_eq!(counted.status, 200, "{model}: {}", counted.text());
        let counted: Value = serde_json::from_slice(&counted.body).unwrap();
        counted["input_tokens"].as_u64().unwrap()
    };
    let asked = json!({"role": "user", "content": "Look at the harbour."});
    for first in MODELS {
        let reply = say(&house, first, &json!([asked]), &json!({}));
        let calls = reply["output"].as_array().unwrap().iter();
        let calls: Vec<Value> = calls.filter(|item| !item["call_id"].is_null()).cloned().collect();
        let with =
            |calls: Vec<Value>| [vec![asked.clone()], calls, vec![result_of(&reply)]].concat();
        for then in MODELS.iter().filter(|then| !then.starts_with("responses/")) {
            let named = count(then, &with(calls.iter().map(named).collect()));
            assert_eq!(named, count(then, &with(calls.clone())), "{first} to {then}");
        }
    }
}
