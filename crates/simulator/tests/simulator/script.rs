//! Scripts are parsed and matched to requests.

use interlingua_simulator::{Options, Script};
use serde_json::json;

use crate::client::{PROMPT, TestServer, request};

const SCRIPT: &str = r#"
[[turn]]
when = { turn = 1, prompt = "weather" }
blocks = [
    { thinking = "Look it up." },
    { text = "One moment." },
    { call = "get_weather", arguments = { city = "Rome" }, id = "toolu_mine" },
    { call = "get_weather", raw = '{"city":' },
]
usage = { input = 10, output = 20 }

[[turn]]
when = { result = "rain" }
blocks = [{ text = "Take an umbrella." }]

[[turn]]
when = { prompt = "long" }
blocks = [{ text = "It was a dark and" }]
stop = "length"
times = 1
"#;

fn server(text: &str) -> TestServer {
    let script = Some(Script::parse(text).unwrap());
    TestServer::with_options(Options { script, ..Options::default() })
}

#[test]
fn turns_are_matched_by_number_and_content() {
    let server = server(SCRIPT);
    let (path, mut body) = request("anthropic", false, PROMPT);
    let first = server.post(&path, &body).json();
    assert_eq!(first["content"][0]["thinking"], "Look it up.");
    assert_eq!(first["content"][2]["id"], "toolu_mine");
    assert_eq!(first["content"][2]["input"], json!({"city": "Rome"}));
    assert_eq!(first["stop_reason"], "tool_use");
    assert_eq!(first["usage"]["input_tokens"], 10);
    body["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": [first["content"][1], first["content"][2]]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_mine", "content": "rain"},
        ]}),
    ]);
    // The assistant message above has no thinking block.
    body["thinking"] = json!({"type": "disabled"});
    let second = server.post(&path, &body).json();
    assert_eq!(second["content"][0]["text"], "Take an umbrella.", "{second}");
}

#[test]
fn malformed_arguments_are_streamed_as_they_are() {
    let server = server(SCRIPT);
    let (path, body) = request("openai", true, "The weather?");
    let events = server.post(&path, &body).events();
    let arguments: String = events
        .iter()
        .filter(|event| event["choices"][0]["delta"]["tool_calls"][0]["index"] == 1)
        .filter_map(|event| {
            event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str()
        })
        .collect();
    assert_eq!(arguments, r#"{"city":"#);
}

#[test]
fn a_turn_may_have_a_number_of_plays() {
    let server = server(SCRIPT);
    let (path, mut body) = request("openai", false, "A long story");
    body["tools"] = json!([{"type": "function", "function": {"name": "f"}}]);
    let first = server.post(&path, &body).json();
    assert_eq!(first["choices"][0]["finish_reason"], "length");
    let second = server.post(&path, &body).json();
    assert_eq!(second["choices"][0]["finish_reason"], "tool_calls", "the agent answers");
}

#[test]
fn json_is_read_as_well() {
    let server = server(r#"{"turn": [{"blocks": [{"text": "From JSON."}]}]}"#);
    let (path, body) = request("openai", false, PROMPT);
    let reply = server.post(&path, &body).json();
    assert_eq!(reply["choices"][0]["message"]["content"], "From JSON.");
}

#[test]
fn errors_have_the_number_of_the_turn() {
    for (text, part) in [
        ("[[turn]]\nblocks = [{ txet = \"x\" }]", "unknown field `txet`"),
        (
            "[[turn]]\nblocks = [{ text = \"x\", call = \"y\" }]",
            "turn 1: block 1: a block is one of",
        ),
        ("[[turn]]\nblocks = [{ text = \"x\", raw = \"y\" }]", "belong to a `call`"),
        ("[[turn]]\nwhen = { trun = 1 }", "unknown field `trun`"),
        ("[[turn]]\nfault = \"503\"", "turn 1: there is no fault `503`"),
        ("turn = 3", "line 1"),
        ("{\"turn\": [", "EOF"),
    ] {
        let error = Script::parse(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}
