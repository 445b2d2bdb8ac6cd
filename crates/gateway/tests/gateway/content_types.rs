//! Tests message content of any JSON type: a loaded session, a request built by the library and a
//! request through the gateway send the same valid messages to the provider.

use interlingua::{JsonString, Target, find_dialect, translate_request};
use serde_json::{Value, json};

use crate::client::{get, post};
use crate::harness::Harness;

/// Stored messages, and the messages that a provider with string content must receive.
struct Scenario {
    name: &'static str,
    stored: Value,
    expected: Value,
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}})
}

fn scenario(name: &'static str, stored: Value, expected: Value) -> Scenario {
    Scenario { name, stored, expected }
}

fn result(content: &Value) -> Value {
    json!({"role": "tool", "tool_call_id": "call_1", "content": content})
}

fn scenarios() -> Vec<Scenario> {
    let (user, calls_field) = (json!({"role": "user", "content": "Hi"}), json!([call("call_1")]));
    let calls = |content: &Value| json!({"role": "assistant", "content": content, "tool_calls": calls_field});
    let answer = json!({"role": "assistant", "content": "Yes?"});
    let tool_loop = |content: &Value, result_content: Value| {
        json!([user, calls(content), result(&result_content)])
    };
    vec![
        scenario(
            "normalize when loading: an object is its JSON text",
            json!([{"role": "user", "content": {"rows": 3, "of": ["a"]}}, answer]),
            json!([{"role": "user", "content": r#"{"rows":3,"of":["a"]}"#}, answer]),
        ),
        scenario(
            "normalize when loading: a list of texts is their text",
            json!([user, {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]}]),
            json!([user, answer]),
        ),
        scenario(
            "normalize when loading: null next to calls is valid everywhere and stays",
            tool_loop(&Value::Null, json!("files")),
            tool_loop(&Value::Null, json!("files")),
        ),
        scenario(
            "normalize when loading: null of a tool is nothing",
            tool_loop(&json!("Let me look."), Value::Null),
            tool_loop(&json!("Let me look."), json!("")),
        ),
        scenario(
            "normalize when loading: another type is a string",
            json!([{"role": "user", "content": 7}, {"role": "assistant", "content": true}]),
            json!([{"role": "user", "content": "7"}, {"role": "assistant", "content": "true"}]),
        ),
        scenario(
            "normalize when building: the result of a tool that is an object is its JSON text",
            tool_loop(&json!("Let me look."), json!({"files": ["a", "b"], "more": null})),
            tool_loop(&json!("Let me look."), json!(r#"{"files":["a","b"],"more":null}"#)),
        ),
        scenario(
            "final normalization: the first message is right, an object with a text",
            json!([{"role": "user", "content": {"text": "Hi"}}, answer]),
            json!([user, answer]),
        ),
        scenario(
            "final normalization: the first message is right, a list of words",
            json!([{"role": "user", "content": ["Hi"]}, answer]),
            json!([user, answer]),
        ),
        scenario(
            "final normalization: the first message is right, a word alone",
            json!(["Hi", answer]),
            json!([user, answer]),
        ),
        scenario(
            "final normalization: the first message is right, without a role",
            json!([{"content": "Hi"}, answer]),
            json!([user, answer]),
        ),
        scenario(
            "assistant message with tool_calls: empty content stays an empty string",
            tool_loop(&json!(""), json!("files")),
            tool_loop(&json!(""), json!("files")),
        ),
        scenario(
            "assistant message with tool_calls: content that is not there is none",
            json!([user, {"role": "assistant", "tool_calls": calls_field}, result(&json!("files"))]),
            json!([user, {"role": "assistant", "tool_calls": calls_field}, result(&json!("files"))]),
        ),
        scenario(
            "assistant message without tool_calls: content is as it is",
            json!([user, {"role": "assistant", "content": "  {\"a\": 1}\n"}]),
            json!([user, {"role": "assistant", "content": "  {\"a\": 1}\n"}]),
        ),
        scenario(
            "consistent format: calls are a list, and results name theirs",
            json!([user,
                {"role": "assistant", "content": null, "tool_calls": [call("call_1"), call("call_2")]},
                {"role": "tool", "tool_call_id": "call_1", "content": "one"},
                {"role": "tool", "tool_call_id": "call_2", "content": ["two"]},
            ]),
            json!([user,
                {"role": "assistant", "content": null, "tool_calls": [call("call_1"), call("call_2")]},
                {"role": "tool", "tool_call_id": "call_1", "content": "one"},
                {"role": "tool", "tool_call_id": "call_2", "content": "two"},
            ]),
        ),
        scenario(
            "consistent format: one call alone is a list of it",
            json!([user,
                {"role": "assistant", "content": "", "tool_calls": call("call_1")},
                result(&json!("files")),
            ]),
            tool_loop(&json!(""), json!("files")),
        ),
        scenario(
            "deserialization: what is no message is skipped",
            json!([null, user, null, answer, null]),
            json!([user, answer]),
        ),
    ]
}

const MODEL: &str = "generic/some-model";
const NEXT_PROMPT: &str = "Go on.";

/// The messages that the provider received before the last one.
fn sent_history(name: &str, request: &Value) -> Value {
    let mut messages = request["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.pop();
    assert_eq!(last, Some(json!({"role": "user", "content": NEXT_PROMPT})), "{name}: {request}");
    messages.into()
}

fn request(stored: &Value) -> Value {
    let mut messages = stored.as_array().unwrap().clone();
    messages.push(json!({"role": "user", "content": NEXT_PROMPT}));
    json!({"model": MODEL, "messages": messages})
}

/// Sessions encode turns afresh: empty content next to calls becomes an empty string.
fn normalize_empty_content(messages: &Value) -> Value {
    let mut messages = messages.clone();
    for message in messages.as_array_mut().unwrap() {
        if message["tool_calls"].is_array() && message["content"].is_null() {
            message["content"] = json!("");
        }
    }
    messages
}

/// Loads the messages into a session and continues it.
fn via_session(harness: &Harness, scenario: &Scenario) -> Value {
    let name = scenario.name;
    let body = json!({"dialect": "openai-chat", "messages": scenario.stored});
    let response = post(harness.addr(), "/api/sessions", "", body.to_string().as_bytes());
    assert_eq!(response.status, 200, "{name}: {}", response.text());
    let session: Value = serde_json::from_slice(&response.body).unwrap();
    let path = format!("/api/sessions/{}", session["id"].as_str().unwrap());
    let session_json: Value = serde_json::from_slice(&get(harness.addr(), &path, "").body).unwrap();
    let history = session_json["history"].as_array().unwrap();
    assert!(history.iter().all(|one| one["turn"]["blocks"].is_array()), "{name}: {session_json}");
    let skipped = scenario.stored.as_array().unwrap().contains(&Value::Null);
    assert!(!skipped || session["notes"].is_array(), "{name} is reported: {session}");
    let body = json!({"model": MODEL, "say": NEXT_PROMPT}).to_string();
    let response = post(harness.addr(), &format!("{path}/continue"), "", body.as_bytes());
    assert_eq!(response.status, 200, "{name}: {}", response.text());
    harness.provider_requests().last().unwrap()["request"].clone()
}

/// Translates a request with the messages by the library.
fn via_library(scenario: &Scenario) -> Value {
    let dialect = find_dialect("openai-chat").unwrap();
    let model = Some(JsonString::new("some-model"));
    let target = Target { model, flavor: Some("generic"), ..Target::default() };
    let body = request(&scenario.stored).to_string();
    let built = translate_request(body.into(), dialect, dialect, &target).unwrap();
    serde_json::from_slice(&built.body).unwrap()
}

/// Sends the messages through the gateway unchanged.
fn via_gateway(harness: &Harness, scenario: &Scenario) -> Value {
    let body = request(&scenario.stored).to_string();
    let response = post(harness.addr(), "/v1/chat/completions", "", body.as_bytes());
    assert_eq!(response.status, 200, "{}: {}", scenario.name, response.text());
    harness.provider_requests().last().unwrap()["request"].clone()
}

#[test]
fn content_of_any_type_is_normalized_on_all_three_paths() {
    let harness = Harness::new();
    let mut failures = Vec::new();
    for scenario in scenarios() {
        let name = scenario.name;
        let paths = [
            ("loaded", via_session(&harness, &scenario)),
            ("built", via_library(&scenario)),
            ("sent", via_gateway(&harness, &scenario)),
        ];
        for (path_name, request) in paths {
            let actual = sent_history(name, &request);
            let is_loaded = path_name == "loaded";
            let expected = if is_loaded {
                normalize_empty_content(&scenario.expected)
            } else {
                scenario.expected.clone()
            };
            if actual != expected {
                failures.push(format!("{name}, {path_name}:\n  {actual}\n  {expected}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for request in harness.provider_requests() {
        assert_eq!(request["accepted"], true, "{}", request["violations"]);
    }
}
