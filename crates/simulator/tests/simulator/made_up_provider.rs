//! A provider that is not part of the program, judged and played from its file.

use interlingua_strict::openai_chat::{JUDGE, add_provider};
use interlingua_strict::{Request, Switches};
use serde_json::{Value, json};

use crate::client::{PROMPT, TestServer, request};

const ACME: &str = include_str!("../../../strict/tests/providers/acme.toml");

fn post(server: &TestServer, change: impl FnOnce(&mut Value)) -> (u16, Value) {
    let (_, mut body) = request("openai", false, PROMPT);
    body["reasoning_effort"] = "low".into();
    change(&mut body);
    let reply = server.post("/acme/v1/chat/completions", &body);
    (reply.status, reply.json())
}

#[test]
fn a_made_up_provider_is_played_from_its_file() {
    add_provider("acme", ACME).unwrap();
    let server = TestServer::start();
    let (status, reply) = post(&server, |_| {});
    assert_eq!(status, 200, "{reply}");
    let message = &reply["choices"][0]["message"];
    assert!(message["reasoning"].as_str().is_some_and(|text| !text.is_empty()), "{reply}");
    let id = message["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");

    let (status, error) = post(&server, |body| body["tool_choice"] = "required".into());
    let expected = json!("tool_choice 'required' is not supported");
    assert_eq!((status, &error["error"]["message"]), (400, &expected), "{error}");

    let (status, error) = post(&server, |body| {
        let call = json!({"id": "call_1", "type": "function",
            "function": {"name": "get_weather", "arguments": "{}"}});
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "sunny"}));
    });
    let expected = json!("Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.");
    assert_eq!((status, &error["error"]["message"]), (400, &expected), "{error}");
}

#[test]
fn a_provider_has_only_the_rules_of_its_file() {
    add_provider("acme", ACME).unwrap();
    let switches = Switches::default();
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}],
        "stream_options": {}});
    for (flavor, is_accepted) in [("acme", true), ("openai", false)] {
        let verdict = JUDGE.check(&Request::new(&body, flavor, &switches));
        assert_eq!(verdict.is_accepted(), is_accepted, "{flavor}: {verdict:?}");
    }
}

#[test]
fn an_unknown_key_or_word_is_an_error() {
    for (line, expected) in [
        ("rolls = []", "unknown field `rolls`"),
        ("traits = [\"first\"]", "unknown variant `first`"),
        ("messages-of.openai = [\"no-rule\"]", "openai has no message for no-rule"),
        ("parameters-of = \"nobody\"", "there is no provider `nobody`"),
    ] {
        let error = add_provider("wrong", &format!("like = \"openai\"\n{line}\n")).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
    }
}
