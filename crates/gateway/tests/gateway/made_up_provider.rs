//! A provider that only the configuration describes: ids of nine letters and digits, no forced calls, and
//! reasoning in a field of another name.

use std::net::SocketAddr;

use interlingua_gateway::Gateway;
use interlingua_gateway::config::Config;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::post;
use crate::harness::Harness;
use crate::stub_provider::StubProvider;

const QUIRKS: &str = r#"
[providers.acme.quirks]
calls.id_format = { charset = "", min_chars = 9, max_chars = 9 }
settings.tool_choice.forced_call = "never"
reasoning = { replay = "all", rejected_fields = [] }
spelling.reasoning_history = { field = "reasoning" }
"#;

/// A gateway whose configuration has the provider `acme` with these quirks, at the address of the stub.
fn gateway(stub: &StubProvider, quirks: &str) -> Harness {
    let file = format!(
        "[providers.acme]\nlike = \"generic\"\ndialect = \"openai-chat\"\nbase_url = \"http://{}/v1\"\n{quirks}",
        stub.addr
    );
    let (config, _) = Config::parse(&file, &|_| None).unwrap_or_else(|errors| panic!("{errors:?}"));
    let runtime = Runtime::new().unwrap();
    let gateway = Gateway::new(config).unwrap();
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateway = runtime.block_on(async { gateway.start(any_port).unwrap() });
    Harness { runtime, simulator: None, gateway: Some(gateway) }
}

fn reply() -> (u16, String) {
    let message = json!({"role": "assistant", "content": "done", "reasoning": "It was sunny."});
    let reply = json!({
        "id": "r1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    });
    (200, reply.to_string())
}

fn chat_request() -> Value {
    let function = json!({"name": "weather", "parameters": {"type": "object", "properties": {}}});
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "weather", "arguments": "{}"}});
    json!({
        "model": "acme/m",
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "required",
        "messages": [
            {"role": "user", "content": "How is the weather?"},
            {"role": "assistant", "content": "", "reasoning_content": "I look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
        ],
    })
}

/// The id of the call, which its result has as well.
fn call_id(request: &Value) -> &str {
    let messages = request["messages"].as_array().unwrap();
    let call = messages.iter().find_map(|message| message["tool_calls"][0]["id"].as_str()).unwrap();
    assert!(messages.iter().any(|message| message["tool_call_id"] == call), "{request}");
    call
}

#[test]
fn a_provider_of_the_configuration_gets_what_it_accepts() {
    let stub = StubProvider::with_answers(vec![reply()]);
    let harness = gateway(&stub, QUIRKS);
    let response =
        post(harness.addr(), "/v1/chat/completions", "", chat_request().to_string().as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    let sent = stub.requests().pop().unwrap();
    let id = call_id(&sent);
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{sent}");
    assert_ne!(sent["tool_choice"], "required", "{sent}");
    assert_eq!(sent["messages"][1]["reasoning"], "I look.", "{sent}");
    assert!(sent["messages"][1].get("reasoning_content").is_none(), "{sent}");
}

#[test]
fn without_its_quirks_it_gets_something_else() {
    let stub = StubProvider::with_answers(vec![reply()]);
    let harness = gateway(&stub, "");
    let response =
        post(harness.addr(), "/v1/chat/completions", "", chat_request().to_string().as_bytes());
    assert_eq!(response.status, 200, "{}", response.text());
    let sent = stub.requests().pop().unwrap();
    assert_eq!((call_id(&sent), &sent["tool_choice"]), ("call_1", &json!("required")), "{sent}");
    assert!(sent["messages"][1].get("reasoning").is_none(), "{sent}");
}

#[test]
fn its_reasoning_reaches_clients_of_other_dialects() {
    let stub = StubProvider::with_answers(vec![reply()]);
    let harness = gateway(&stub, QUIRKS);
    let body = json!({"model": "acme/m", "max_tokens": 99,
        "messages": [{"role": "user", "content": "How was the weather?"}]});
    let response = post(harness.addr(), "/v1/messages", "", body.to_string().as_bytes());
    let reply: Value = serde_json::from_str(&response.text()).unwrap();
    assert_eq!(reply["content"][0]["thinking"], "It was sunny.", "{reply}");
}
