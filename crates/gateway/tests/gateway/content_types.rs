//! Content of any type, in every scenario of the founding document about it: whether a stored session is
//! loaded, a request is built, or one is sent through the gateway, the provider gets the same messages, and they
//! are right.

use interlingua::{Target, Text, find, translate_request};
use serde_json::{Value, json};

use crate::client::{get, post};
use crate::house::House;

/// A scenario: its messages as a client has stored them, and what a server that reads strings only is to get.
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

fn scenarios() -> Vec<Scenario> {
    let (user, called) = (json!({"role": "user", "content": "Hi"}), json!([call("call_1")]));
    let calls =
        |content: &Value| json!({"role": "assistant", "content": content, "tool_calls": called});
    let result =
        |content: Value| json!({"role": "tool", "tool_call_id": "call_1", "content": content});
    let said = json!({"role": "assistant", "content": "Yes?"});
    let loop_of = |content: &Value, of_tool: Value| json!([user, calls(content), result(of_tool)]);
    vec![
        scenario(
            "normalize when loading: an object is its JSON text",
            json!([{"role": "user", "content": {"rows": 3, "of": ["a"]}}, said]),
            json!([{"role": "user", "content": r#"{"rows":3,"of":["a"]}"#}, said]),
        ),
        scenario(
            "normalize when loading: a list of texts is their text",
            json!([user, {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]}]),
            json!([user, said]),
        ),
        scenario(
            "normalize when loading: null beside calls is taken by all, and need not change",
            loop_of(&Value::Null, json!("files")),
            loop_of(&Value::Null, json!("files")),
        ),
        scenario(
            "normalize when loading: null of a tool is nothing",
            loop_of(&json!("Let me look."), Value::Null),
            loop_of(&json!("Let me look."), json!("")),
        ),
        scenario(
            "normalize when loading: another type is a string",
            json!([{"role": "user", "content": 7}, {"role": "assistant", "content": true}]),
            json!([{"role": "user", "content": "7"}, {"role": "assistant", "content": "true"}]),
        ),
        scenario(
            "normalize when building: the result of a tool that is an object is its JSON text",
            loop_of(&json!("Let me look."), json!({"files": ["a", "b"], "more": null})),
            loop_of(&json!("Let me look."), json!(r#"{"files":["a","b"],"more":null}"#)),
        ),
        scenario(
            "final normalization: the first message is right, an object with a text",
            json!([{"role": "user", "content": {"text": "Hi"}}, said]),
            json!([user, said]),
        ),
        scenario(
            "final normalization: the first message is right, a list of words",
            json!([{"role": "user", "content": ["Hi"]}, said]),
            json!([user, said]),
        ),
        scenario(
            "final normalization: the first message is right, a word alone",
            json!(["Hi", said]),
            json!([user, said]),
        ),
        scenario(
            "final normalization: the first message is right, without a role",
            json!([{"content": "Hi"}, said]),
            json!([user, said]),
        ),
        scenario(
            "assistant message with tool_calls: empty content stays an empty string",
            loop_of(&json!(""), json!("files")),
            loop_of(&json!(""), json!("files")),
        ),
        scenario(
            "assistant message with tool_calls: content that is not there is none",
            json!([user, {"role": "assistant", "tool_calls": called}, result(json!("files"))]),
            json!([user, {"role": "assistant", "tool_calls": called}, result(json!("files"))]),
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
                result(json!("files")),
            ]),
            loop_of(&json!(""), json!("files")),
        ),
        scenario(
            "deserialization: what is no message is skipped",
            json!([null, user, null, said, null]),
            json!([user, said]),
        ),
    ]
}

const MODEL: &str = "generic/some-model";
const NEXT: &str = "Go on.";

/// Of what was sent: the messages before the last, which is what the user says next.
fn before_next(name: &str, request: &Value) -> Value {
    let mut messages = request["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.pop();
    assert_eq!(last, Some(json!({"role": "user", "content": NEXT})), "{name}: {request}");
    messages.into()
}

fn request(stored: &Value) -> Value {
    let mut messages = stored.as_array().unwrap().clone();
    messages.push(json!({"role": "user", "content": NEXT}));
    json!({"model": MODEL, "messages": messages})
}

/// Turns of a session are written anew: beside calls, nothing is an empty string then.
fn written_anew(messages: &Value) -> Value {
    let mut messages = messages.clone();
    for message in messages.as_array_mut().unwrap() {
        if message["tool_calls"].is_array() && message["content"].is_null() {
            message["content"] = json!("");
        }
    }
    messages
}

/// A session is loaded with them, and goes on.
fn loaded(house: &House, scenario: &Scenario) -> Value {
    let name = scenario.name;
    let body = json!({"dialect": "openai-chat", "messages": scenario.stored});
    let answer = post(house.addr(), "/api/sessions", "", body.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
    let session: Value = serde_json::from_slice(&answer.body).unwrap();
    let path = format!("/api/sessions/{}", session["id"].as_str().unwrap());
    let shown: Value = serde_json::from_slice(&get(house.addr(), &path, "").body).unwrap();
    let history = shown["history"].as_array().unwrap();
    assert!(history.iter().all(|one| one["turn"]["blocks"].is_array()), "{name}: {shown}");
    let skipped = scenario.stored.as_array().unwrap().contains(&Value::Null);
    assert!(!skipped || session["notes"].is_array(), "{name} is reported: {session}");
    let body = json!({"model": MODEL, "say": NEXT}).to_string();
    let answer = post(house.addr(), &format!("{path}/continue"), "", body.as_bytes());
    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
    house.log().last().unwrap()["request"].clone()
}

/// A request is built of them by the library.
fn built(scenario: &Scenario) -> Value {
    let dialect = find("openai-chat").unwrap();
    let model = Some(Text::new("some-model"));
    let target = Target { model, flavor: Some("generic"), ..Target::default() };
    let body = request(&scenario.stored).to_string();
    let built = translate_request(body.into(), dialect, dialect, &target).unwrap();
    serde_json::from_slice(&built.body).unwrap()
}

/// They are sent through the gateway as they are.
fn sent(house: &House, scenario: &Scenario) -> Value {
    let body = request(&scenario.stored).to_string();
    let answer = post(house.addr(), "/v1/chat/completions", "", body.as_bytes());
    assert_eq!(answer.status, 200, "{}: {}", scenario.name, answer.text());
    house.log().last().unwrap()["request"].clone()
}

#[test]
fn content_of_any_type_is_right_at_all_three_moments() {
    let house = House::build();
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        let name = scenario.name;
        let moments = [
            ("loaded", loaded(&house, &scenario)),
            ("built", built(&scenario)),
            ("sent", sent(&house, &scenario)),
        ];
        for (moment, request) in moments {
            let found = before_next(name, &request);
            let is_loaded = moment == "loaded";
            let expected = if is_loaded {
                written_anew(&scenario.expected)
            } else {
                scenario.expected.clone()
            };
            if found != expected {
                wrong.push(format!("{name}, {moment}:\n  {found}\n  {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for request in house.log() {
        assert_eq!(request["accepted"], true, "{}", request["violations"]);
    }
}
