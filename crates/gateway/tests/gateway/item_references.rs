//! Tests of `item_reference` input and of reasoning items with ids.

use std::sync::Arc;

use interlingua::find_dialect;
use interlingua_simulator::Options;
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{HttpResponse, post};
use crate::harness::Harness;
use crate::responses::options;

const MODELS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "gemini/gemini-3-pro",
    "responses/gpt-5.5",
];

/// With a Responses provider that stores items.
fn harness(options: Options) -> Harness {
    Harness::with_simulator(options, |config| {
        let chat = config.providers.iter().find(|provider| provider.name == "openai").unwrap();
        let dialect = find_dialect("openai-responses").unwrap();
        let mut provider = Provider::new("responses", dialect, chat.base_url.clone());
        provider.api_key.clone_from(&chat.api_key);
        config.providers.push(Arc::new(provider));
    })
}

fn ask(harness: &Harness, model: &str, input: &Value, extra_fields: &Value) -> HttpResponse {
    let mut request = json!({
        "model": model, "input": input,
        "reasoning": {"effort": "high", "summary": "auto"},
        "tools": [{
            "type": "function", "name": "look", "description": "Looks.", "strict": false,
            "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
        }],
    });
    for (key, value) in extra_fields.as_object().unwrap() {
        request[key] = value.clone();
    }
    post(harness.addr(), "/v1/responses", "", request.to_string().as_bytes())
}

fn send(harness: &Harness, model: &str, input: &Value, extra_fields: &Value) -> Value {
    let response = ask(harness, model, input, extra_fields);
    assert_eq!(response.status, 200, "{model}: {}", response.text());
    serde_json::from_slice(&response.body).unwrap()
}

fn item_reference(item: &Value) -> Value {
    json!({"type": "item_reference", "id": item["id"]})
}

fn call_result(reply: &Value) -> Value {
    let call = reply["output"].as_array().unwrap().iter().find(|item| !item["call_id"].is_null());
    json!({"type": "function_call_output", "call_id": call.unwrap()["call_id"], "output": "14"})
}

#[test]
fn reasoning_of_other_models_is_accepted() {
    let gateway = harness(options());
    for model in MODELS {
        let first = send(&gateway, model, &json!("Look at the harbour."), &json!({}));
        let previous = json!({"previous_response_id": first["id"]});
        send(&gateway, "responses/gpt-5.5", &json!([call_result(&first)]), &previous);
        let mut history = vec![json!({"role": "user", "content": "Look at the harbour."})];
        history.extend(first["output"].as_array().unwrap().iter().cloned());
        history.push(call_result(&first));
        send(&gateway, "responses/gpt-5.5", &json!(history), &json!({}));
    }
}

#[test]
fn references_are_inlined_for_other_providers() {
    for first in MODELS {
        for second_model in MODELS {
            for extra_fields in [json!({}), json!({"store": false})] {
                let gateway = harness(options());
                let user_message = json!({"role": "user", "content": "Look at the harbour."});
                let reply = send(&gateway, first, &json!([user_message]), &json!({}));
                let mut input = vec![user_message];
                input.extend(reply["output"].as_array().unwrap().iter().map(item_reference));
                input.push(call_result(&reply));
                send(&gateway, second_model, &json!(input), &extra_fields);
                let last = gateway.provider_requests().last().unwrap()["request"].clone();
                if first == second_model
                    && first.starts_with("responses")
                    && extra_fields == json!({})
                {
                    assert_eq!(last["input"], json!(input), "the provider has the items");
                } else {
                    let last = last.to_string();
                    assert!(
                        last.contains("Let me look."),
                        "{first} {second_model} {extra_fields}: {last}"
                    );
                    assert!(
                        last.contains("ships"),
                        "{first} {second_model} {extra_fields}: {last}"
                    );
                }
            }
        }
    }
}

#[test]
fn unknown_references_are_not_found() {
    let gateway = harness(options());
    let input =
        |id: &str| json!([{"type": "item_reference", "id": id}, {"role": "user", "content": "Hi"}]);
    let response = ask(&gateway, MODELS[0], &input("msg_1"), &json!({}));
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    let message = &body["error"]["message"];
    assert_eq!((response.status, message), (404, &json!("Item with id 'msg_1' not found.")));
    // Reasoning of another model would not be sent anyway.
    send(&gateway, MODELS[0], &input("rs_1"), &json!({}));
}

#[test]
fn reasoning_is_restored_with_its_items() {
    let gateway = harness(Options::default());
    let user_message = json!({"role": "user", "content": "Look at the harbour with look"});
    let reply = send(&gateway, "responses/gpt-5.5", &json!([user_message]), &json!({}));
    let mut input = vec![user_message];
    for item in reply["output"].as_array().unwrap() {
        let mut item = item.clone();
        item.as_object_mut().unwrap().remove("id");
        if item["type"] != "reasoning" {
            input.push(item);
        }
    }
    input.push(call_result(&reply));
    send(&gateway, "responses/gpt-5.5", &json!(input), &json!({}));
}

#[test]
fn an_error_has_the_repairs_header() {
    let gateway = harness(options());
    let input = json!([
        {"type": "item_reference", "id": "msg_1"},
        {"type": "function_call", "call_id": "call_unanswered", "name": "look", "arguments": "{}"},
        {"role": "user", "content": "Hi"},
    ]);
    let response = ask(&gateway, "responses/gpt-5.5", &input, &json!({}));
    assert_eq!(response.status, 404, "{}", response.text());
    assert!(response.header("x-interlingua-repairs").is_some(), "{}", response.headers);
}

#[test]
fn references_count_as_their_items() {
    let gateway = harness(options());
    let count = |model: &str, input: &[Value]| {
        let request = json!({"model": model, "input": input}).to_string();
        let response = post(gateway.addr(), "/v1/responses/input_tokens", "", request.as_bytes());
        assert_eq!(response.status, 200, "{model}: {}", response.text());
        let response: Value = serde_json::from_slice(&response.body).unwrap();
        response["input_tokens"].as_u64().unwrap()
    };
    let user_message = json!({"role": "user", "content": "Look at the harbour."});
    for first in MODELS {
        let reply = send(&gateway, first, &json!([user_message]), &json!({}));
        let calls = reply["output"].as_array().unwrap().iter();
        let calls: Vec<Value> = calls.filter(|item| !item["call_id"].is_null()).cloned().collect();
        let with_calls = |calls: Vec<Value>| {
            [vec![user_message.clone()], calls, vec![call_result(&reply)]].concat()
        };
        for second_model in
            MODELS.iter().filter(|second_model| !second_model.starts_with("responses/"))
        {
            let with_references =
                count(second_model, &with_calls(calls.iter().map(item_reference).collect()));
            assert_eq!(
                with_references,
                count(second_model, &with_calls(calls.clone())),
                "{first} to {second_model}"
            );
        }
    }
}
